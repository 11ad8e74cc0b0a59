"""packaging/count_tests.py against small reports."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "count_tests.py"

QT_GOOD = """PASS   : TestA::initTestCase()
PASS   : TestA::one(row 1)
PASS   : TestA::one(row 2)
SKIP   : TestA::two() no microphone
PASS   : TestA::cleanupTestCase()
Totals: 4 passed, 0 failed, 1 skipped, 0 blacklisted, 5ms"""
QT_BAD = """PASS   : TestB::initTestCase()
FAIL!  : TestB::one() 'x' returned FALSE.
PASS   : TestB::two()
PASS   : TestB::cleanupTestCase()"""
QT_SETUP_FAILS = """FAIL!  : TestC::initTestCase() no folder
PASS   : TestC::cleanupTestCase()"""


def case(output, failed=False):
    status = "fail" if failed else "run"
    failure = '<failure message=""/>' if failed else ""
    return f'<testcase name="t" status="{status}">{failure}<system-out>{output}</system-out></testcase>'


class CountTests(unittest.TestCase):
    def count(self, *cases):
        """Exit status and last line of the script."""
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(f'<?xml version="1.0"?><testsuite name="s">{"".join(cases)}</testsuite>')
            file.flush()
            run = subprocess.run([sys.executable, SCRIPT, file.name], capture_output=True, text=True)
        return run.returncode, run.stdout.splitlines()[-1]

    def test_functions_and_rows_count_but_not_the_frame(self):
        self.assertEqual(self.count(case(QT_GOOD)), (0, "2 passed, 0 failed, 1 skipped"))

    def test_a_failed_function_counts_once(self):
        self.assertEqual(self.count(case(QT_GOOD), case(QT_BAD, True)), (1, "3 passed, 1 failed, 1 skipped"))

    def test_a_failed_set_up_counts(self):
        self.assertEqual(self.count(case(QT_SETUP_FAILS, True)), (1, "0 passed, 1 failed"))

    def test_a_crash_after_good_functions_counts(self):
        self.assertEqual(self.count(case(QT_GOOD, True)), (1, "2 passed, 1 failed, 1 skipped"))

    def test_a_program_without_functions_counts_once(self):
        self.assertEqual(self.count(case("fine")), (0, "1 passed, 0 failed"))
        self.assertEqual(self.count(case("", True)), (1, "0 passed, 1 failed"))

    def test_no_test_is_a_failure(self):
        self.assertEqual(self.count(), (1, "0 passed, 0 failed"))

    def test_no_report_is_a_failure(self):
        run = subprocess.run([sys.executable, SCRIPT, "/nonexistent.xml"], capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("no test report", run.stderr)


if __name__ == "__main__":
    unittest.main()
