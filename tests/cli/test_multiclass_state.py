"""Warm starts, early stopping, checkpoints and class weights with more than two classes."""
import json
import os
import unittest

from program import ProgramTest
from test_state import Killed as KilledRuns

DATA = "gen:manifold?rows=600&cols=12&classes=4"


class Killed(ProgramTest):
    """kill -9 at random moments, then --resume: nothing is ever corrupt, and the end has the same bits."""
    kill_and_resume = KilledRuns.kill_and_resume

    def test_one_against_the_rest(self):
        self.kill_and_resume(["gen:manifold?rows=4000&cols=60&classes=6", "--multiclass", "ovr", "--penalty", "l1", "--lambda",
                              "1e-5", "--tol", "1e-10", "--quiet"], 5, 0)

    def test_one_against_the_rest_by_stochastic_steps(self):
        self.kill_and_resume(["gen:manifold?rows=1000&cols=20&classes=4", "--multiclass", "ovr", "--solver", "s3gd",
                              "--passes", "60", "--tol", "0", "--quiet"], 5, 3)

    def test_softmax(self):
        self.kill_and_resume(["gen:manifold?rows=6000&cols=30&classes=6", "--penalty", "group", "--lambda", "1e-4", "--tol",
                              "1e-9", "--quiet"], 5, 0)

    def test_softmax_by_stochastic_steps(self):
        self.kill_and_resume(["gen:manifold?rows=1000&cols=20&classes=4", "--multiclass", "softmax", "--solver", "s3gd",
                              "--passes", "60", "--tol", "0", "--quiet"], 5, 3)


class Checkpoint(ProgramTest):
    def test_what_does_not_fit_is_one_clear_error(self):
        for kind in ("ovr", "softmax"):
            arguments = ["train", DATA, "--multiclass", kind, "--solver", "s3gd", "--passes", "1e9", "--tol", "0",
                         "--checkpoint", kind, "--checkpoint-every", "0"]
            self.run_program(*arguments, "--seconds", "0.3", expect=3)
            self.assertTrue(os.path.exists(self.path(kind)))
            self.assertIn("--resume", self.error_of(*arguments, "--seconds", "0.3"))
            self.assertIn("--lambda", self.error_of(*arguments, "--resume", "--lambda", "0.3"))
            other = "softmax" if kind == "ovr" else "ovr"
            self.error_of("train", DATA, "--multiclass", other, "--checkpoint", kind, "--resume")

    def test_a_finished_run_leaves_none(self):
        for kind in ("ovr", "softmax"):
            self.run_program("train", DATA, "--multiclass", kind, "--checkpoint", "c", "--checkpoint-every", "0")
            self.assertFalse(os.path.exists(self.path("c")))


class EarlyStop(ProgramTest):
    def test_both_kinds_stop_and_say_so(self):
        for kind, solver in (("ovr", "auto"), ("ovr", "svrg"), ("softmax", "auto"), ("softmax", "s3gd")):
            result = self.run_json("train", "gen:manifold?rows=160&cols=60&noise=0.5&classes=3", "--lambda", "1e-9",
                                   "--validate", "0.5", "--early-stop", "--patience", "2", "--tol", "1e-12", "--solver",
                                   solver, "--multiclass", kind, "--passes", "4000")
            self.assertEqual(result["status"], "early_stopped", (kind, solver))

    def test_validation_rows_may_lack_a_class(self):
        rows = [f"{'abc'[i % 3]},{i % 7},{(i * i) % 11}" for i in range(90)]
        self.write("train.csv", "label,x,y\n" + "\n".join(rows) + "\n")
        self.write("test.csv", "label,x,y\n" + "\n".join(row for row in rows[:30] if not row.startswith("b")) + "\n")
        for kind in ("ovr", "softmax"):
            self.run_json("train", "train.csv", "--multiclass", kind, "--validate", "test.csv", "--early-stop")
        self.write("other.csv", "label,x,y\nd,1,2\na,3,4\n")
        for kind in ("ovr", "softmax"):
            rows = self.run_json("train", "train.csv", "--multiclass", kind, "--validate", "other.csv")["validation"]
            self.assertEqual(rows["rows"], 1)  # the other one's class is unknown
        self.write("other.csv", "label,x,y\nd,1,2\n")
        self.error_of("train", "train.csv", "--validate", "other.csv")


