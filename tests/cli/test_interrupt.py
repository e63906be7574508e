"""Ctrl-C: exit code 130 wherever it comes, and what is known by then is kept."""
import json
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest


class WhileReading(ProgramTest):
    def interrupt(self, *arguments):
        """Rows come from a pipe that stays open until after the signal."""
        pipe = self.path("pipe.svm")
        if not os.path.exists(pipe):
            os.mkfifo(pipe)
        process = subprocess.Popen([PROGRAM, *arguments], env=self.environment, cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(pipe, "wb") as rows:
            rows.write(b"1 1:1 2:3\n-1 1:2 2:1\n" * 20)
            rows.flush()
            time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, (arguments, err))
        self.assertIn(b"interrupted", err)
        return out

    def test_every_command_that_reads_rows(self):
        self.write("d.svm", "1 1:1 2:3\n-1 1:2 2:1\n" * 20)
        self.run_program("train", "d.svm", "-o", "m")
        for command in (["train"], ["inspect"], ["cv"], ["path"], ["graph", "-o", "g"], ["convert"], ["compare", "-o", "c"],
                        ["predict", "m"]):
            rest = ["out.csv"] if command == ["convert"] else []
            self.interrupt(*command, "pipe.svm", *rest)
        self.assertFalse(os.path.exists(self.path("out.csv")))
        self.assertFalse(os.path.exists(self.path("g")))

    def test_as_json(self):
        self.assertEqual(json.loads(self.interrupt("train", "pipe.svm", "--json"))["status"], "error")


class CrossValidation(ProgramTest):
    ARGUMENTS = ["cv", "gen:text?rows=2000&cols=2000", "--penalty", "l1", "--lambdas", "200", "--ratio", "1e-3", "--tol",
                 "1e-9", "--threads", "1"]

    def test_what_is_done_by_then_is_judged(self):
        for delay in (0.5, 1, 2, 4, 8, 16):  # until the first fold is begun, on machines of any speed
            process = subprocess.Popen([PROGRAM, *self.ARGUMENTS, "--json", "-o", "m", "--report", "r.html"],
                                       env=self.environment, cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=120)
            if process.returncode == -signal.SIGINT:  # it had not even begun
                continue
            if process.returncode == 0:
                self.skipTest("it was done before")
            self.assertEqual(process.returncode, 130, err)
            result = json.loads(out)
            if result["status"] == "interrupted":
                break
        self.assertEqual(result["status"], "interrupted")
        self.assertLess(result["folds_judged"] * len(result["points"]), 5 * 200)
        self.assertGreater(result["folds_judged"], 0)
        for point in result["points"]:
            scores = [score for score in point["scores"] if score is not None]
            self.assertEqual(len(scores), result["folds_judged"])
            self.assertAlmostEqual(sum(scores) / len(scores), point["mean"], places=12)
        self.assertEqual(result["best"]["mean"], min(point["mean"] for point in result["points"]))
        self.assertIn("cut short", " ".join(result["advice"]))
        self.run_program("predict", "m", "gen:text?rows=2000&cols=2000")
        self.assertIn(b"</html>", self.read("r.html"))


if __name__ == "__main__":
    unittest.main()
