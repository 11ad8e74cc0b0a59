"""The scripts of packaging/ where they need neither network nor root: options, choices, and what is kept of libtorch."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


def bash(script, **environment):
    """Runs `script` after setup.sh was read, from another folder."""
    return subprocess.run(["bash", "-c", f"set -euo pipefail; source '{PACKAGING}/setup.sh'; {script}"],
                          capture_output=True, text=True, cwd="/", env={**os.environ, **environment})


class Scripts(unittest.TestCase):
    def test_all_are_valid_and_executable(self):
        for script in PACKAGING.glob("*.sh"):
            subprocess.run(["bash", "-n", script], check=True)
            if script.name != "setup.sh":
                self.assertTrue(os.access(script, os.X_OK), script)

    def test_run_help_says_what_it_does(self):
        run = subprocess.run([PACKAGING / "run.sh", "--help"], capture_output=True, text=True, cwd="/")
        self.assertEqual(run.returncode, 0)
        self.assertIn("--build-only", run.stdout)

    def test_run_refuses_unknown_options_before_doing_anything(self):
        run = subprocess.run([PACKAGING / "run.sh", "--bild-only"], capture_output=True, text=True, cwd="/")
        self.assertEqual(run.returncode, 2)
        self.assertIn("--bild-only", run.stderr)
        self.assertNotIn("==>", run.stderr)

    def test_the_gpu_choice_can_be_forced(self):
        self.assertEqual(bash("has_gpu", EARSCOPE_CUDA="1").returncode, 0)
        self.assertEqual(bash("has_gpu", EARSCOPE_CUDA="0").returncode, 1)
        wrong = bash("has_gpu", EARSCOPE_CUDA="yes")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("EARSCOPE_CUDA", wrong.stderr)

    def test_packages_that_are_installed_are_left_alone(self):
        run = bash("apt-get() { echo called >&2; }; dpkg-query() { echo installed; }; install_packages a b")
        self.assertEqual(run.returncode, 0)
        self.assertIn("all 2 are installed", run.stderr)
        self.assertNotIn("called", run.stderr)

    def test_a_libtorch_of_someone_else_is_used_and_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "torch" / "lib" / "libtorch_cpu.so"
            library.parent.mkdir(parents=True)
            library.touch()
            run = bash("install_libtorch", EARSCOPE_LIBTORCH=folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("using the one found", run.stderr)
            self.assertTrue(library.exists())

    def test_a_failed_download_leaves_what_was_there(self):
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "libtorch" / "torch" / "lib" / "libtorch_cpu.so"
            library.parent.mkdir(parents=True)
            library.touch()
            (Path(folder) / "libtorch" / "earscope-stamp").write_text("an older set\n")
            run = bash("python_with_pip() { echo false; }; install_libtorch",
                       EARSCOPE_LIBTORCH=f"{folder}/libtorch", EARSCOPE_CUDA="0")
            self.assertEqual(run.returncode, 1)
            self.assertIn("pip could not install libtorch", run.stderr)
            self.assertTrue(library.exists())
            self.assertEqual(sorted(os.listdir(folder)), ["libtorch"])

    def test_trimming_keeps_what_linking_needs(self):
        kept = ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp.so.1", "torch/include/a.h",
                "nvidia/cu13/lib/libcudart.so.13", "torch-2.11.0.dist-info/licenses/LICENSE"]
        cuda = ["torch/lib/libtorch_cuda.so", "torch/lib/libc10_cuda.so", "torch/lib/libtorch_cuda_linalg.so"]
        gone = ["torch/lib/libtorch_python.so", "torch/nn/modules.py", "torch/bin/torch_shm_manager", "functorch/a.py",
                "nvidia/cu13/lib/libcudart_static.a", "nvidia/cu13/include/cuda.h"]
        for kind, wanted in (("cpu", kept), ("cuda", kept + cuda)):
            with tempfile.TemporaryDirectory() as folder:
                for name in kept + cuda + gone:
                    path = Path(folder) / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.touch()
                run = bash(f"trim_libtorch '{folder}' {kind}")
                self.assertEqual(run.returncode, 0, run.stderr)
                left = sorted(str(p.relative_to(folder)) for p in Path(folder).rglob("*") if p.is_file())
                self.assertEqual(left, sorted(wanted))


if __name__ == "__main__":
    unittest.main()
