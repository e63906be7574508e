"""Runs the built program (named by S3GD_PROGRAM) in a clean environment and a folder of its own."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["S3GD_PROGRAM"]


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="s3gd_cli_")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = {
            "PATH": os.environ.get("PATH", ""),
            "HOME": self.folder,
            "XDG_CACHE_HOME": os.path.join(self.folder, "cache"),
            "no_proxy": "127.0.0.1",
        }
        # Sanitizers are told what to do through these.
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_program(self, *arguments, stdin=b"", expect=0, timeout=60):
        done = subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, cwd=self.folder,
                              env=self.environment, timeout=timeout)
        self.assertEqual(done.returncode, expect, f"{arguments}: {done.stdout!r} {done.stderr!r}")
        return done.stdout.decode(), done.stderr.decode()

    def run_json(self, *arguments, stdin=b"", expect=0):
        """Standard output must hold exactly one JSON object."""
        out, _ = self.run_program(*arguments, "--json", stdin=stdin, expect=expect)
        result = json.loads(out)
        self.assertIsInstance(result, dict)
        return result

    def error_of(self, *arguments, stdin=b"", expect=1):
        """The one line on standard error; nothing may be on standard output."""
        out, err = self.run_program(*arguments, stdin=stdin, expect=expect)
        self.assertEqual(out, "")
        self.assertTrue(err.startswith("s3gd: error: "), err)
        self.assertEqual(err.count("\n"), 1, err)
        return err[len("s3gd: error: "):].strip()
