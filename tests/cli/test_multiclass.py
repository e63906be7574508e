"""train and predict on more than two classes, as a user runs them."""
import csv
import json
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

DATA = "gen:manifold?rows=900&cols=10&classes=6"
WORDS = ["ham", "largest", "spam eggs"]


class OneVsRest(ProgramTest):
    def words(self, name="words.csv", rows=90):
        lines = [f"{WORDS[i % 3]},{(i % 3 == 0) * 2 + i % 5 * 0.1:g},{(i % 3 == 1) * 2 + i % 7 * 0.1:g}\n" for i in range(rows)]
        return self.write(name, "kind,a,b\n" + "".join(lines))

    def test_more_than_two_classes_are_fitted_each_against_the_rest_and_the_output_says_so(self):
        result = self.run_json("train", DATA)
        self.assertEqual((result["status"], result["multiclass"], result["classes"]), ("converged", "ovr", 6))
        fits = result["class_fits"]
        self.assertEqual([fit["class"] for fit in fits], ["0", "1", "2", "3", "4", "5"])
        self.assertAlmostEqual(result["objective"], sum(fit["objective"] for fit in fits), places=12)
        gaps = [fit["certificate"]["relative_gap"] for fit in fits]
        self.assertEqual(result["certificate"]["relative_gap"], max(gaps))
        self.assertLessEqual(max(gaps), 1e-4)
        out, _ = self.run_program("train", DATA)
        self.assertIn("6, one-vs-rest", out)
        self.assertEqual(out.count("converged"), 7)

    def test_each_class_has_the_objective_of_its_binary_fit(self):
        fits = self.run_json("train", DATA, "--multiclass", "ovr", "--loss", "smooth-hinge")["class_fits"]
        for fit in fits[:2]:
            alone = self.run_json("train", DATA, "--binary", fit["class"], "--loss", "smooth-hinge")
            self.assertEqual(fit["objective"], alone["objective"])
            self.assertNotIn("multiclass", alone)

    def test_the_model_is_the_same_at_any_thread_count(self):
        models = []
        for threads in ("1", "2", "7"):
            self.run_program("train", DATA, "--threads", threads, "-o", "m.model")
            models.append(self.read("m.model"))
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])

    def test_words_are_kept_in_the_predictions(self):
        self.words()
        result = self.run_json("train", "words.csv", "--label-column", "kind", "-o", "m.model")
        self.assertEqual([fit["class"] for fit in result["class_fits"]], sorted(WORDS))
        self.run_program("predict", "m.model", "words.csv", "-o", "out.txt")
        self.assertEqual(self.read("out.txt").decode().splitlines(), [WORDS[i % 3] for i in range(90)])

    def test_words_and_the_squared_loss_are_classes_and_numbers_a_regression(self):
        self.words()
        self.assertEqual(self.run_json("train", "words.csv", "--label-column", "kind", "--loss", "squared")["multiclass"], "ovr")
        regression = self.run_json("train", DATA, "--loss", "squared")
        self.assertNotIn("multiclass", regression)
        classes = self.run_json("train", DATA, "--loss", "squared", "--multiclass", "ovr")
        self.assertEqual(len(classes["class_fits"]), 6)

    def test_two_classes_are_one_binary_problem(self):
        result = self.run_json("train", "gen:manifold?rows=300&cols=5", "--multiclass", "ovr")
        self.assertNotIn("multiclass", result)

    def test_the_paper_switch_takes_the_largest_class_unless_all_are_asked_for(self):
        options = ["--paper", "--solver", "newton"]
        self.assertNotIn("multiclass", self.run_json("train", DATA, *options))
        self.assertEqual(self.run_json("train", DATA, *options, "--multiclass", "ovr")["multiclass"], "ovr")

    def test_one_class_or_all_not_both(self):
        self.assertIn("excludes", self.error_of("train", DATA, "--multiclass", "ovr", "--binary", "1", expect=2))
        self.assertIn("ovr", self.error_of("train", DATA, "--multiclass", "one", expect=2))

    def test_a_saved_graph_serves_every_class(self):
        options = ["--solver", "s3gd", "--passes", "3", "--tol", "1", "--order", "shuffled", "--anchors", "20"]
        self.run_program("graph", DATA, "-o", "g.graph", "--anchors", "20")
        self.run_program("train", DATA, *options, "--graph", "g.graph", "-o", "given.model")
        self.run_program("train", DATA, *options, "--graph-mode", "full", "-o", "built.model")
        self.assertEqual(self.read("given.model"), self.read("built.model"))

    def test_the_trace_names_the_class_before_the_stage(self):
        self.run_program("train", DATA, "--trace", "t.csv", "--validate", "0.2")
        with open(self.path("t.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(sorted({row["stage"].split(": ")[0] for row in rows}), ["0", "1", "2", "3", "4", "5"])

    def test_ctrl_c_keeps_every_class_so_far(self):
        for threads in ("1", "2"):
            process = subprocess.Popen(
                [PROGRAM, "train", DATA, "--solver", "sgd", "--passes", "1e9", "--tol", "0", "-o", "m.model", "--json",
                 "--threads", threads], env=self.environment, cwd=self.folder, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL)
            time.sleep(1.0)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
            result = json.loads(out)
            self.assertEqual(result["status"], "interrupted")
            self.assertEqual(len(result["class_fits"]), 6)
            self.run_program("predict", "m.model", DATA)

    def test_time_is_for_all_classes_together(self):
        result = self.run_json("train", DATA, "--solver", "sgd", "--passes", "1e9", "--tol", "0", "--seconds", "0.5",
                               "-o", "m.model", expect=3)
        self.assertEqual(result["status"], "out_of_time")
        self.assertTrue(any("6 of 6 classes" in text for text in result["advice"]))
        self.run_program("predict", "m.model", DATA)


if __name__ == "__main__":
    unittest.main()
