"""path and cv with more than two classes, as a user runs them."""
import os
import unittest

from program import ProgramTest

DATA = "gen:manifold?rows=400&cols=8&classes=4"


class Path(ProgramTest):
    def test_every_point_is_what_train_finds(self):
        for options in (["--penalty", "l1"], ["--penalty", "group"], ["--penalty", "nuclear"], ["--penalty", "l2"],
                        ["--multiclass", "ovr", "--penalty", "l1"],
                        ["--multiclass", "ovr", "--loss", "squared-hinge", "--penalty", "l2"]):
            result = self.run_json("path", DATA, *options, "--lambda", "0.05,0.01", "--tol", "1e-7")
            self.assertEqual(result["status"], "converged", options)
            self.assertEqual(result["classes"], ["0", "1", "2", "3"])
            for point in result["points"]:
                single = self.run_json("train", DATA, *options, "--lambda", repr(point["lambda"]), "--tol", "1e-7")
                self.assertEqual(result["multiclass"], single["multiclass"])
                self.assertAlmostEqual(point["objective"], single["objective"], delta=1e-6, msg=options)
                self.assertEqual(point.get("rank"), single.get("rank"))
                self.assertEqual(len(point["intercepts"]), 4)

    def test_the_grid_begins_where_no_feature_has_a_weight(self):
        for options in (["--penalty", "group"], ["--penalty", "nuclear"], ["--multiclass", "ovr", "--penalty", "l1"]):
            result = self.run_json("path", DATA, *options, "--lambdas", "4", "--ratio", "0.1", "--weights")
            first, last = result["points"][0], result["points"][-1]
            self.assertEqual(first["lambda"], result["lambda_max"])
            self.assertEqual((first["nonzeros"], first["features"]), (0, 0))
            self.assertGreater(last["features"], 0)
            self.assertEqual([one["class"] for one in last["weights"]], result["classes"])
            self.assertEqual(sum(len(one["values"]) for one in last["weights"]), last["nonzeros"])

    def test_the_model_written_is_one_of_all_classes(self):
        for options in (["--penalty", "group"], ["--multiclass", "ovr", "--penalty", "l1"]):
            self.run_program("path", DATA, *options, "--scale", "standard", "--lambda", "0.02,0.005", "--choose", "0.005",
                             "--tol", "1e-8", "-o", "p.model")
            self.run_program("train", DATA, *options, "--scale", "standard", "--lambda", "0.005", "--tol", "1e-8", "-o",
                             "t.model")
            ours, single = (self.run_json("inspect", name) for name in ("p.model", "t.model"))
            self.assertEqual(ours["classes"], single["classes"])
            self.assertEqual(ours["penalty"], single["penalty"])
            self.run_program("predict", "p.model", DATA, "--margin", "-o", "p.txt")
            self.run_program("predict", "t.model", DATA, "--margin", "-o", "t.txt")
            for a, b in zip(self.read("p.txt").split(), self.read("t.txt").split()):
                self.assertAlmostEqual(float(a), float(b), delta=0.01)

    def test_a_lambda_that_does_nothing_is_advised_against(self):
        result = self.run_json("path", DATA, "--penalty", "group", "--lambda", "5,0.01")
        self.assertIn("1 of 2 lambdas are above", result["advice"][0])


class CrossValidation(ProgramTest):
    def test_scores_choices_model_and_page(self):
        for options, metric in ((["--penalty", "l1"], "log-loss"), (["--multiclass", "ovr"], "log-loss"),
                                (["--multiclass", "ovr", "--loss", "squared-hinge"], "accuracy"),
                                (["--penalty", "nuclear", "--metric", "balanced-accuracy"], "balanced-accuracy")):
            result = self.run_json("cv", DATA, *options, "--lambdas", "4", "--ratio", "1e-2", "--folds", "3", "-o",
                                   "m.model", "--report", "cv.html")
            self.assertEqual(result["metric"], metric)
            self.assertEqual([len(point["scores"]) for point in result["points"]], [3] * 4)
            means = [point["mean"] for point in result["points"]]
            best = min(means) if metric == "log-loss" else max(means)
            self.assertEqual(result["best"]["mean"], best)
            self.assertLessEqual(result["one_standard_error"]["index"], result["best"]["index"])
            self.assertEqual(self.run_json("inspect", "m.model")["classes"], result["classes"])
            self.assertTrue(os.path.exists(self.path("cv.html")))

    def test_a_metric_that_makes_no_sense_is_refused(self):
        self.assertIn("two classes", self.error_of("cv", DATA, "--metric", "auc"))
        self.assertIn("classes", self.error_of("cv", DATA, "--metric", "rmse"))
        self.assertIn("probabilities", self.error_of("cv", DATA, "--multiclass", "ovr", "--loss", "squared-hinge",
                                                     "--metric", "log-loss"))
        self.write("d.csv", "label,a\n" + "".join(f"{'abc'[min(2, i % 7)]},{i}\n" for i in range(8)))
        self.assertIn("class", self.error_of("cv", "d.csv", "--folds", "5"))

    def test_threads_change_nothing(self):
        for options in (["--penalty", "group"], ["--multiclass", "ovr", "--penalty", "l1"]):
            results = [self.run_json("cv", DATA, *options, "--lambdas", "3", "--threads", threads)
                       for threads in ("1", "2", "7")]
            for result in results:
                self.assertEqual([point["scores"] for point in result["points"]],
                                 [point["scores"] for point in results[0]["points"]])


if __name__ == "__main__":
    unittest.main()
