"""train --validate and compare --test: rows of classes that training did not have, and of one class alone."""
import csv
import unittest

from program import ProgramTest

ROWS = [(("no", "yes")[i % 2], i % 7 + i % 2, (i * i) % 11) for i in range(80)]


def text(rows):
    return "label,a,b\n" + "".join(f"{label},{a},{b}\n" for label, a, b in rows)


class Classes(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("d.csv", text(ROWS))
        self.write("known.csv", text(ROWS[:30]))
        self.write("more.csv", text(ROWS[:30] + [("maybe", 1, 2)] * 9))
        self.write("one.csv", text([row for row in ROWS if row[0] == "no"]))
        self.write("other.csv", text([("maybe", 1, 2)] * 9))

    def traced(self, validate, *arguments):
        """The last loss on the rows to validate on, and what was said."""
        _, said = self.run_program("train", "d.csv", "--validate", validate, "--trace", "t.csv", *arguments)
        with open(self.path("t.csv"), newline="") as file:
            return float(list(csv.DictReader(file))[-1]["test_objective"]), said

    def test_unknown_classes_are_left_out_and_counted(self):
        for arguments in ([], ["--multiclass", "softmax"], ["--multiclass", "ovr", "--solver", "newton"],
                          ["--class-weight", "balanced"]):
            known, quiet = self.traced("known.csv", *arguments)
            more, said = self.traced("more.csv", *arguments)
            self.assertEqual(known, more, arguments)
            self.assertIn("9 of 39 rows", said)
            self.assertNotIn("left out", quiet)
            self.assertIn("none of the rows", self.error_of("train", "d.csv", "--validate", "other.csv", *arguments))

    def test_one_against_the_rest_knows_every_class(self):
        self.write("three.csv", text(ROWS + [("maybe", i % 3, i % 2) for i in range(40)]))
        rest, said = self.traced("more.csv", "--binary", "no")
        self.assertIn("9 of 39 rows", said)  # two classes: as predict sees it
        self.run_program("train", "three.csv", "--binary", "no", "--validate", "other.csv")

    def test_one_class_is_enough(self):
        for arguments in ([], ["--multiclass", "softmax"], ["--binary", "no"], ["--binary", "yes"]):
            loss, said = self.traced("one.csv", *arguments)
            self.assertGreater(loss, 0)
            self.assertNotIn("left out", said)
        yes, _ = self.traced("one.csv", "--binary", "yes")
        no, _ = self.traced("one.csv", "--binary", "no")
        self.assertAlmostEqual(yes, no, places=2)
        self.run_program("train", "d.csv", "--validate", "0.0001")

    def test_a_training_set_of_one_class_is_still_refused(self):
        self.assertIn("two classes", self.error_of("train", "one.csv"))

    def test_numbers_that_are_no_fraction(self):
        for value in ("1.5", "0", "1", "-0.5"):
            self.assertIn("fraction", self.error_of("train", "d.csv", f"--validate={value}", expect=2))
        self.write("7", text(ROWS))
        self.run_program("train", "d.csv", "--validate", "7")

    def test_compare(self):
        arguments = ["--solvers", "sgd", "--steps", "1", "--trials", "1", "--iterations", "20", "--tail", "5", "--no-pages"]
        known = self.run_json("compare", "d.csv", "--test", "known.csv", "-o", "k", *arguments)["datasets"][0]
        more = self.run_json("compare", "d.csv", "--test", "more.csv", "-o", "m", *arguments)
        self.assertEqual(more["datasets"][0]["test_at_optimum"], known["test_at_optimum"])
        self.assertEqual((more["datasets"][0]["test_rows"], more["datasets"][0]["test_rows_left_out"]), (30, 9))
        self.assertIn("9 test rows", " ".join(more["notes"]))
        self.run_program("compare", "d.csv", "--test", "one.csv", "-o", "o", *arguments)


class Reported(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("d.csv", text(ROWS))
        self.write("three.csv", text(ROWS + [("maybe", i % 3, i % 2) for i in range(40)]))
        self.write("v.csv", text(ROWS[5:45] + [("never", 1, 1)] * 3))

    def test_the_loss_on_rows_to_validate_on(self):
        for data, arguments in (("d.csv", []), ("d.csv", ["--multiclass", "softmax"]), ("three.csv", ["--multiclass", "softmax"])):
            result = self.run_json("train", data, "--validate", "v.csv", "-o", "m", *arguments)
            self.write("known.csv", text(ROWS[5:45]))
            judged = self.run_json("predict", "m", "known.csv", "--metrics", "log-loss")
            self.assertEqual((result["validation"]["rows"], result["validation"]["left_out"]), (40, 3))
            self.assertAlmostEqual(result["validation"]["loss"], judged["log_loss"], places=5)
        out, _ = self.run_program("train", "d.csv", "--validate", "v.csv")
        self.assertRegex(out, r"validation +mean loss 0\.\d+ over 40 rows \(3 left out\)")
        self.assertNotIn("validation", self.run_json("train", "d.csv"))

    def test_one_vs_rest_adds_up_its_classes(self):
        result = self.run_json("train", "three.csv", "--validate", "v.csv", "--multiclass", "ovr")
        alone = [self.run_json("train", "three.csv", "--validate", "v.csv", "--binary", name)["validation"]
                 for name in ("maybe", "no", "yes")]
        # One against the rest knows every label: the three rows of no class count there, and not here.
        self.assertEqual([one["rows"] for one in alone], [43, 43, 43])
        self.write("v.csv", text(ROWS[5:45]))
        alone = [self.run_json("train", "three.csv", "--validate", "v.csv", "--binary", name)["validation"]["loss"]
                 for name in ("maybe", "no", "yes")]
        self.assertAlmostEqual(result["validation"]["loss"], sum(alone), places=3)

    def test_early_stopping_reports_the_best(self):
        arguments = ["train", "gen:manifold?rows=120&cols=60&noise=0.5", "--lambda", "1e-9", "--validate", "0.5",
                     "--early-stop", "--patience", "2", "--tol", "1e-12", "--solver", "svrg", "--passes", "4000"]
        result = self.run_json(*arguments, "--trace", "t.csv")
        with open(self.path("t.csv"), newline="") as file:
            losses = [float(row["test_objective"]) for row in csv.DictReader(file)]
        self.assertLess(result["validation"]["loss"], losses[-1])
        self.assertAlmostEqual(result["validation"]["loss"], min(losses), places=4)

    def test_calibration(self):
        self.write("big.csv", text(ROWS * 2))
        for arguments, outputs in ((["--loss", "squared-hinge"], 1),):
            result = self.run_json("train", "big.csv", "--calibrate", "0.25", "-o", "m", *arguments)["calibration"]
            self.assertEqual((result["rows"], len(result["a"]), len(result["b"])), (40, outputs, outputs))
            exported, _ = self.run_program("export", "m", "--format", "json")
            self.assertIn(repr(result["a"][0]), exported)
        out, said = self.run_program("train", "big.csv", "--calibrate", "0.25", "--loss", "squared-hinge")
        self.assertIn("probabilities", out)
        self.assertNotIn("too few", said)

    def test_too_few_rows_to_calibrate_on(self):
        self.assertIn("larger fraction", self.error_of("train", "d.csv", "--calibrate", "0.001", "--loss", "squared-hinge"))
        _, said = self.run_program("train", "d.csv", "--calibrate", "0.1", "--loss", "squared-hinge")
        self.assertIn("too few", said)


class Trace(ProgramTest):
    def test_fields_are_quoted(self):
        names = ["setosa", "virginica,x", 'say "so"']
        self.write("d.csv", "label,a,b\n" + "".join(f'"{names[i % 3].replace(chr(34), 2 * chr(34))}",{i % 7},{i * i % 11}\n'
                                                    for i in range(90)))
        self.run_program("train", "d.csv", "--multiclass", "ovr", "--trace", "t.csv", "--solver", "newton")
        with open(self.path("t.csv"), newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual({len(row) for row in rows}, {11})
        self.assertTrue(any("virginica,x" in row[-1] for row in rows))


if __name__ == "__main__":
    unittest.main()
