"""compare, as a user runs it: files, resuming after kill -9, and numbers checked from outside."""
import csv
import fcntl
import json
import math
import os
import pty
import random
import re
import signal
import struct
import subprocess
import termios
import time
import unittest

from program import PROGRAM, ProgramTest

DATA = "gen:manifold?rows=400&cols=8"
SMALL = {"--iterations": "400", "--trials": "2", "--steps": "0.5,2", "--solvers": "sgd,svrg,s3gd", "--anchors": "10",
         "--scale": "unit-rows"}


def small(*arguments):
    """The arguments, and those of SMALL that they do not give."""
    rest = [word for name, value in SMALL.items() if name not in arguments for word in (name, value)]
    return [*arguments, *rest, "--no-pages"]


CLOCKS = {"graph_seconds", "graph_cpu_seconds", "solve_seconds", "cpu_seconds", "wall_seconds", "evaluate_seconds"}


def without_times(run):
    """What a comparison found, apart from clocks and what follows from them."""
    runs = []
    for row in run["runs"]:
        kept = {name: value for name, value in row.items() if name not in CLOCKS}
        kept["points"] = {name: value for name, value in row["points"].items() if name not in CLOCKS}
        runs.append(kept)
    return {"runs": runs, "chosen": run["chosen"], "datasets": run["datasets"], "protocol": run["protocol"]}


def read_npy(content):
    assert content[:6] == b"\x93NUMPY"
    length = struct.unpack("<H", content[8:10])[0]
    header = content[10:10 + length].decode()
    assert "'<f8'" in header and "False" in header, header
    body = content[10 + length:]
    return struct.unpack(f"<{len(body) // 8}d", body)


