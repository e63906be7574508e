"""s3gd reproduce, on small generated rows: no set of the paper is on the machine."""
import glob
import json
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

FIGURES = ["table1", "table2", "steps", "steps-mean", "step-grid", "time50", "training", "testing", "correlation",
           "anchors-correlation", "anchors-time", "inner", "verdict", "verdict-mean", "graph-time", "streaming", "control",
           "auto", "variance", "cache", "improved", "improved-gradients"]
SMALL = ["--quick", "--iterations", "20", "--trials", "1", "--rows", "200"]
OUTCOMES = {"confirmed", "partly", "not confirmed", "not measured", "described"}


class Reproduce(ProgramTest):
    def results(self, folder="out"):
        return json.loads(self.read(f"{folder}/results.json"))

    def run_files(self, folder="out"):
        return {path: os.stat(path).st_mtime_ns for path in glob.glob(self.path(f"{folder}/runs/*/runs/*"))}

    def test_list_names_every_figure_and_set(self):
        out, _ = self.run_program("reproduce", "--list")
        for name in FIGURES:
            self.assertIn(f"\n{name} ", out)
        self.assertIn("MED11", out)
        listed = self.run_json("reproduce", "--list")
        self.assertEqual([figure["name"] for figure in listed["figures"]], FIGURES)
        self.assertTrue(all(entry["stand_in"] for entry in listed["sets"]))

    def test_an_unknown_figure_is_answered_with_the_list(self):
        message = self.error_of("reproduce", "trainin", "-o", "out", expect=2)
        self.assertIn("'training'", message)
        for name in FIGURES:
            self.assertIn(name, message)
        self.assertFalse(os.path.exists(self.path("out")))

    def test_a_folder_is_needed(self):
        self.error_of("reproduce", "steps", expect=2)

    def test_table_without_results(self):
        self.assertIn("results.json", self.error_of("reproduce", "--table", "-o", "nothing"))

    def test_every_figure_runs_and_has_its_part(self):
        out, err = self.run_program("reproduce", *SMALL, "-o", "out", timeout=500)
        results = self.results()
        self.assertEqual([figure["name"] for figure in results["figures"]], FIGURES)
        for figure in results["figures"]:
            self.assertTrue(figure["complete"], figure["name"])
            self.assertTrue(figure["claims"], figure["name"])
            for claim in figure["claims"]:
                self.assertIn(claim["outcome"], OUTCOMES)
                self.assertTrue(claim["criterion"] and claim["measured"] and claim["in_short"], claim)
        self.assertEqual(results["failed_runs"], 0)
        self.assertEqual(results["status"], "converged")
        # Stand-ins are marked in the data, on the page and on standard error.
        page = self.read("out/reproduction.html").decode()
        self.assertEqual(len(results["sets"]), 9)
        for entry in results["sets"]:
            self.assertEqual(entry["name"], entry["paper_name"] + " (generated)")
            self.assertTrue(entry["stand_in"])
            self.assertIn(entry["name"], page)
            self.assertIn(entry["name"], err)
        # What was left out is said.
        self.assertTrue(any("iterations instead of 40000" in line for line in results["left_out"]))
        self.assertIn("iterations instead of 40000", page)
        self.assertIn("iterations instead of 40000", out)
        for name in FIGURES:
            self.assertIn(f"({name})", page)
        # A picture for every set.
        pictures = os.listdir(self.path("out/figures"))
        for figure in ("training", "testing", "correlation", "graph-time", "improved", "improved-gradients"):
            self.assertEqual(len([p for p in pictures if p.startswith(figure) and p.endswith(".svg")]) >= 9, True, pictures)
        for figure in ("steps-CIFAR10-svrg", "anchors-time", "variance", "inner-CIFAR10"):
            self.assertIn(f"{figure}.svg", pictures)
        # The same again does nothing again, and the table can be printed.
        before = self.run_files()
        self.assertTrue(before)
        self.run_program("reproduce", *SMALL, "-o", "out", timeout=500)
        self.assertEqual(self.run_files(), before)
        table, _ = self.run_program("reproduce", "--table", "-o", "out")
        rows = [line for line in table.splitlines() if line.startswith("| `")]
        self.assertEqual(len(rows), sum(len(figure["claims"]) for figure in results["figures"]))

    def test_sets_and_figures_in_the_order_asked_for_then_a_page_of_all_that_is_there(self):
        small = ["--iterations", "20", "--trials", "2", "--rows", "100", "-o", "out"]
        self.run_program("reproduce", "verdict", "--sets", "Covtype,IJCNN", *small)
        run = json.loads(self.read("out/runs/training/run.json"))
        self.assertEqual([entry["name"] for entry in run["datasets"]], ["Covtype (generated)", "IJCNN (generated)"])
        figure = self.results()["figures"][0]
        self.assertTrue(figure["complete"])  # of what was asked for
        self.assertEqual(figure["planned"], 2 * 5 * 4 * 2)
        before = self.run_files()
        results = self.run_json("reproduce", "verdict", "inner", "--no-runs", *small)
        self.assertEqual(self.run_files(), before)
        self.assertEqual(results["status"], "early_stopped")
        inner, verdict = results["figures"]  # the page keeps the paper's order
        self.assertEqual([inner["name"], verdict["name"]], ["inner", "verdict"])
        self.assertEqual([inner["runs"], inner["planned"], inner["lacking"]], [0, 8, "not run: CIFAR10 (generated)"])
        for claim in inner["claims"]:
            self.assertEqual(claim["outcome"], "not measured")
            self.assertIn("not run: CIFAR10", claim["measured"])
        self.assertFalse(verdict["complete"])
        self.assertEqual(verdict["runs"], 80)
        self.assertTrue(verdict["lacking"].startswith("2 of 2 trials on IJCNN (generated), Covtype (generated); not run: WebSpam"))
        page = self.read("out/reproduction.html").decode()
        self.assertIn("80 of 352 runs are done", page)
        table, _ = self.run_program("reproduce", "--table", "-o", "out")
        self.assertIn("`verdict`: 80 of 352 runs: 2 of 2 trials on", table)
        # A run that is gone leaves its set with the trials that all methods have.
        runs = json.loads(self.read("out/runs/training/run.json"))["runs"]
        gone = next(run for run in runs if run["dataset"].startswith("IJCNN") and run["trial"] == 2)
        os.remove(self.path(f"out/runs/training/runs/{gone['key']}.json"))
        verdict = self.run_json("reproduce", "verdict", "--no-runs", *small)["figures"][0]
        self.assertTrue(verdict["lacking"].startswith("2 of 2 trials on Covtype (generated); 1 of 2 on IJCNN (generated);"))

    def test_the_other_reading_is_run_and_said(self):
        results = self.run_json("reproduce", "steps", "steps-mean", *SMALL, "-o", "out")
        readings = {name: json.loads(self.read(f"out/runs/{name}/run.json")) for name in ("training", "training-mean")}
        self.assertEqual([run["protocol"]["reading"] for run in readings.values()], ["sum", "mean"])
        formulas = [run["datasets"][0]["formula"] for run in readings.values()]
        self.assertIn("1/2 sum over both classes", formulas[1])
        self.assertNotIn("1/2 sum", formulas[0])
        counted = {side: sum(outcomes.values()) for side, outcomes in results["summary"].items()}
        self.assertEqual(counted, {"paper": 1, "the other reading": 1, "beyond": 0})

    def test_an_unknown_set_is_answered_with_the_list(self):
        message = self.error_of("reproduce", "verdict", "--sets", "IJCN", "-o", "out", expect=2)
        self.assertIn("'IJCNN'", message)
        self.assertIn("20newsgroups", message)

    def test_when_time_is_up_what_is_done_is_judged(self):
        small = ["--iterations", "20", "--trials", "1", "--rows", "100", "-o", "out"]
        self.run_program("reproduce", "inner", *small)
        before = self.run_files()
        _, err = self.run_program("reproduce", "steps", "inner", "--seconds", "1e-9", *small)
        self.assertIn("time was up", err)
        self.assertEqual(self.run_files(), before)
        results = self.results()
        self.assertEqual(results["status"], "out_of_time")
        self.assertEqual([(f["name"], f["runs"], f["planned"]) for f in results["figures"]],
                         [("steps", 0, 20), ("inner", 4, 4)])
        self.assertIn("The time given was up", self.read("out/reproduction.html").decode())

    def test_only_the_runs_of_the_figures_asked_for(self):
        results = self.run_json("reproduce", "steps", *SMALL, "-o", "out")
        self.assertEqual([figure["name"] for figure in results["figures"]], ["steps"])
        self.assertEqual(sorted(os.listdir(self.path("out/runs"))), ["optima", "training"])
        run = json.loads(self.read("out/runs/training/run.json"))
        self.assertEqual([entry["name"] for entry in run["datasets"]], ["CIFAR10 (generated)"])
        self.assertEqual(len(run["runs"]), 5 * 4)

    def stop_after(self, runs, arguments, how):
        """Sends a signal once so many runs are done; the exit code."""
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and len(self.run_files()) < runs:
            time.sleep(0.01)
        process.send_signal(how)
        return process.wait()

    def test_an_interrupted_call_writes_what_it_has(self):
        code = self.stop_after(1, ["reproduce", "table2", "steps", "--quick", "--rows", "2000", "-o", "out"], signal.SIGINT)
        self.assertEqual(code, 130)
        results = self.results()
        self.assertEqual(results["status"], "interrupted")
        self.assertFalse(results["figures"][1]["complete"])
        self.assertIn("Interrupted", self.read("out/reproduction.html").decode())

    def test_a_killed_call_goes_on(self):
        arguments = ["reproduce", "inner", "--quick", "--iterations", "400", "--rows", "600", "-o", "out"]
        self.stop_after(2, arguments, signal.SIGKILL)
        before = self.run_files()
        self.assertGreaterEqual(len(before), 2)
        self.run_program(*arguments, timeout=500)
        after = self.run_files()
        finished = [path for path in before if path in after and after[path] == before[path]]
        self.assertGreaterEqual(len(finished), 1)  # the last one may have been cut
        self.assertEqual(len(json.loads(self.read("out/runs/inner/run.json"))["runs"]), 4)
        self.assertTrue(self.results()["figures"][0]["complete"])


if __name__ == "__main__":
    unittest.main()
