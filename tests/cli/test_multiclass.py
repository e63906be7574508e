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


class ManyClasses(ProgramTest):
    def words(self, name="words.csv", rows=90):
        lines = [f"{WORDS[i % 3]},{(i % 3 == 0) * 2 + i % 5 * 0.1:g},{(i % 3 == 1) * 2 + i % 7 * 0.1:g}\n" for i in range(rows)]
        return self.write(name, "kind,a,b\n" + "".join(lines))

    def check_predictions(self, *options):
        self.words()
        self.run_program("train", "words.csv", "--label-column", "kind", "-o", "m.model", *options)
        self.run_program("predict", "m.model", "words.csv", "-o", "out.txt")
        self.assertEqual(self.read("out.txt").decode().splitlines(), [WORDS[i % 3] for i in range(90)])
        out, _ = self.run_program("predict", "m.model", "words.csv", "--proba")
        for line in out.splitlines():
            numbers = [float(word) for word in line.replace(",", " ").split() if word[0].isdigit()]
            self.assertTrue(not numbers or abs(sum(numbers) - 1) < 1e-9, line)

    def check_ctrl_c(self, *options):
        process = subprocess.Popen([PROGRAM, "train", DATA, "--passes", "1e9", "--tol", "0", "-o", "m.model", "--json", *options],
                                   env=self.environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        result = json.loads(out)
        self.assertEqual(result["status"], "interrupted")
        self.run_program("predict", "m.model", DATA)
        return result


class Choice(ManyClasses):
    def test_logistic_regression_is_softmax_and_the_rest_one_vs_rest(self):
        for options, kind in (([], "softmax"), (["--penalty", "l1"], "softmax"), (["--class-weight", "balanced"], "softmax"),
                              (["--loss", "smooth-hinge"], "ovr"), (["--solver", "sgd"], "ovr"),
                              (["--penalty", "l1-l2norm"], "ovr"), (["--penalty", "l1+l2"], "ovr"),
                              (["--loss", "softmax"], "softmax"), (["--penalty", "group"], "softmax"),
                              (["--multiclass", "softmax", "--solver", "s3gd"], "softmax")):
            result = self.run_json("train", DATA, "--tol", "0.5", *options)
            self.assertEqual(result["multiclass"], kind, options)
            self.assertEqual(result["classes"], 6)

    def test_words_and_the_squared_loss_are_classes_and_numbers_a_regression(self):
        self.words()
        words = self.run_json("train", "words.csv", "--label-column", "kind", "--loss", "squared")
        self.assertEqual(words["multiclass"], "ovr")
        self.assertNotIn("multiclass", self.run_json("train", DATA, "--loss", "squared"))
        classes = self.run_json("train", DATA, "--loss", "squared", "--multiclass", "ovr")
        self.assertEqual(len(classes["class_fits"]), 6)

    def test_two_classes_are_one_binary_problem(self):
        result = self.run_json("train", "gen:manifold?rows=300&cols=5", "--multiclass", "ovr")
        self.assertNotIn("multiclass", result)

    def test_the_paper_switch_takes_the_largest_class_unless_all_are_asked_for(self):
        options = ["--paper", "--solver", "newton"]
        self.assertNotIn("multiclass", self.run_json("train", DATA, *options))
        self.assertEqual(self.run_json("train", DATA, *options, "--multiclass", "ovr")["multiclass"], "ovr")

    def test_options_that_contradict_each_other_are_usage_errors(self):
        for options, phrase in ((["--multiclass", "ovr", "--binary", "1"], "excludes"), (["--multiclass", "one"], "ovr"),
                                (["--penalty", "group", "--multiclass", "ovr"], "leave out --multiclass"),
                                (["--loss", "softmax", "--multiclass", "ovr"], "leave out --multiclass"),
                                (["--penalty", "nuclear", "--binary", "1"], "leave out --binary"),
                                (["--penalty", "nuclear", "--C", "1"], "--lambda"),
                                (["--loss", "squared-hinge", "--multiclass", "softmax"], "--multiclass ovr"),
                                (["--loss", "softmaxx"], "unknown")):
            self.assertIn(phrase, self.error_of("train", DATA, *options, expect=2))

    def test_what_only_softmax_has_is_listed(self):
        for what, names in (("losses", ["softmax"]), ("penalties", ["group", "nuclear"]),
                            ("solvers", ["quasi-newton", "prox-newton"])):
            out, _ = self.run_program("list", what)
            for name in names:
                self.assertIn(name, out)


class Softmax(ManyClasses):
    def test_labels_and_probabilities_come_back_as_they_were(self):
        self.check_predictions("--multiclass", "softmax")
        self.check_predictions("--penalty", "group", "--lambda", "1e-3")

    def test_two_classes_are_logistic_regression_with_half_the_lambda(self):
        two = "gen:manifold?rows=300&cols=5"
        softmax = self.run_json("train", two, "--loss", "softmax", "--lambda", "0.02", "--tol", "1e-10", "-o", "s.model")
        logistic = self.run_json("train", two, "--lambda", "0.01", "--tol", "1e-10", "-o", "l.model")
        self.assertEqual(softmax["multiclass"], "softmax")
        self.assertAlmostEqual(softmax["objective"], logistic["objective"], places=8)
        margins = [[float(u) for u in self.run_program("predict", model, two, "--margin")[0].split()]
                   for model in ("s.model", "l.model")]
        for a, b in zip(*margins):
            self.assertAlmostEqual(a, b, places=3)

    def test_a_nuclear_norm_reports_the_rank(self):
        ranks = [self.run_json("train", DATA, "--penalty", "nuclear", "--lambda", strength)["rank"]
                 for strength in ("1e-5", "0.03", "10")]
        self.assertEqual((ranks[0], ranks[2]), (5, 0))  # probabilities leave one direction free
        self.assertTrue(0 < ranks[1] < 5, ranks)
        self.assertIn("rank", self.run_program("train", DATA, "--penalty", "nuclear", "--lambda", "0.03")[0])
        self.assertNotIn("rank", self.run_json("train", DATA))

    def test_the_model_is_the_same_at_any_thread_count(self):
        models = []
        for threads in ("1", "2", "7"):
            self.run_program("train", DATA, "--multiclass", "softmax", "--threads", threads, "-o", "m.model")
            models.append(self.read("m.model"))
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])

    def last_test_objective(self):
        with open(self.path("t.csv"), newline="") as file:
            return float(list(csv.DictReader(file))[-1]["test_objective"])

    def test_the_trace_and_validation_rows(self):
        self.run_program("train", DATA, "--trace", "t.csv", "--validate", "0.2")
        self.assertGreater(self.last_test_objective(), 0)
        self.words()
        self.words("few.csv", rows=2)  # they lack classes
        self.run_program("train", "words.csv", "--label-column", "kind", "--validate", "few.csv", "--trace", "t.csv")
        self.assertGreater(self.last_test_objective(), 0)

    def test_ctrl_c_keeps_the_model_so_far(self):
        self.check_ctrl_c("--multiclass", "softmax", "--solver", "s3gd")


