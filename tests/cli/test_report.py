"""report, and train --report, as a user runs them."""
import json
import os
import re
import unittest
import xml.etree.ElementTree

from program import ProgramTest


def run_of(curves):
    """A run.json of one dataset: curves is {label: one list of objectives for each trial}."""
    runs = []
    for label, trials in curves.items():
        for trial, objectives in enumerate(trials):
            looks = list(range(0, 100 * len(objectives), 100))
            runs.append({"dataset": "d", "label": label, "solver": label, "step": 1.0, "step_rule": "1", "seed": trial,
                         "trial": trial, "status": "out_of_passes", "error": None, "iterations": looks[-1],
                         "objective": objectives[-1], "tail_objective": objectives[-1], "stable": True,
                         "graph_cpu_seconds": 0.5 if label == "s3gd" else 0, "graph_seconds": 0,
                         "points": {"iteration": looks, "passes": [k / 50 for k in looks],
                                    "cpu_seconds": [0.5 + k / 1000 + trial for k in looks],
                                    "wall_seconds": [k / 900 for k in looks], "objective": objectives,
                                    "test_objective": [None] * len(looks), "correlation": None, "variance_ratio": None}})
    return {"s3gd_run": 1, "kind": "compare", "title": "A title", "version": "0.1.0", "created": "2026-01-02T03:04:05Z",
            "command": ["s3gd", "compare", "d"], "machine": {"cpu": "one", "memory_bytes": 8e9},
            "protocol": {"trials": 2, "steps": [1.0]},
            "datasets": [{"name": "d", "rows": 1000, "cols": 20, "optimum": 0.25}], "runs": runs,
            "chosen": [{"dataset": "d", "label": label, "step": 1.0} for label in curves],
            "verdicts": [{"dataset": "d", "target": 0.01, "clock": "cpu_seconds", "with_graph": True,
                          "order": [{"label": "s3gd", "median_seconds": 1.5}, {"label": "sgd", "median_seconds": None}],
                          "winner": "s3gd", "speedup_over_sgd": None, "speedup_over_runner_up": None}]}


CURVES = {"s3gd": [[1.0, 0.5, 0.25], [2.0, 0.75, 0.375]], "sgd": [[1.0, 0.9, 0.8], [1.0, 0.7]]}


def figures_of(page):
    found = re.findall(r'<figure id="([^"]*)">.*?<script type="application/json">(.*?)</script>', page, re.DOTALL)
    return {name: json.loads(data) for name, data in found}


