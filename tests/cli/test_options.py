"""The table of options: what `list options` shows, what is refused from everywhere, and that docs/cli.md has the same."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from program import PROGRAM, ProgramTest

DATA = "gen:manifold?rows=120&cols=4"
MANY = "gen:manifold?rows=120&cols=4&classes=3"
ROOT = Path(__file__).resolve().parent.parent.parent


class Table(ProgramTest):
    def test_the_documentation_has_the_tables_of_the_program(self):
        subprocess.run([sys.executable, ROOT / "tools" / "option_tables", PROGRAM, "--check"], check=True)

    def test_every_option_of_a_fit_is_in_the_table_and_the_other_way_round(self):
        listed = {row["name"]: row for row in self.run_json("list", "options")["options"]}
        text, _ = self.run_program("help", "train")
        for name, row in listed.items():
            self.assertIn(f"--{name}", text.replace(",", " ").split() + ["--seed"], name)
            self.assertTrue(row["about"].endswith("."), name)
        short, _ = self.run_program("list", "options")
        self.assertEqual([line.split()[0] for line in short.splitlines() if not line.startswith(" ")], list(listed))

    def test_one_option_is_explained(self):
        out, _ = self.run_program("list", "options", "step")
        self.assertIn("--step STEP", out)
        self.assertIn("until it diverges", out)
        self.assertEqual(self.run_json("list", "options", "lambda")["default"], "0.001")
        self.assertIn("did you mean 'lambda'", self.error_of("list", "options", "lamda", expect=2))
        self.assertIn("list options", self.error_of("list", "losses", "logistic", expect=2))


class Refusals(ProgramTest):
    def test_an_option_that_would_do_nothing_is_refused_and_named(self):
        for arguments, phrase in (
                (["--solver", "newton", "--step", "1"], "--step changes nothing with --solver newton"),
                (["--solver", "newton", "--step", "1"], "leave it out, or use --solver auto, s3gd, sgd"),
                (["--solver", "dual", "--batch", "3"], "--batch changes nothing with --solver dual"),
                (["--solver", "gd", "--inner", "3"], "--inner changes nothing with --solver gd"),
                (["--solver", "sgd", "--anchors", "3"], "--anchors changes nothing with --solver sgd"),
                (["--solver", "ssgd", "--order", "shuffled"], "--order changes nothing with --solver ssgd"),
                (["--solver", "lbfgs", "--trace-gradients"], "--trace-gradients changes nothing with --solver lbfgs"),
                (["--beta", "3"], "--beta changes nothing with --loss logistic"),
                (["--alpha", "0.2"], "--alpha changes nothing with --penalty l2"),
                (["--penalty", "none", "--lambda", "0.1"], "--lambda changes nothing with --penalty none"),
                (["--patience", "3"], "--patience changes nothing without --early-stop")):
            self.assertIn(phrase, self.error_of("train", DATA, *arguments, expect=2))

    def test_so_it_is_for_softmax(self):
        for options in (["--step", "decay:1,20"], ["--order", "shuffled"], ["--average"], ["--trace-gradients"]):
            said = self.error_of("train", MANY, "--multiclass", "softmax", "--solver", "quasi-newton", *options, expect=2)
            self.assertIn("changes nothing with --solver quasi-newton for softmax", said)

    def test_so_it_is_in_other_commands_in_configurations_and_in_plans(self):
        for command in ("path", "cv"):
            self.assertIn("--alpha changes nothing", self.error_of(command, DATA, "--alpha", "0.2", expect=2))
        self.write("c.toml", "[train]\nsolver = \"newton\"\nbatch = 3\n")
        self.assertIn("--batch changes nothing", self.error_of("train", DATA, "--config", "c.toml", expect=2))
        for solver in ("newton:batch=3", "sgd:anchors=5", "newton:step=1"):
            self.assertIn("changes nothing", self.error_of("compare", DATA, "--solver", solver, expect=2))
        self.write("plan.json", json.dumps({"datasets": [DATA], "solvers": [{"solver": "sgd", "anchors": 5}]}))
        said = self.error_of("compare", "--plan", "plan.json", expect=2)
        self.assertIn("plan.json: anchors changes nothing with solver sgd", said)
        self.write("plan.json", json.dumps({"datasets": [DATA], "beta": 5}))
        self.assertIn("beta changes nothing with loss logistic", self.error_of("compare", "--plan", "plan.json", expect=2))

    def test_what_is_at_its_default_or_the_papers_is_not_counted(self):
        self.run_program("train", DATA, "--solver", "newton", "--batch", "10", "--step", "auto")
        self.run_program("train", DATA, "--paper", "--solver", "newton")
        self.assertIn("--kernel", self.error_of("train", DATA, "--paper", "--solver", "newton", "--kernel", "scaled", expect=2))

    def test_numbers_out_of_range_say_what_was_expected(self):
        for arguments, phrase in ((["--lambda", "-1"], "--lambda: found '-1', expected a number from 0 up"),
                                  (["--alpha", "2"], "expected a number from 0 to 1"),
                                  (["--anchors", "0"], "expected a whole number from 1 up"),
                                  (["--tol", "inf"], "expected a number from 0 up")):
            self.assertIn(phrase, self.error_of("train", DATA, *arguments, expect=2))


class WholeTable(ProgramTest):
    """Every option x every solver, loss, penalty and kind of problem that the table says it does nothing for."""

    def setUp(self):
        super().setUp()
        self.table = self.run_json("list", "options")["options"]
        self.solvers = [row["name"] for row in self.run_json("list", "solvers")["solvers"]]
        self.write("numbers.txt", "1\n2\n1\n2\n")

    def value(self, row):
        if not row["takes"]:
            return True
        if row["choices"]:
            return next(word for word in row["choices"] if word != row["default"])
        by_name = {"step": "0.5", "header": "yes", "penalty-factor": "numbers.txt", "warm-start": "numbers.txt"}
        return by_name.get(row["name"]) or {"N": "3", "X": "0.25", "FRACTION": "0.25", "T0": "7"}.get(row["takes"], "word")

    def choices(self, name):
        return next(row for row in self.table if row["name"] == name)["choices"] or ["l2", "l1", "elastic-net", "l1-l2norm", "none"]

    def idle(self):
        """(row, what decides, its value, kind of problem) for all that is to be refused."""
        for row in self.table:
            for by, good in row["decided_by"].items():
                if by in ("solver", "softmax"):
                    for kind in ("one", "ovr") if by == "solver" else ("softmax",):
                        yield from ((row, "solver", solver, kind) for solver in self.solvers if solver not in good)
                elif good:
                    yield from ((row, by, word, "one") for word in self.choices(by) if word not in good)
                else:
                    yield row, None, None, "one"

    def test_the_program_refuses_what_does_nothing(self):
        seen = set()
        for row, by, word, kind in self.idle():
            value = self.value(row)
            said = self.error_of("train", DATA if kind == "one" else MANY, *([] if kind == "one" else ["--multiclass", kind]),
                                 *([f"--{by}", word] if by else []), f"--{row['name']}", *([] if value is True else [value]), expect=2)
            self.assertRegex(said, f"--{row['name']} (changes nothing|fits probabilities)")
            seen.add(row["name"])
        self.assertLessEqual({"step", "graph", "early-stop", "patience", "calibrate", "C", "resume", "knee", "alpha"}, seen)

    def test_so_it_is_for_penalties_of_all_classes_together_and_for_softmax(self):
        for option, value, penalty in (("alpha", "0.25", "group"), ("alpha", "0.25", "nuclear"), ("C", "2", "group"),
                                       ("C", "2", "nuclear"), ("penalty-factor", "numbers.txt", "nuclear")):
            said = self.error_of("train", MANY, "--penalty", penalty, f"--{option}", value, expect=2)
            self.assertIn(f"--{option} changes nothing with --penalty {penalty}", said)
        for how in ([], ["--multiclass", "softmax"]):
            self.assertIn("softmax has probabilities", self.error_of("train", MANY, *how, "--calibrate", "0.25", expect=2))

    def test_plans_refuse_what_does_nothing(self):
        own = {"seed", "threads", "tol", "seconds", "iterations", "validate"}  # a plan means other members by these
        refused = 0
        for row, by, word, kind in self.idle():
            if kind != "one" or not row["plan"] or (by == "solver" and word in ("quasi-newton", "prox-newton")):
                continue
            said = {row["name"]: self.value(row)}
            if row["name"] in ("penalty-factor", "reading"):
                continue  # files alone can say it; the problem of a plan is the paper's without being asked for
            plan = {"solvers": [{"solver": word, **said}]} if by == "solver" else {by: word, **said}
            self.refused_plan(plan, row["name"])
            refused += 1
        self.assertGreater(refused, 50)
        for row in self.table:
            if not row["plan"] and row["name"] not in own:
                self.refused_plan({row["name"]: self.value(row)}, row["name"])

    def refused_plan(self, plan, name):
        self.write("plan.json", json.dumps({"datasets": [DATA], **plan}))
        said = self.error_of("compare", "--plan", "plan.json", "--estimate", expect=2)
        self.assertIn(f"{name} changes nothing", said)


class Codes(ProgramTest):
    def test_advice_has_codes_and_values(self):
        fit = self.run_json("train", DATA, "--solver", "sgd", "--passes", "1", "--tol", "1e-9", expect=3)
        self.assertIn("--solver auto finishes exactly", fit["advice"][0])
        self.assertEqual(fit["advice_codes"][0]["code"], "stopped_short")
        self.assertEqual(fit["advice_codes"][0]["values"]["tol"], 1e-9)
        self.assertEqual(len(fit["advice"]), len(fit["advice_codes"]))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    unittest.main()
