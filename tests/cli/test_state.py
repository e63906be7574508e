"""What a run begins with and leaves behind: warm starts, early stopping, checkpoints, weights of classes."""
import json
import os
import random
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

DATA = "gen:manifold?rows=600&cols=12"


class Killed(ProgramTest):
    """kill -9 at random moments, then --resume: nothing is ever corrupt, and the end has the same bits."""

    def kill_and_resume(self, arguments, kills, ends):
        whole = [*arguments, "--checkpoint", "whole.checkpoint", "--checkpoint-every", "0.02"]
        started = time.monotonic()
        self.run_program("train", *whole, "-o", "whole.model", "--threads", "1", expect=ends)
        longest = min(time.monotonic() - started, 3)
        self.assertFalse(os.path.exists(self.path("whole.checkpoint")))
        expected = self.read("whole.model")
        moments = random.Random(7)
        cut = 0
        for number in range(kills):
            command = [PROGRAM, "train", *arguments, "--checkpoint", "cut.checkpoint", "--checkpoint-every", "0.02",
                       "--resume", "-o", "cut.model", "--threads", str(1 + number % 2)]
            process = subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            time.sleep(moments.uniform(0, longest))
            process.send_signal(signal.SIGKILL)
            _, errors = process.communicate(timeout=60)
            self.assertNotIn(b"error", errors)
            cut += process.returncode == -signal.SIGKILL
            if os.path.exists(self.path("cut.model")):
                self.assertEqual(self.read("cut.model"), expected)
        self.assertGreater(cut, 0)
        self.run_program("train", *arguments, "--checkpoint", "cut.checkpoint", "--resume", "-o", "cut.model", expect=ends)
        self.assertEqual(self.read("cut.model"), expected)
        leftovers = [name for name in os.listdir(self.folder) if ".tmp" in name and "checkpoint" in name]
        self.assertEqual(leftovers, [])

    def test_a_stochastic_run(self):
        self.kill_and_resume(["gen:manifold?rows=2000&cols=30", "--solver", "s3gd", "--passes", "100", "--tol", "0",
                              "--quiet"], 10, 3)

    def test_an_exact_run(self):
        self.kill_and_resume(["gen:text?rows=2000&cols=2000", "--lambda", "1e-5", "--tol", "1e-9", "--quiet"], 10, 0)


