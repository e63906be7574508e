"""train --calibrate: probabilities for losses that have none."""
import math
import unittest

from program import ProgramTest

TRAIN = "gen:imbalanced?rows=3000&cols=6&ratio=3&separation=2&seed=1"
HINGE = ["--loss", "squared-hinge"]


class Calibrate(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_program("convert", TRAIN, "train.s3d", "--split", "0.3", "--split-out", "test.s3d")

    def test_a_hinge_loss_has_probabilities_when_asked_for(self):
        self.run_program("train", "train.s3d", *HINGE, "-o", "plain.model")
        self.assertIn("no probabilities", self.error_of("predict", "plain.model", "test.s3d", "--proba"))
        result = self.run_json("train", "train.s3d", *HINGE, "--calibrate", "0.25", "-o", "m.model")
        self.assertEqual(result["rows"], 1575)  # three quarters of 2100
        lines, _ = self.run_program("predict", "m.model", "test.s3d", "--proba", "-o", "-")
        for line in lines.split():
            self.assertTrue(0 < float(line) < 1, line)

    def test_they_are_nearly_as_good_as_those_of_the_logistic_loss(self):
        self.run_program("train", "train.s3d", "-o", "logistic.model")
        self.run_program("train", "train.s3d", *HINGE, "--calibrate", "0.25", "-o", "m.model")
        logistic = self.run_json("predict", "logistic.model", "test.s3d")["log_loss"]
        hinge = self.run_json("predict", "m.model", "test.s3d")["log_loss"]
        share = 0.25
        constant = -share * math.log(share) - (1 - share) * math.log(1 - share)
        self.assertLess(hinge, constant - 0.8 * (constant - logistic))

    def test_of_many_classes_they_sum_to_one(self):
        data = "gen:manifold?rows=800&cols=8&classes=5"
        self.run_program("train", data, *HINGE, "--multiclass", "ovr", "--calibrate", "0.3", "-o", "m.model")
        lines = self.run_program("predict", "m.model", data, "--proba", "-o", "-")[0].splitlines()
        for line in lines:
            self.assertAlmostEqual(sum(map(float, line.split())), 1, places=12)
        self.assertLess(self.run_json("predict", "m.model", data)["log_loss"], math.log(5))

    def test_labels_are_those_of_the_margins_and_rows_held_out_do_not_change_the_weights(self):
        self.run_program("train", "train.s3d", *HINGE, "--calibrate", "0.25", "-o", "m.model")
        self.run_program("train", "train.s3d", *HINGE, "--validate", "0.25", "-o", "same_rows.model")
        for what in ([], ["--margin"]):
            one, _ = self.run_program("predict", "m.model", "test.s3d", "-o", "-", *what)
            other, _ = self.run_program("predict", "same_rows.model", "test.s3d", "-o", "-", *what)
            self.assertEqual(one, other)

    def test_the_model_is_the_same_at_any_thread_count(self):
        models = []
        for threads in ("1", "2", "7"):
            self.run_program("train", "train.s3d", *HINGE, "--calibrate", "0.25", "--threads", threads, "-o", "m.model")
            models.append(self.read("m.model"))
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])

    def test_scaled_columns_are_calibrated_as_they_are_in_the_file(self):
        self.run_program("train", "train.s3d", *HINGE, "--scale", "standard", "--calibrate", "0.25", "-o", "m.model")
        self.run_program("train", "train.s3d", *HINGE, "--calibrate", "0.25", "-o", "plain.model")
        scaled = self.run_json("predict", "m.model", "test.s3d")["log_loss"]
        plain = self.run_json("predict", "plain.model", "test.s3d")["log_loss"]
        self.assertLess(abs(scaled - plain), 0.02 * plain)

    def test_what_it_cannot_do_is_refused(self):
        self.error_of("train", "train.s3d", "--calibrate", "1.5", expect=2)
        self.error_of("train", "train.s3d", "--calibrate", "-0.1", expect=2)
        self.assertIn("classes", self.error_of("train", "gen:regression?rows=50&cols=3", "--loss", "squared",
                                               "--calibrate", "0.2", "-o", "m.model", expect=2))
        self.assertIn("numbers", self.error_of("train", "train.s3d", "--loss", "squared", "--calibrate", "0.2",
                                               "-o", "m.model", expect=2))


if __name__ == "__main__":
    unittest.main()