class CompareTest(ProgramTest):
    def compare(self, *arguments, data=DATA, folder="out", pages=False):
        words = [word for word in small(*arguments) if not pages or word != "--no-pages"]
        out, err = self.run_program("compare", data, "-o", folder, *words)
        return json.loads(self.read(folder + "/run.json")), out, err

    def test_everything_the_page_and_others_read_is_there(self):
        run, out, err = self.compare()
        self.assertEqual(run["s3gd_run"], 1)
        self.assertEqual(len(run["runs"]), 12)
        self.assertTrue(run["complete"])
        for name in ("cpu", "cores", "memory_bytes", "os", "compiler", "simd"):
            self.assertTrue(run["machine"][name], name)
        self.assertEqual(run["protocol"]["steps"], [0.5, 2])
        self.assertLess(run["datasets"][0]["optimum_gap"], 1e-8)
        self.assertEqual(run["datasets"][0]["test_rows"], 80)
        self.assertEqual(run["command"][:2], ["s3gd", "compare"])
        self.assertRegex(out, r"first( narrowly)? within 1 % of F\*: \w+, ")
        self.assertIn("12 runs written to out", err)
        self.assertNotIn("report.html", err)
        for row in run["runs"]:
            points = row["points"]
            self.assertEqual(len({len(column) for column in points.values() if column is not None}), 1)
            self.assertEqual(points["iteration"], run["runs"][0]["points"]["iteration"])
            self.assertEqual(points["cpu_seconds"], sorted(points["cpu_seconds"]))
            self.assertGreaterEqual(points["cpu_seconds"][0], row["graph_cpu_seconds"])
            self.assertTrue(os.path.exists(self.path("out/" + row["weights"])))

    def test_objectives_are_those_of_the_saved_weights(self):
        """F computed anew, from the rows as text and the weights as stored."""
        self.run_program("convert", DATA, "rows.svm")
        rows = []
        for line in self.read("rows.svm").decode().splitlines():
            label, *entries = line.split()
            x = [0.0] * 8
            for entry in entries:
                column, value = entry.split(":")
                x[int(column) - 1] = float(value)
            length = math.sqrt(sum(value * value for value in x))
            rows.append((float(label), [value / length for value in x]))
        run, _, _ = self.compare("--validate", "0", "--lambda", "0.01", data="rows.svm")
        counts = {label: sum(1 for row in rows if row[0] == label) for label in {row[0] for row in rows}}
        largest = max(sorted(counts), key=lambda label: counts[label])
        self.assertNotEqual(*counts.values())  # or "the larger class" would say nothing
        for row in run["runs"]:
            *w, b = read_npy(self.read("out/" + row["weights"]))
            loss = 0
            for label, x in rows:
                y = 1 if label == largest else -1
                margin = b + sum(u * v for u, v in zip(w, x))
                loss += math.log1p(math.exp(-y * margin)) / counts[label] * (1 if y > 0 else counts[label] / (
                    len(rows) - counts[largest]))
            value = loss + 0.01 * (b * b + sum(u * u for u in w))
            self.assertAlmostEqual(row["objective"], value, delta=1e-6 * value)
            self.assertEqual(row["objective"], row["points"]["objective"][-1])
            self.assertGreaterEqual(value, run["datasets"][0]["optimum"] * (1 - 1e-6))

    def test_the_chosen_step_is_the_largest_stable_one(self):
        run, _, _ = self.compare("--steps", "0.05,0.5,2,50", "--target", "0.05")
        optimum = run["datasets"][0]["optimum"]
        for chosen in run["chosen"]:
            means = {}
            for row in run["runs"]:
                if row["label"] == chosen["label"]:
                    looks = [value for at, value in zip(row["points"]["iteration"], row["points"]["objective"]) if at > 350]
                    means.setdefault(row["step"], []).append(sum(looks) / len(looks))
            stable = [step for step, tails in means.items() if sum(tails) / len(tails) <= 1.05 * optimum]
            self.assertEqual(chosen["stable"], bool(stable))
            if stable:
                self.assertEqual(chosen["step"], max(stable))
            self.assertAlmostEqual(chosen["mean_tail"], sum(means[chosen["step"]]) / 2, places=12)

    def test_csv_holds_what_json_does(self):
        run, _, _ = self.compare("--gradients")
        same = lambda text, value: (text == "") if value is None else (
            text == value if isinstance(value, str) else json.loads(text) == value)
        with open(self.path("out/runs.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(run["runs"]))
        for row, expected in zip(rows, run["runs"]):
            self.assertEqual(set(row), set(expected) - {"points"})
            for name, text in row.items():
                self.assertTrue(same(text, expected[name]), (name, text, expected[name]))
        with open(self.path("out/points.csv"), newline="") as file:
            points = list(csv.DictReader(file))
        at = 0
        for expected in run["runs"]:
            for k in range(len(expected["points"]["iteration"])):
                for name, column in expected["points"].items():
                    self.assertTrue(same(points[at][name], column[k]), (name, points[at]))
                self.assertEqual(points[at]["key"], expected["key"])
                at += 1
        self.assertEqual(at, len(points))

    def test_runs_that_are_there_are_not_repeated(self):
        first, _, _ = self.compare()
        again, _, err = self.compare()
        self.assertEqual(first["runs"], again["runs"])
        self.assertIn("(12 were there)", err)
        self.assertIn("(8 were there)", self.compare("--solvers", "sgd,svrg,saga")[2])
        self.assertIn("(0 were there)", self.compare("--lambda", "0.1")[2])
        self.assertIn("(0 were there)", self.compare("--fresh")[2])

    def test_the_page_and_its_figures_are_made_from_it(self):
        run, _, err = self.compare("--solvers", "sgd,auto", "--trials", "1", pages=True)
        self.assertIn("out/report.html", err)
        page = self.read("out/report.html").decode()
        for words in ("sgd", "auto", run["machine"]["cpu"]):
            self.assertIn(words, page)
        self.assertTrue([name for name in os.listdir(self.path("out/figures")) if name.endswith(".svg")])

    def test_side_by_side_the_numbers_are_the_same(self):
        one, _, _ = self.compare(folder="one")
        several, _, err = self.compare("--jobs", "3", folder="several")
        self.assertEqual([row["points"]["objective"] for row in one["runs"]],
                         [row["points"]["objective"] for row in several["runs"]])
        self.assertIn("clocks are disturbed", err)

    def test_kill_9_loses_at_most_the_run_in_progress(self):
        longer = ["--iterations", "3000"]
        whole, _, _ = self.compare(*longer, folder="whole")
        chance = random.Random(1)
        kept = 0
        for _ in range(6):
            process = subprocess.Popen([PROGRAM, "compare", DATA, "-o", "cut", *small(*longer)], cwd=self.folder,
                                       env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.02, 0.3))
            process.send_signal(signal.SIGKILL)
            process.wait()
            there = [name for name in os.listdir(self.path("cut/runs")) if name.endswith(".json")] if os.path.isdir(
                self.path("cut/runs")) else []
            self.assertGreaterEqual(len(there), kept)
            kept = len(there)
            for name in there:  # each is whole
                self.assertIn("points", json.loads(self.read("cut/runs/" + name))["run"])
        rest, _, err = self.compare(*longer, folder="cut")
        self.assertIn(f"({kept} were there)", err)
        self.assertEqual(without_times(rest), without_times(whole))

    def test_ctrl_c_writes_what_is_done(self):
        process = subprocess.Popen([PROGRAM, "compare", DATA, "-o", "out", *small("--iterations", "2000000")],
                                   cwd=self.folder, env=self.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (os.path.isdir(self.path("out/runs")) and
                                                   os.listdir(self.path("out/runs"))):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        run = json.loads(self.read("out/run.json"))
        self.assertFalse(run["complete"])
        self.assertEqual(len(run["runs"]), len([n for n in os.listdir(self.path("out/runs")) if n.endswith(".json")]))
        self.assertNotIn("interrupted", {row["status"] for row in run["runs"]})

    def on_a_terminal(self, width, *arguments):
        """What the program writes to a terminal so wide."""
        main, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=end)
        os.close(end)
        said = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:  # nobody writes to it any more
                break
            if not part:
                break
            said += part
        os.close(main)
        self.assertEqual(process.wait(), 0)
        return said.decode()

    def test_on_a_terminal_it_says_what_it_does_in_one_line(self):
        arguments = ["compare", DATA, "-o", "out", *small("--iterations", "4000", "--trials", "3")]
        said = self.on_a_terminal(200, *arguments)
        drawn = [line for line in said.split("\r\x1b[K") if line.startswith("comparing ")]
        self.assertTrue(any(re.match(r"comparing \d+/18, .+ left  .+ (sgd|svrg|s3gd) step (0\.5|2) trial [123]", line)
                            for line in drawn), drawn)
        for line in said.replace("\r\x1b[K", "\n").splitlines():  # wiped away before anything else is said
            self.assertFalse(line.startswith("comparing ") and "written" in line, line)
        narrow = self.on_a_terminal(40, *arguments, "--fresh")
        drawn = [line for line in narrow.split("\r\x1b[K") if line.startswith("comparing ")]
        self.assertTrue(any(line.endswith("..") for line in drawn), drawn)
        for line in drawn:  # or it would wrap, and leave lines behind
            self.assertLess(len(line.rstrip("\r\n")), 40, line)

    def test_a_diverging_step_is_a_row_and_not_chosen(self):
        run, _, _ = self.compare("--loss", "squared", "--steps", "0.05,1000", "--scale", "none", "--solvers", "sgd",
                                 data="gen:regression?rows=300&cols=5")
        self.assertEqual([row["status"] for row in run["runs"] if row["step"] == 1000], ["diverged"] * 2)
        self.assertEqual(run["chosen"][0]["step"], 0.05)
        self.assertFalse(any(row["stable"] for row in run["runs"] if row["step"] == 1000))

    def test_time_that_is_up_before_the_first_step_is_no_divergence(self):
        run, out, _ = self.compare("--seconds", "1e-9", pages=True)
        self.assertEqual({row["status"] for row in run["runs"]}, {"out_of_time"})
        self.assertIn(0, [row["iterations"] for row in run["runs"] if row["solver"] == "s3gd"])
        self.assertNotIn("diverged", out)
        self.assertIn("ended by the clock", self.read("out/report.html").decode())

    def test_a_users_own_file_just_works(self):
        self.run_program("convert", "gen:regression?rows=300&cols=4", "mine.csv")
        out, err = self.run_program("compare", "mine.csv", "--quick", "--iterations", "300", "--solvers", "svrg,auto",
                                    "--no-pages")
        self.assertIn("mine: 240 x 4", out)
        self.assertIn("runs, about", err)
        run = json.loads(self.read("compare-mine/run.json"))
        self.assertEqual(run["datasets"][0]["classes"], 0)  # real labels: the squared loss
        self.assertIn("auto", [row["solver"] for row in run["runs"]])

    def test_a_plan_file_and_options_before_it(self):
        self.write("plan.json", json.dumps({"title": "t", "datasets": [DATA], "steps": [1], "trials": 3,
                                            "iterations": 100, "solvers": ["sgd", "s3gd:anchors=5,label=five"]}))
        summary = self.run_json("compare", "--plan", "plan.json", "--trials", "1", "--no-pages")
        self.assertEqual(summary["runs"], 2)
        self.assertEqual(summary["protocol"]["solvers"], ["sgd", "five"])
        self.assertEqual(summary["folder"], "compare-plan")
        self.assertEqual({verdict["with_graph"] for verdict in summary["verdicts"]}, {True, False})
        estimate = self.run_json("compare", "--plan", "plan.json", "--estimate", "-o", "nowhere")
        self.assertEqual(estimate["runs"], 6)
        self.assertFalse(os.path.exists(self.path("nowhere/run.json")))

    def test_mistakes_are_named(self):
        self.assertIn("sdg", self.error_of("compare", DATA, "--solvers", "sgd,sdg", expect=2))
        self.assertIn("anchor", self.error_of("compare", DATA, "--solver", "s3gd:anchor=5", expect=2))
        self.assertIn("'0'", self.error_of("compare", DATA, "--steps", "0", expect=2))
        self.assertIn("DATA", self.error_of("compare", expect=2))
        self.assertIn("missing.csv", self.error_of("compare", "missing.csv", "-o", "x"))
        self.write("plan.json", '{"datasets": ["a"], "trails": 3}')
        self.assertIn("trials", self.error_of("compare", "--plan", "plan.json"))
        self.assertIn("JSON", self.error_of("compare", "--plan", self.write("bad.json", "{")))
        self.assertIn("--scale", self.error_of("compare", DATA, "--scale", "hugely", expect=2))
        self.assertIn("tail", self.error_of("compare", DATA, "--iterations", "10", "--tail", "20", expect=2))


if __name__ == "__main__":
    unittest.main()