class Report(ProgramTest):
    def page(self, run, *options):
        self.write("run.json", json.dumps(run))
        result = self.run_json("report", "run.json", "-o", "p.html", *options)
        page = self.read("p.html").decode()
        self.assertEqual(result["bytes"], len(page.encode()))
        return page

    def test_curves_are_mean_lowest_and_highest_of_the_trials(self):
        figure = figures_of(self.page(run_of(CURVES)))["1-d"]
        ours, sgd = figure["series"]
        self.assertEqual(ours["y"]["objective"], [[1.5, 0.625, 0.3125], [1, 0.5, 0.25], [2, 0.75, 0.375]])
        self.assertEqual(ours["y"]["suboptimality"], [[5, 1.5, 0.25], [3, 1, 0], [7, 2, 0.5]])
        self.assertEqual(ours["x"]["cpu_seconds"], [1, 1.1, 1.2])
        self.assertEqual(ours["before"], {"cpu_seconds": 0.5})
        self.assertEqual(sgd["y"]["objective"][0], [1, 0.8, 0.8])  # a trial that ended early counts as far as it went
        self.assertEqual([axis["key"] for axis in figure["y"]], ["suboptimality", "objective"])  # no others were measured

    def test_a_folder_serves_as_well(self):
        self.write("results/run.json", json.dumps(run_of(CURVES)))
        self.run_program("report", "results", "-o", "p.html")
        self.assertIn(b"A title", self.read("p.html"))

    def test_where_no_step_was_chosen_the_best_is_shown_and_said(self):
        run = run_of(CURVES)
        run["chosen"] = run["chosen"][:1]
        self.assertIn("No stable step: sgd.", self.page(run))
        run = run_of(CURVES)
        self.assertNotIn("No stable step", self.page(run))
        run["chosen"][1]["stable"] = False
        page = self.page(run)
        self.assertIn("No stable step: sgd.", page)
        self.assertEqual((page.count("(shown)</td>"), page.count(" \u2713</td>")), (1, 1))

    def test_a_lead_below_the_distance_of_two_looks_is_said_to_be_narrow(self):
        run = run_of(CURVES)
        order = [{"label": "s3gd", "median_seconds": 1.0}, {"label": "sgd", "median_seconds": 1.05}]
        run["verdicts"] = [{"dataset": "d", "target": 0.01, "clock": "cpu_seconds", "with_graph": True, "order": order,
                            "winner": "s3gd", "speedup_over_sgd": 1.05, "speedup_over_runner_up": 1.05}]
        run["protocol"]["look_growth"] = 1.06
        self.assertIn("1.05\u00d7, narrowly</td>", self.page(run))
        run["protocol"]["look_growth"] = 1.04
        self.assertNotIn("narrowly", self.page(run))
        run["verdicts"][0].update(winner="sgd", order=order[::-1])
        self.assertIn(">is SGD</td>", self.page(run))

    def test_notes_are_said(self):
        run = run_of(CURVES)
        run["notes"] = ["the clocks were <disturbed>"]
        self.assertIn("<p>Note: the clocks were &lt;disturbed&gt;</p>", self.page(run))

    def test_missing_parts_are_no_error(self):
        run = run_of(CURVES)
        for part in ("datasets", "chosen", "verdicts", "machine", "protocol", "command"):
            del run[part]
        run["runs"].append({"dataset": "d", "label": "bare", "status": "failed", "error": "why"})
        page = self.page(run)
        self.assertIn("No verdict", page)
        self.assertIn(">why<", page)
        self.assertEqual(len(figures_of(page)["1-d"]["series"]), 3)

    def test_figures_are_pictures(self):
        self.write("run.json", json.dumps(run_of(CURVES)))
        result = self.run_json("report", "run.json", "--figures", "f")
        svg = [name for name in result["figures"] if name.endswith(".svg")]
        png = [name for name in result["figures"] if name.endswith(".png")]
        self.assertEqual(svg, ["f/1-d.svg", "f/1-d-objective.svg"])
        self.assertEqual(len(png), len(svg) if result["png"] else 0)
        for name in svg:
            self.assertTrue(xml.etree.ElementTree.fromstring(self.read(name)).tag.endswith("svg"))
        for name in png:
            self.assertTrue(self.read(name).startswith(b"\x89PNG\r\n"))
        self.assertFalse(os.path.exists(self.path("p.html")))

    def test_what_is_no_run_is_refused(self):
        self.write("a.json", "{}")
        self.write("b.json", "{")
        self.write("c.json", '{"s3gd_run": 1, "runs": [{"dataset": "d"}, 3]}')
        self.assertIn("s3gd compare", self.error_of("report", "a.json", "-o", "p.html"))
        self.assertIn("not JSON", self.error_of("report", "b.json", "-o", "p.html"))
        self.assertIn("cannot be read", self.error_of("report", "c.json", "-o", "p.html"))
        self.error_of("report", "none.json", "-o", "p.html")
        self.error_of("report", "a.json", expect=2)
        self.error_of("report", "a.json", "-o", "-", expect=2)
        self.assertFalse(os.path.exists(self.path("p.html")))


class Train(ProgramTest):
    def test_the_page_has_the_curves_of_the_trace(self):
        for data, extra in (("gen:manifold?rows=400&cols=6", ["--solver", "s3gd", "--validate", "0.25"]),
                            ("gen:manifold?rows=400&cols=6&classes=3", ["--multiclass", "softmax"]),
                            ("gen:manifold?rows=400&cols=6&classes=3", ["--multiclass", "ovr", "--solver", "sgd"])):
            self.run_program("train", data, *extra, "--passes", "20", "--tol", "0.9", "--trace", "t.json", "--report",
                             "p.html")
            figure = figures_of(self.read("p.html").decode())["course"]
            trace = json.loads(self.read("t.json"))
            drawn = {value for series in figure["series"] for value in series["y"]["objective"][0]}
            self.assertEqual(drawn, {float("%.6g" % row["train_objective"]) for row in trace})
            self.assertEqual(any(axis["key"] == "test_objective" for axis in figure["y"]), "--validate" in extra)

    def test_the_curves_of_one_vs_rest_are_named_by_class(self):
        for extra in ([], ["--solver", "sgd", "--tol", "0.9"], ["--penalty", "l1", "--lambda", "1e-3"]):
            self.run_program("train", "gen:manifold?rows=400&cols=6&classes=3", "--multiclass", "ovr", *extra, "--report",
                             "p.html")
            names = [series["name"] for series in figures_of(self.read("p.html").decode())["course"]["series"]]
            self.assertEqual(len(set(names)), len(names), names)
            self.assertEqual({name.split(": ")[0] for name in names}, {"0", "1", "2"})

    def test_a_page_needs_no_trace_file(self):
        result = self.run_json("train", "gen:manifold?rows=300&cols=5", "--report", "p.html")
        page = self.read("p.html").decode()
        self.assertIn(result["status"], page)
        self.assertIn("%.6g" % result["objective"], page)
        for stage in result["stages"]:
            self.assertIn(stage["name"], page)


if __name__ == "__main__":
    unittest.main()
