"""path and cv, as a user runs them."""
import html.parser
import json
import math
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

DATA = "gen:manifold?rows=600&cols=12"
REAL = "gen:regression?rows=400&cols=8"


class Cells(html.parser.HTMLParser):
    """The cells of a page's tables, row by row."""

    def __init__(self, page):
        super().__init__()
        self.rows, self.inside = [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        if tag == "td" or dict(attributes).get("scope") == "row":
            self.inside = True
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def table_of(page):
    return [row for row in Cells(page.decode()).rows if row]


def shown(value):
    return "%.6g" % value


class Path(ProgramTest):
    def test_the_json_holds_every_point(self):
        result = self.run_json("path", DATA, "--penalty", "l1", "--lambdas", "7", "--ratio", "0.01")
        self.assertEqual(result["status"], "converged")
        lambdas = [point["lambda"] for point in result["points"]]
        self.assertEqual(len(lambdas), 7)
        self.assertEqual(lambdas[0], result["lambda_max"])
        self.assertAlmostEqual(lambdas[-1] / lambdas[0], 0.01, places=12)
        self.assertEqual(result["points"][0]["nonzeros"], 0)
        self.assertGreater(result["points"][-1]["nonzeros"], 0)
        for point in result["points"]:
            self.assertLessEqual(point["relative_gap"], 1e-4)
            self.assertNotIn("weights", point)
        self.assertEqual(result["chosen"], {"index": 6, "lambda": lambdas[-1]})
        self.assertEqual(set(result["seconds"]), {"load", "solve", "total"})

    def test_every_point_is_what_train_finds(self):
        for penalty in ("l1", "elastic-net", "l1-l2norm", "l2", "l1+l2"):
            result = self.run_json("path", DATA, "--penalty", penalty, "--lambda", "0.1,0.01,0.002", "--tol", "1e-8")
            for point in result["points"]:
                single = self.run_json("train", DATA, "--penalty", penalty, "--lambda", repr(point["lambda"]),
                                       "--tol", "1e-8")
                self.assertAlmostEqual(point["objective"], single["objective"], delta=1e-7, msg=penalty)

    def test_the_model_is_that_of_the_lambda_chosen(self):
        result = self.run_json("path", DATA, "--penalty", "l1", "--lambdas", "5", "--choose", "0.004", "--weights",
                               "-o", "m.model")
        chosen = result["points"][result["chosen"]["index"]]
        self.assertEqual(chosen["lambda"], 0.004)
        self.assertEqual(len(result["points"]), 6)
        self.assertEqual(len(chosen["weights"]["columns"]), chosen["nonzeros"])
        self.run_program("predict", "m.model", DATA, "--margin", "-o", "margins.txt")
        self.run_program("train", DATA, "--penalty", "l1", "--lambda", "0.004", "--tol", "1e-9", "-o", "t.model")
        self.run_program("predict", "t.model", DATA, "--margin", "-o", "train.txt")
        for ours, single in zip(self.read("margins.txt").split(), self.read("train.txt").split()):
            self.assertAlmostEqual(float(ours), float(single), delta=0.05)

    def test_the_page_has_the_numbers_of_the_json(self):
        result = self.run_json("path", DATA, "--penalty", "l1", "--lambdas", "6", "--report", "p.html")
        rows = table_of(self.read("p.html"))
        self.assertEqual(len(rows), 6)
        for row, point in zip(rows, result["points"]):
            self.assertEqual(row[:5], [shown(point["lambda"]), shown(point["objective"]),
                                       "%.3g" % point["relative_gap"], str(point["nonzeros"]), point["status"]])
        self.assertEqual(rows[-1][-1], "chosen")

    def test_the_table_on_the_terminal_has_a_line_for_each_lambda(self):
        out, _ = self.run_program("path", DATA, "--penalty", "l1", "--lambdas", "6")
        self.assertEqual(out.count("converged"), 7)
        self.assertEqual(out.count("<- chosen"), 1)

    def test_time_that_is_up_keeps_what_is_done(self):
        path = ("path", "gen:manifold?rows=20000&cols=60", "--penalty", "l1", "--tol", "1e-9")
        for seconds in ("0.1", "0.5", "2"):  # a busy machine may not get to the first lambda; none gets to the last
            result = self.run_json(*path, "--lambdas", "5000", "--seconds", seconds, "-o", "m.model", expect=3)
            if result["points"]:
                break
        self.assertEqual(result["status"], "out_of_time")
        self.assertLess(len(result["points"]), 5000)
        self.assertTrue(os.path.exists(self.path("m.model")))
        first = result["points"][:5]
        again = self.run_json(*path, "--lambda", ",".join(repr(point["lambda"]) for point in first))
        for ours, full in zip(first, again["points"]):
            self.assertEqual(ours["objective"], full["objective"])

    def test_an_interrupt_keeps_what_is_done(self):
        run = subprocess.Popen([PROGRAM, "path", "gen:manifold?rows=100000&cols=100", "--penalty", "l1", "--lambdas",
                                "2000", "--tol", "1e-9", "--json", "-o", "m.model"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, env=self.environment, cwd=self.folder)
        time.sleep(2)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, err)
        result = json.loads(out)
        if "points" in result:  # else it was still reading
            self.assertEqual(result["status"], "interrupted")
            self.assertTrue(os.path.exists(self.path("m.model")))

    def test_options_that_do_not_go_together(self):
        self.error_of("path", DATA, "--lambda", "0.1", "--lambdas", "5", expect=2)
        self.error_of("path", DATA, "--ratio", "0.1", "--lambda-min", "0.1", expect=2)
        self.error_of("path", DATA, "--lambda", "0.1,x", expect=2)
        self.error_of("path", DATA, "--lambdas", "1", expect=2)
        self.error_of("path", DATA, "-o", "-", expect=2)
        self.assertIn("no penalty", self.error_of("path", DATA, "--penalty", "none"))
        self.assertIn("smaller", self.error_of("path", DATA, "--penalty", "l1", "--lambda-min", "1000"))

    def test_a_configuration_file_may_hold_the_list(self):
        self.write("c.toml", '[path]\nlambda = [0.1, 0.01]\npenalty = "l1"\n')
        result = self.run_json("path", DATA, "--config", "c.toml")
        self.assertEqual([point["lambda"] for point in result["points"]], [0.1, 0.01])


class CrossValidation(ProgramTest):
    def test_the_json_holds_scores_and_choices(self):
        result = self.run_json("cv", DATA, "--penalty", "l1", "--lambdas", "8", "--folds", "4")
        self.assertEqual(result["metric"], "log-loss")
        self.assertEqual(len(result["points"]), 8)
        for point in result["points"]:
            self.assertEqual(len(point["scores"]), 4)
            self.assertAlmostEqual(point["mean"], sum(point["scores"]) / 4, places=12)
            spread = sum((score - point["mean"]) ** 2 for score in point["scores"])
            self.assertAlmostEqual(point["standard_error"], math.sqrt(spread / 3 / 4), places=12)
        best = min(result["points"], key=lambda point: point["mean"])
        self.assertEqual(result["best"]["lambda"], best["lambda"])
        bound = best["mean"] + best["standard_error"]
        first = next(point for point in result["points"] if point["mean"] <= bound)
        self.assertEqual(result["one_standard_error"]["lambda"], first["lambda"])
        self.assertEqual(result["chosen"], result["best"])

    def test_the_model_is_refitted_to_all_rows(self):
        for choose, key in (("best", "best"), ("1se", "one_standard_error")):
            result = self.run_json("cv", DATA, "--penalty", "l1", "--lambdas", "8", "--choose", choose, "--tol",
                                   "1e-7", "-o", "m.model")
            lam = result[key]["lambda"]
            self.assertEqual(result["chosen"]["lambda"], lam)
            chosen = result["points"][result["chosen"]["index"]]
            single = self.run_json("train", DATA, "--penalty", "l1", "--lambda", repr(lam), "--tol", "1e-7")
            self.assertAlmostEqual(chosen["objective"], single["objective"], delta=1e-6)
            self.run_program("predict", "m.model", DATA)

    def test_every_metric(self):
        for metric in ("log-loss", "accuracy", "auc"):
            result = self.run_json("cv", DATA, "--penalty", "l1", "--lambdas", "4", "--metric", metric)
            self.assertEqual(result["metric"], metric)
        result = self.run_json("cv", REAL, "--loss", "squared", "--penalty", "l1", "--lambdas", "4")
        self.assertEqual(result["metric"], "rmse")
        self.assertEqual(self.run_json("cv", DATA, "--loss", "squared-hinge", "--lambdas", "4")["metric"], "accuracy")
        self.assertIn("rmse", self.error_of("cv", REAL, "--loss", "squared", "--metric", "auc"))
        self.assertIn("logistic", self.error_of("cv", DATA, "--loss", "squared-hinge", "--metric", "log-loss"))
        self.error_of("cv", DATA, "--metric", "f1", expect=2)
        self.error_of("cv", DATA, "--folds", "1", expect=2)

    def test_threads_change_nothing(self):
        results = [self.run_json("cv", DATA, "--penalty", "l1", "--lambdas", "5", "--threads", threads)
                   for threads in ("1", "2", "7")]
        for result in results:
            self.assertEqual([point["scores"] for point in result["points"]],
                             [point["scores"] for point in results[0]["points"]])

    def test_the_page_has_the_numbers_of_the_json(self):
        result = self.run_json("cv", DATA, "--penalty", "l1", "--lambdas", "6", "--report", "cv.html")
        rows = table_of(self.read("cv.html"))
        self.assertEqual(len(rows), 6)
        for row, point in zip(rows, result["points"]):
            self.assertEqual(row[:5], [shown(point["lambda"]), shown(point["mean"]), shown(point["standard_error"]),
                                       str(point["nonzeros"]), shown(point["objective"])])
        self.assertIn("best", rows[result["best"]["index"]][-1])
        self.assertIn("one standard error", rows[result["one_standard_error"]["index"]][-1])


if __name__ == "__main__":
    unittest.main()
