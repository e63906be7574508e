"""train, predict and graph, as a user runs them."""
import csv
import json
import math
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

DATA = "gen:manifold?rows=600&cols=12"


class Train(ProgramTest):
    def test_the_json_holds_what_the_contract_names(self):
        result = self.run_json("train", DATA, "-o", "m.model")
        for key in ("status", "objective", "certificate", "seconds", "cpu_seconds", "passes", "iterations", "step",
                    "solver", "stages", "rows", "cols", "nonzeros", "classes", "peak_memory_bytes", "seed", "advice"):
            self.assertIn(key, result)
        self.assertEqual(result["status"], "converged")
        self.assertLessEqual(result["certificate"]["relative_gap"], 1e-4)
        self.assertEqual(set(result["seconds"]), {"load", "graph", "solve", "evaluate", "total"})
        self.assertEqual(result["rows"], 600)

    def test_every_solver_runs_and_says_how_it_ended(self):
        listed, _ = self.run_program("list", "solvers")
        best = self.run_json("train", DATA, "--solver", "newton", "--tol", "1e-10")["objective"]
        for solver in ("auto", "s3gd", "sgd", "ssgd", "svrg", "scv", "saga", "sag", "is-sgd", "gd", "newton"):
            self.assertIn(solver, listed)
            out = subprocess.run([PROGRAM, "train", DATA, "--solver", solver, "--json", "--passes", "30"],
                                 capture_output=True, env=self.environment, cwd=self.folder, timeout=60)
            result = json.loads(out.stdout)
            self.assertEqual(out.returncode, 0 if result["status"] == "converged" else 3, solver)
            self.assertLess(result["objective"], 1.3 * best + 0.02, solver)
            self.assertGreaterEqual(result["objective"], best * (1 - 1e-9), solver)

    def test_every_loss_and_penalty_fits(self):
        for loss in ("logistic", "squared-hinge", "smooth-hinge"):
            for penalty in ("l2", "l1", "elastic-net", "l1-l2norm", "l1+l2"):
                result = self.run_json("train", DATA, "--loss", loss, "--penalty", penalty, "--tol", "1e-6")
                self.assertEqual(result["status"], "converged", (loss, penalty))
        result = self.run_json("train", "gen:regression?rows=500&cols=8", "--loss", "squared", "--penalty", "l1")
        self.assertEqual(result["status"], "converged")

    def test_the_same_seed_gives_the_same_model_at_any_thread_count(self):
        models = []
        for threads in ("1", "2", "7"):
            self.run_program("train", DATA, "--solver", "s3gd", "--tol", "0.3", "--threads", threads, "-o", "m.model")
            models.append(self.read("m.model"))
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])

    def test_what_is_asked_for_beside_the_paper_switch_counts(self):
        plain = self.run_json("train", DATA, "--paper", "--solver", "newton")
        other = self.run_json("train", DATA, "--paper", "--solver", "newton", "--lambda", "0.1", "--class-weight",
                              "none", "--intercept", "none")
        self.assertIn("0.001", plain["formula"])
        self.assertIn("0.1 ||w||^2", other["formula"])
        self.assertNotIn("b)", other["formula"])

    def test_both_readings_of_the_papers_sampling(self):
        formulas = [self.run_json("train", DATA, "--paper", "--solver", "newton", *words)["formula"]
                    for words in ([], ["--reading", "sum"], ["--reading", "mean"])]
        self.assertEqual(formulas[0], formulas[1])
        self.assertEqual(formulas[2], formulas[0].replace("= sum", "= 1/2 sum"))
        self.assertIn("--paper", self.error_of("train", DATA, "--reading", "mean", expect=2))
        self.error_of("train", DATA, "--paper", "--reading", "mean", "--class-weight", "none", expect=2)
        self.error_of("train", DATA, "--paper", "--reading", "median", expect=2)

    def test_c_of_the_squared_hinge_has_no_one_half(self):
        by_lambda = self.run_json("train", DATA, "--loss", "squared-hinge", "--lambda", repr(1 / (4 * 600 * 0.5)),
                                  "--tol", "1e-10")
        by_c = self.run_json("train", DATA, "--loss", "squared-hinge", "--C", "0.5", "--tol", "1e-10")
        self.assertAlmostEqual(by_lambda["objective"], by_c["objective"], places=9)
        self.error_of("train", DATA, "--C", "0", expect=2)
        self.error_of("train", DATA, "--C", "1", "--penalty", "elastic-net", expect=2)

    def test_c_is_liblinears(self):
        by_lambda = self.run_json("train", DATA, "--lambda", repr(1 / (2 * 600 * 0.5)), "--tol", "1e-10")
        by_c = self.run_json("train", DATA, "--C", "0.5", "--tol", "1e-10")
        self.assertAlmostEqual(by_lambda["objective"], by_c["objective"], places=9)

    def test_the_paper_switch_states_its_problem(self):
        result = self.run_json("train", DATA, "--paper", "--step", "1", "--iterations", "200", "--anchors", "10",
                               expect=3)
        self.assertEqual(result["solver"], "s3gd")
        self.assertEqual(result["inner"], 20)
        self.assertEqual(result["iterations"], 200)
        self.assertEqual(self.run_json("train", DATA, "--paper", "--solver", "svrg", "--step", "1", "--iterations",
                                       "100", expect=3)["inner"], 50)

    def test_the_trace_has_the_contracts_columns(self):
        names = ["iteration", "passes", "cpu_seconds", "wall_seconds", "train_objective", "test_objective", "gap",
                 "step", "correlation", "variance_ratio", "stage"]
        self.run_program("train", DATA, "--solver", "s3gd", "--passes", "3", "--tol", "0", "--trace", "t.csv",
                         "--trace-gradients", "--validate", "0.25", expect=3)
        with open(self.path("t.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), names)
        self.assertGreater(len(rows), 5)
        clocks = [float(row["cpu_seconds"]) for row in rows]
        self.assertEqual(clocks, sorted(clocks))
        self.assertTrue(math.isfinite(float(rows[-1]["test_objective"])))
        self.assertLessEqual(abs(float(rows[-1]["correlation"])), 1.0 + 1e-12)
        self.run_program("train", DATA, "--solver", "sgd", "--passes", "2", "--tol", "0", "--trace", "t.json", expect=3)
        self.assertEqual(list(json.loads(self.read("t.json"))[0]), names)

    def test_a_diverging_step_is_status_3_with_a_model_and_advice(self):
        self.run_program("train", "gen:regression?rows=300&cols=5", "--loss", "squared", "--solver", "sgd", "--step",
                         "1e6", "-o", "m.model", expect=3)
        result = self.run_json("train", "gen:regression?rows=300&cols=5", "--loss", "squared", "--solver", "sgd",
                               "--step", "1e6", expect=3)
        self.assertEqual(result["status"], "diverged")
        self.assertIn("step", result["advice"][0])
        self.run_program("predict", "m.model", "gen:regression?rows=300&cols=5")

    def test_ctrl_c_keeps_the_model_so_far(self):
        process = subprocess.Popen(
            [PROGRAM, "train", DATA, "--solver", "sgd", "--passes", "1e9", "--tol", "0", "-o", "m.model", "--json"],
            env=self.environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(out)["status"], "interrupted")
        self.run_program("predict", "m.model", DATA)

    def test_bad_input_is_one_clear_sentence(self):
        two = "1 1:1\n-1 2:1\n"
        cases = [
            ("1 1:1\n1 1:2\n", ["--multiclass", "ovr"], "two classes"),
            ("0.5 1:1\n1.25 1:2\n3.5 1:3\n", ["--multiclass", "ovr"], "squared"),
            ("1 1:1\n1 1:2\n", [], "two classes"),
            ("0.5 1:1\n1.25 1:2\n3.5 1:3\n", [], "squared"),     # real labels, a loss for classes
            ("0.5 1:1\n1.25 1:2\n3.5 1:3\n", ["--loss", "smooth-hinge", "--solver", "s3gd"], "squared"),
            ("", [], "no rows"),
            (two, ["--binary", "7"], "7"),
            (two, ["--sample-weight", "w.txt"], "3 weights"),
            (two, ["--penalty-factor", "w.txt"], "3"),
        ]
        self.write("w.txt", "1\n2\n3\n")
        for content, options, phrase in cases:
            self.write("bad.svm", content)
            with self.subTest(options=options, content=content):
                self.assertIn(phrase, self.error_of("train", "bad.svm", *options))

    def test_odd_but_sound_input_trains(self):
        self.write("odd.svm", "1 1:1 3:5\n-1 2:1 3:5\n1 1:2 3:5\n-1 3:5\n")  # a constant column, few rows
        result = self.run_json("train", "odd.svm", "--solver", "s3gd", "--anchors", "100", "--neighbours", "1000",
                               "--tol", "1", "--passes", "50")
        self.assertEqual(result["rows"], 4)
        self.write("empty-rows.svm", "1\n-1\n1\n-1 2:1\n")
        self.assertEqual(self.run_json("train", "empty-rows.svm")["status"], "converged")

    def test_usage_mistakes_name_the_remedy(self):
        for arguments, phrase in ((["--solver", "svgr"], "svrg"), (["--step", "fast"], "decay:STEP,T0"),
                                  (["--step", "-1"], "positive"), (["--lamda", "1"], "--lambda"),
                                  (["--penalty", "l3"], "l2"), (["--lambda", "nan"], "expected a number"),
                                  (["--lambda", "abc"], "found 'abc', expected a number"),
                                  (["--anchors", "1.5"], "expected a whole number"),
                                  (["--C", "1", "--lambda", "1"], "excludes"),
                                  (["--accelerated"], "--solver gd"), (["--output", "-"], "a file"),
                                  (["--trace", "-"], "a file")):
            self.assertIn(phrase, self.error_of("train", DATA, *arguments, expect=2))


class Predict(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("train.csv", "label,a,b\n" + "".join(
            f"{'spam' if i % 3 == 0 else 'ham'},{i % 3 == 0},{(i * 7) % 5}\n".replace("True", "1").replace("False", "0")
            for i in range(60)))
        self.run_program("train", "train.csv", "-o", "m.model", "--binary", "spam")

    def test_labels_are_written_as_in_the_data(self):
        out, _ = self.run_program("predict", "m.model", "train.csv", "-o", "out.txt")
        lines = self.read("out.txt").decode().split()
        self.assertEqual(lines, ["spam" if i % 3 == 0 else "ham" for i in range(60)])
        self.assertIn("100.00 %", out)

    def test_probabilities_and_margins_agree(self):
        self.run_program("predict", "m.model", "train.csv", "--proba", "-o", "p.txt")
        self.run_program("predict", "m.model", "train.csv", "--margin", "-o", "u.txt")
        for p, u in zip(self.read("p.txt").split(), self.read("u.txt").split()):
            self.assertAlmostEqual(float(p), 1 / (1 + math.exp(-float(u))), places=12)
        self.error_of("predict", "m.model", "train.csv", "--proba", "--margin", expect=2)

    def test_a_foreign_or_cut_model_is_one_sentence(self):
        whole = self.read("m.model")
        self.write("cut.model", whole[:-5])
        self.assertIn("damaged", self.error_of("predict", "cut.model", "train.csv"))
        self.write("foreign.model", b"PK\x03\x04")
        self.assertIn("model", self.error_of("predict", "foreign.model", "train.csv"))
        self.assertIn("missing.model", self.error_of("predict", "missing.model", "train.csv"))

    def test_predictions_that_are_asked_for_go_to_standard_output_and_metrics_to_standard_error(self):
        self.run_program("predict", "m.model", "train.csv", "--proba", "-o", "p.txt")
        expected = self.read("p.txt").decode()
        for arguments in (["--proba"], ["--proba", "-o", "-"], ["--proba", "-o", "/dev/stdout"]):
            out, err = self.run_program("predict", "m.model", "train.csv", *arguments)
            self.assertEqual(out, expected)
            self.assertIn("100.00 %", err)
        out, _ = self.run_program("predict", "m.model", "train.csv", "-o", "-")
        self.assertEqual(set(out.split()), {"spam", "ham"})
        out, _ = self.run_program("predict", "m.model", "train.csv")
        self.assertIn("100.00 %", out)
        result = self.run_json("predict", "m.model", "train.csv", "--proba")
        self.assertEqual(result["predictions"], [float(p) for p in expected.split()])
        self.assertEqual(result["accuracy"], 1)
        self.assertIn("-o", self.run_json("predict", "m.model", "train.csv", "-o", "-", expect=2)["error"])

    def test_columns_are_matched_by_name(self):
        rows = [line.split(",") for line in self.read("train.csv").decode().split()]
        self.write("other.csv", "".join(f"{b},{label},{a}\n" for label, a, b in rows))
        self.run_program("predict", "m.model", "train.csv", "--margin", "-o", "expected.txt")
        for layout in ("dense", "sparse"):
            self.run_program("predict", "m.model", "other.csv", "--margin", "-o", "out.txt", "--layout", layout)
            self.assertEqual(self.read("out.txt"), self.read("expected.txt"))
        self.write("wrong.csv", "label,a,c\nspam,1,2\nham,0,1\n")
        text = self.error_of("predict", "m.model", "wrong.csv")
        self.assertIn("missing 'b'", text)
        self.assertIn("unknown 'c'", text)

    def test_the_label_column_is_remembered(self):
        self.write("t.csv", "a,kind,b\n" + "".join(f"{i % 2},{'x' if i % 2 else 'o'},{i % 5}\n" for i in range(40)))
        self.run_program("train", "t.csv", "--label-column", "kind", "-o", "k.model")
        self.assertEqual(self.run_json("predict", "k.model", "t.csv")["accuracy"], 1)
        self.write("unlabelled.csv", "b,a\n3,1\n2,0\n")
        self.assertEqual(self.run_program("predict", "k.model", "unlabelled.csv")[0], "x\no\n")
        self.write("bare.csv", "1,x,3\n0,o,4\n")
        self.write("numbers.csv", "1,7,3\n0,8,4\n")
        self.assertIn("--label-column", self.error_of("predict", "k.model", "numbers.csv"))
        self.assertEqual(self.run_json("predict", "k.model", "bare.csv", "--label-column", "1")["accuracy"], 1)
        self.run_program("train", "bare.csv", "--label-column", "1", "-o", "n.model")
        self.assertEqual(self.run_json("predict", "n.model", "bare.csv")["rows"], 2)
        self.write("features.csv", "1,3\n0,4\n")
        self.assertEqual(self.run_program("predict", "n.model", "features.csv", "--label-column", "none")[0], "x\no\n")

    def test_a_dense_file_must_have_the_models_columns(self):
        self.write("narrow.csv", "spam,1\nham,0\n")
        self.assertIn("2 were there in training", self.error_of("predict", "m.model", "narrow.csv", "--label-column", "0"))
        self.write("wide.csv", "spam,1,2,3\nham,0,1,3\n")
        for layout in ("dense", "sparse"):
            self.error_of("predict", "m.model", "wide.csv", "--label-column", "0", "--layout", layout)

    def test_libsvm_rows_may_have_other_columns_and_keep_the_training_files_base(self):
        self.write("zero.svm", "".join(f"{1 if i % 2 else -1} {f'0:{i % 2} ' if i % 2 else ''}1:{i % 3 + 1} 2:1\n"
                                       for i in range(30)))
        self.run_program("train", "zero.svm", "-o", "z.model")
        self.write("late.svm", "1 1:2 2:1\n-1 1:1\n1 1:1 9:4\n")  # nothing says that it counts from 0
        for layout in ("dense", "sparse", "auto"):
            self.run_program("predict", "z.model", "late.svm", "--margin", "-o", "auto.txt", "--layout", layout)
            self.run_program("predict", "z.model", "late.svm", "--margin", "-o", "zero.txt", "--index-base", "0")
            self.assertEqual(self.read("auto.txt"), self.read("zero.txt"))
        self.run_program("predict", "z.model", "late.svm", "--margin", "-o", "one.txt", "--index-base", "1")
        self.assertNotEqual(self.read("one.txt"), self.read("zero.txt"))
        options = ["train", "zero.svm", "--solver", "svrg", "--passes", "2", "--tol", "0", "--json"]
        traced = []
        for extra in ([], ["--index-base", "0"], ["--index-base", "0", "--layout", "sparse"]):
            self.run_program(*options, "--validate", "late.svm", "--trace", "t.json", *extra, expect=3)
            traced.append([row["test_objective"] for row in json.loads(self.read("t.json"))][-1])
        self.assertEqual(traced[0], traced[1])
        self.assertAlmostEqual(traced[0], traced[2])
        self.write("one.svm", "1 1:1\n-1 2:1\n")
        self.run_program("train", "one.svm", "-o", "o.model")
        self.assertIn("--index-base 0", self.error_of("predict", "o.model", "zero.svm"))

    def test_rows_whose_label_the_model_does_not_know_are_counted_not_guessed(self):
        self.write("more.csv", "label,a,b\nspam,1,2\nham,0,1\neggs,0,3\n")
        self.run_program("train", "train.csv", "-o", "two.model")
        result = self.run_json("predict", "two.model", "more.csv")
        self.assertEqual((result["rows"], result["unknown_labels"], result["accuracy"]), (3, 1, 1))
        self.assertIn("1 rows with a label the model does not know", self.run_program("predict", "two.model", "more.csv")[0])
        self.write("none.csv", "label,a,b\neggs,1,2\neggs,0,1\n")
        out, err = self.run_program("predict", "two.model", "none.csv")
        self.assertEqual(out, "spam\nham\n")
        self.assertIn("none of the labels", err)

    def test_a_link_is_written_through_and_a_pipe_into(self):
        os.symlink("real.txt", self.path("link.txt"))
        self.run_program("predict", "m.model", "train.csv", "-o", "link.txt")
        self.assertTrue(os.path.islink(self.path("link.txt")))
        os.mkfifo(self.path("pipe"))
        reader = subprocess.Popen(["cat", "pipe"], cwd=self.folder, stdout=subprocess.PIPE)
        self.run_program("predict", "m.model", "train.csv", "-o", "pipe")
        self.assertEqual(reader.communicate(timeout=60)[0], self.read("real.txt"))

    def test_a_failed_run_leaves_the_old_model(self):
        before = self.read("m.model")
        self.error_of("train", "nowhere.csv", "-o", "m.model")
        self.assertEqual(self.read("m.model"), before)


class Graph(ProgramTest):
    def test_a_saved_graph_gives_the_same_model_as_one_built_on_the_way(self):
        options = ["--solver", "s3gd", "--graph-mode", "full", "--anchors", "20", "--tol", "0.3"]
        self.run_program("graph", DATA, "-o", "g.graph", "--anchors", "20")
        self.run_program("train", DATA, *options, "-o", "built.model")
        self.run_program("train", DATA, *options, "--graph", "g.graph", "-o", "loaded.model")
        self.assertEqual(self.read("built.model"), self.read("loaded.model"))

    def test_a_graph_goes_to_a_file(self):
        self.error_of("graph", DATA, "-o", "-", expect=2)

    def test_a_graph_of_other_rows_is_refused(self):
        self.run_program("graph", DATA, "-o", "g.graph")
        self.error_of("train", "gen:manifold?rows=500&cols=12", "--solver", "s3gd", "--graph", "g.graph")
        self.write("cut.graph", self.read("g.graph")[:100])
        self.error_of("train", DATA, "--solver", "s3gd", "--graph", "cut.graph")


if __name__ == "__main__":
    unittest.main()