class OneVsRest(ManyClasses):
    def test_every_class_is_reported_and_the_whole_is_their_sum(self):
        result = self.run_json("train", DATA, "--multiclass", "ovr")
        self.assertEqual((result["status"], result["multiclass"], result["classes"]), ("converged", "ovr", 6))
        fits = result["class_fits"]
        self.assertEqual([fit["class"] for fit in fits], ["0", "1", "2", "3", "4", "5"])
        self.assertAlmostEqual(result["objective"], sum(fit["objective"] for fit in fits), places=12)
        gaps = [fit["certificate"]["relative_gap"] for fit in fits]
        self.assertEqual(result["certificate"]["relative_gap"], max(gaps))
        self.assertLessEqual(max(gaps), 1e-4)
        out, _ = self.run_program("train", DATA, "--multiclass", "ovr")
        self.assertIn("6, one-vs-rest", out)
        self.assertEqual(out.count("converged"), 7)

    def test_each_class_has_the_objective_of_its_binary_fit(self):
        fits = self.run_json("train", DATA, "--multiclass", "ovr", "--loss", "smooth-hinge")["class_fits"]
        for fit in fits[:2]:
            alone = self.run_json("train", DATA, "--binary", fit["class"], "--loss", "smooth-hinge")
            self.assertAlmostEqual(fit["objective"], alone["objective"], delta=1e-4 * alone["objective"])  # --tol
            self.assertNotIn("multiclass", alone)

    def test_the_model_is_the_same_at_any_thread_count(self):
        models = []
        for threads in ("1", "2", "7"):
            self.run_program("train", DATA, "--multiclass", "ovr", "--threads", threads, "-o", "m.model")
            models.append(self.read("m.model"))
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])

    def test_words_are_kept_in_the_predictions(self):
        self.check_predictions("--multiclass", "ovr")
        result = self.run_json("train", "words.csv", "--label-column", "kind", "--multiclass", "ovr")
        self.assertEqual([fit["class"] for fit in result["class_fits"]], sorted(WORDS))

    def test_a_saved_graph_serves_every_class(self):
        options = ["--solver", "s3gd", "--passes", "3", "--tol", "1", "--order", "shuffled", "--anchors", "20"]
        self.run_program("graph", DATA, "-o", "g.graph", "--anchors", "20")
        self.run_program("train", DATA, *options, "--graph", "g.graph", "-o", "given.model")
        self.run_program("train", DATA, *options, "--graph-mode", "full", "-o", "built.model")
        self.assertEqual(self.read("given.model"), self.read("built.model"))

    def test_the_trace_names_the_class_before_the_stage(self):
        self.run_program("train", DATA, "--multiclass", "ovr", "--trace", "t.csv", "--validate", "0.2")
        with open(self.path("t.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(sorted({row["stage"].split(": ")[0] for row in rows}), ["0", "1", "2", "3", "4", "5"])

    def test_ctrl_c_keeps_every_class_so_far(self):
        for threads in ("1", "2"):
            result = self.check_ctrl_c("--solver", "sgd", "--threads", threads)
            self.assertEqual(len(result["class_fits"]), 6)

    def test_time_is_for_all_classes_together(self):
        result = self.run_json("train", DATA, "--solver", "sgd", "--passes", "1e9", "--tol", "0", "--seconds", "0.5",
                               "-o", "m.model", expect=3)
        self.assertEqual(result["status"], "out_of_time")
        self.assertTrue(any("6 of 6 classes" in text for text in result["advice"]))
        self.run_program("predict", "m.model", DATA)


class Usage(ProgramTest):
    def test_what_softmax_does_not_have_is_a_matter_of_usage(self):
        for arguments in (["--solver", "newton"], ["--penalty", "l1-l2norm"]):
            self.error_of("train", "gen:manifold?rows=90&cols=4&classes=3", "--multiclass", "softmax", *arguments, expect=2)
        message = self.error_of("path", "gen:manifold?rows=90&cols=4&classes=3", "--penalty", "group", "--solver", "lbfgs", expect=2)
        self.assertIn("prox-newton", message)


class Extremes(ProgramTest):
    def test_values_whose_squares_are_infinite_end_in_a_result(self):
        self.write("d.svm", "".join(f"{i % 3} 1:{(i % 7) * 1e30:g} 2:{i % 3}e20\n" for i in range(40)))
        for penalty in ("l2", "l1", "group", "nuclear"):
            result = self.run_json("train", "d.svm", "--penalty", penalty, "-o", "m", expect=3)
            self.assertIn("--scale", " ".join(result["advice"]))
            self.run_program("predict", "m", "d.svm")


if __name__ == "__main__":
    unittest.main()