class WarmStart(ProgramTest):
    CSV = "label,a,b,c\n" + "".join(f"{'xyz'[(i + i // 5) % 3]},{i % 7},{i % 5 - 2},{(i * i) % 11}\n" for i in range(200))

    def test_a_fit_that_begins_at_its_optimum_has_nothing_to_do(self):
        self.write("d.csv", self.CSV)
        for kind, solver in (("ovr", "newton"), ("softmax", "prox-newton")):
            for scale in ("none", "standard", "max-abs"):
                options = ["train", "d.csv", "--multiclass", kind, "--scale", scale, "--solver", solver]
                cold = self.run_json(*options, "--tol", "1e-8", "-o", "m")
                warm = self.run_json(*options, "--tol", "1e-7", "--warm-start", "m")
                self.assertGreater(cold["iterations"], 1)
                self.assertLessEqual(warm["iterations"], 0 if kind == "ovr" else 1)
                self.assertAlmostEqual(warm["objective"], cold["objective"], places=8)

    def test_a_model_of_other_classes_is_refused(self):
        self.write("d.csv", self.CSV)
        self.run_program("train", "d.csv", "-o", "m")
        self.write("other.csv", self.CSV.replace("\nx,", "\nw,"))
        for kind in ("ovr", "softmax"):
            self.assertIn("the class w", self.error_of("train", "other.csv", "--multiclass", kind, "--warm-start", "m"))


class ClassWeight(ProgramTest):
    def test_a_file_weighs_classes_as_rows_would(self):
        rows = [f"{('yes', 'no', 'maybe')[(i + i // 5) % 3 if i % 4 else 2]},{i % 7},{(i * i) % 11}" for i in range(90)]
        repeated = rows + [row for row in rows if row.startswith("no")] + [row for row in rows if row.startswith("maybe")] * 2
        self.write("d.csv", "label,a,b\n" + "\n".join(rows) + "\n")
        self.write("more.csv", "label,a,b\n" + "\n".join(repeated) + "\n")
        self.write("w.txt", "no 2\nmaybe 3\n")
        self.write("w.json", json.dumps({"no": 4, "yes": 2, "maybe": 6}))
        for kind in ("ovr", "softmax"):
            options = ["--multiclass", kind, "--tol", "1e-10"]
            more = self.run_json("train", "more.csv", *options)["objective"]
            for name in ("w.txt", "w.json"):
                weighted = self.run_json("train", "d.csv", *options, "--class-weight", name)["objective"]
                self.assertAlmostEqual(weighted, more, places=8)
            self.assertNotAlmostEqual(self.run_json("train", "d.csv", *options)["objective"], more, places=4)

    def test_paths_weigh_them_too(self):
        self.write("w.txt", "0 3\n2 0.5\n")
        options = [DATA, "--penalty", "l1", "--class-weight", "w.txt", "--tol", "1e-8"]
        point = self.run_json("path", *options, "--lambda", "0.01")["points"][0]
        single = self.run_json("train", *options, "--lambda", "0.01")
        self.assertAlmostEqual(point["objective"], single["objective"], places=7)


class Calibrate(ProgramTest):
    def test_regression_is_refused_before_it_is_fitted(self):
        message = self.error_of("train", "gen:manifold?rows=200&cols=4", "--loss", "squared", "--calibrate", "0.2", "-o",
                                "m", expect=2)
        self.assertIn("--calibrate", message)
        self.assertFalse(os.path.exists(self.path("m")))


if __name__ == "__main__":
    unittest.main()
