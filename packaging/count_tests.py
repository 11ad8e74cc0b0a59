#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints how many tests a ctest JUnit report holds, as "N passed, N failed" alone on the last line.

A Qt Test program counts as many times as it reports a function or data row; anything else counts once. A program that
ctest calls failed but that reported no failure (a crash, a timeout) adds one failure. Exit status 1 if anything failed
or nothing ran.
"""

import re
import sys
import xml.etree.ElementTree as xml

RESULT = re.compile(r"^(PASS|FAIL!|XFAIL|XPASS|SKIP)\s*: (\S+?)\(", re.MULTILINE)
FRAME = ("initTestCase", "cleanupTestCase")


def count(case):
    """(passed, failed, skipped) of one test program."""
    if case.get("status") in ("disabled", "notrun") and case.find("failure") is None:
        return 0, 0, 1
    output = case.findtext("system-out") or ""
    results = [kind for kind, function in RESULT.findall(output)
               if not (kind == "PASS" and function.split("::")[-1] in FRAME)]
    # An expected failure is reported beside the PASS of its function.
    passed = results.count("PASS")
    failed = results.count("FAIL!") + results.count("XPASS")
    skipped = results.count("SKIP")
    program_failed = case.find("failure") is not None or case.get("status") == "fail"
    if program_failed and failed == 0:
        failed = 1
    if not results and not program_failed:
        passed = 1
    return passed, failed, skipped


def main():
    try:
        cases = list(xml.parse(sys.argv[1]).getroot().iter("testcase"))
    except (OSError, xml.ParseError) as error:
        sys.exit(f"no test report: {error}")
    passed, failed, skipped = (sum(column) for column in zip((0, 0, 0), *map(count, cases)))
    print(f"{len(cases)} test programs")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