class Checkpoint(ProgramTest):
    def changed(self, name):
        try:
            return os.stat(self.path(name)).st_mtime_ns
        except FileNotFoundError:
            return None

    def test_ctrl_c_keeps_the_model_so_far_and_the_checkpoint(self):
        plain = ["train", DATA, "--solver", "sgd", "--step", "0.01", "--iterations", "100000", "--tol", "0", "-o",
                 "m.model"]
        arguments = [*plain, "--checkpoint", "c", "--checkpoint-every", "0.02"]
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([PROGRAM, *arguments, "--resume"], env=self.environment, cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            before = self.changed("c")
            while process.poll() is None and self.changed("c") == before:
                time.sleep(0.001)
            process.send_signal(number)
            process.communicate(timeout=60)
            if process.returncode == 130:
                self.assertTrue(os.path.exists(self.path("c")))
                self.run_program("predict", "m.model", DATA)
            else:
                self.assertEqual(process.returncode, 3)  # it was done before
        self.run_program(*arguments, "--resume", expect=3)
        cut = self.read("m.model")
        self.run_program(*plain, expect=3)
        self.assertEqual(self.read("m.model"), cut)

    def test_what_does_not_fit_is_one_clear_error(self):
        self.write("c", "something else")
        self.assertIn("checkpoint", self.error_of("train", DATA, "--checkpoint", "c", "--resume"))
        self.assertIn("--resume", self.error_of("train", DATA, "--checkpoint", "c"))
        self.assertEqual(self.read("c"), b"something else")
        self.error_of("train", DATA, "--resume", expect=2)
        self.error_of("train", DATA, "--checkpoint", "-", expect=2)
        self.error_of("train", DATA, "--checkpoint", "nowhere/c")

    def test_what_differs_is_said_as_it_was_given(self):
        arguments = ["train", DATA, "--solver", "s3gd", "--passes", "1e9", "--checkpoint", "c", "--checkpoint-every", "0"]
        self.run_program(*arguments, "--tol", "0", "--seconds", "0.3", expect=3)
        for changed, said in ((["--step", "0.1"], "--step was auto, now it is 0.1"), (["--scale", "standard"], "--scale"),
                              (["--layout", "sparse"], "--layout"), (["--loss", "squared-hinge"], "was logistic"),
                              (["--trace", "t.csv"], "--trace,")):
            message = self.error_of(*arguments, "--tol", "0", "--resume", *changed)
            self.assertIn(said, message)
            self.assertIn("remove it", message)
        self.assertIn("more than once", self.error_of(*arguments, "--tol", "0", "--tol", "1", expect=2))

    def test_a_finished_run_leaves_none(self):
        self.run_program("train", DATA, "--checkpoint", "c", "--checkpoint-every", "0")
        self.assertFalse(os.path.exists(self.path("c")))


class EarlyStop(ProgramTest):
    def test_every_kind_of_solver_stops_and_says_so(self):
        for solver in ("auto", "svrg", "newton"):
            result = self.run_json("train", "gen:manifold?rows=120&cols=60&noise=0.5", "--lambda", "1e-9", "--validate",
                                   "0.5", "--early-stop", "--patience", "2", "--tol", "1e-12", "--solver", solver,
                                   "--passes", "4000")
            self.assertEqual(result["status"], "early_stopped", solver)

    def test_needs_rows_to_look_at(self):
        self.assertIn("--validate", self.error_of("train", DATA, "--early-stop", expect=2))


class WarmStart(ProgramTest):
    CSV = "label,a,b,c\n" + "".join(f"{i % 2},{i % 7},{i % 5 - 2},{(i * i) % 11}\n" for i in range(200))

    def test_a_fit_that_begins_at_its_optimum_has_nothing_to_do(self):
        self.write("d.csv", self.CSV)
        for scale in ("none", "standard", "max-abs"):
            cold = self.run_json("train", "d.csv", "--scale", scale, "--solver", "newton", "--tol", "1e-8", "-o", "m")
            warm = self.run_json("train", "d.csv", "--scale", scale, "--solver", "newton", "--tol", "1e-7",
                                 "--warm-start", "m")
            self.assertGreater(cold["iterations"], 0)
            self.assertEqual(warm["iterations"], 0)
            self.assertAlmostEqual(warm["objective"], cold["objective"], places=9)

    def test_a_model_of_other_features_or_classes_is_refused(self):
        self.write("d.csv", self.CSV)
        self.run_program("train", "d.csv", "-o", "m")
        self.write("other.csv", self.CSV.replace("a,b,c", "a,b,x"))
        self.assertIn("'x'", self.error_of("train", "other.csv", "--warm-start", "m"))
        self.write("narrow.csv", "label,a\n0,1\n1,2\n0,3\n")
        self.assertIn("features", self.error_of("train", "narrow.csv", "--warm-start", "m"))
        self.write("words.csv", "\n".join(line.replace("0,", "no,", 1) if line.startswith("0") else
                                          line.replace("1,", "yes,", 1) if line.startswith("1") else line
                                          for line in self.CSV.split("\n")))
        self.assertIn("yes", self.error_of("train", "words.csv", "--warm-start", "m"))
        self.write("m", self.read("m")[:-3])
        self.assertIn("damaged", self.error_of("train", "d.csv", "--warm-start", "m"))


class ClassWeight(ProgramTest):
    def test_a_file_weighs_classes_as_rows_would(self):
        rows = [f"{'yes' if i % 3 else 'no'},{i % 7},{(i * i) % 11}" for i in range(90)]
        self.write("d.csv", "label,a,b\n" + "\n".join(rows) + "\n")
        self.write("twice.csv", "label,a,b\n" + "\n".join(rows + [row for row in rows if row.startswith("no")]) + "\n")
        self.write("w.txt", "no 2\n")
        self.write("w.json", json.dumps({"no": 4, "yes": 2}))
        twice = self.run_json("train", "twice.csv", "--tol", "1e-10")["objective"]
        for name in ("w.txt", "w.json"):
            weighted = self.run_json("train", "d.csv", "--tol", "1e-10", "--class-weight", name)["objective"]
            self.assertAlmostEqual(weighted, twice, places=9)
        self.assertNotAlmostEqual(self.run_json("train", "d.csv", "--tol", "1e-10")["objective"], twice, places=4)

    def test_an_unknown_class_name_or_file_is_said(self):
        self.write("w.txt", "maybe 2\n")
        self.assertIn("maybe", self.error_of("train", DATA, "--class-weight", "w.txt"))
        self.assertIn("balanced", self.error_of("train", DATA, "--class-weight", "balancd", expect=2))


if __name__ == "__main__":
    unittest.main()
