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
