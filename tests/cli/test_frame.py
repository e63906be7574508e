"""Help, exit codes, suggestions, configuration files, closed pipes."""
import re
import subprocess
import unittest

from program import PROGRAM, ProgramTest


class Help(ProgramTest):
    def commands(self):
        out, _ = self.run_program("--help")
        return re.findall(r"^  ([a-z]+) ", out, re.MULTILINE)

    def assert_fits_a_screen(self, text, lines):
        self.assertLessEqual(text.count("\n"), lines, text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_the_programs_help_names_every_command_and_fits_a_screen(self):
        out, err = self.run_program("--help")
        self.assertEqual(err, "")
        self.assert_fits_a_screen(out, 48)
        for command in ("inspect", "convert", "data", "list"):
            self.assertIn(command, self.commands())
        self.assertEqual(self.run_program("help")[0], out)
        self.assertEqual(self.run_program(expect=2)[0], out)

    def test_every_command_has_a_summary_a_usage_line_and_an_example(self):
        for command in self.commands():
            out, err = self.run_program(command, "--help")
            self.assertEqual(err, "")
            self.assertIn(f"Usage: s3gd {command}", out)
            self.assertIn(f"\nExample\n  s3gd {command}", out)
            self.assertIn("--json", out)
            self.assert_fits_a_screen(out, 90 if command == "train" else 70)  # train: some fifty options
            self.assertEqual(self.run_program("help", command)[0], out)

    def test_help_wins_over_missing_and_wrong_arguments(self):
        self.assertIn("Usage:", self.run_program("inspect", "--layout", "nonsense", "--help")[0])

    def test_version(self):
        self.assertRegex(self.run_program("--version")[0], r"^s3gd \d+\.\d+\.\d+ \(.+\)\n$")
        self.assertEqual(set(self.run_json("--version")), {"version", "instruction_set", "build_type"})


class Usage(ProgramTest):
    def test_an_unknown_command_option_or_value_names_the_nearest(self):
        self.assertIn("did you mean 'inspect'?", self.error_of("inspct", expect=2))
        self.assertIn("did you mean 'inspect'?", self.error_of("help", "inspekt", expect=2))
        self.assertIn("did you mean '--layout'?", self.error_of("inspect", "x.svm", "--layuot", "dense", expect=2))
        self.assertIn("did you mean '--layout'?", self.error_of("inspect", "--layuot=dense", expect=2))
        self.assertIn("did you mean 'sparse'?", self.error_of("inspect", "x.svm", "--layout", "sprase", expect=2))
        self.assertIn("did you mean 'losses'?", self.error_of("list", "loses", expect=2))
        self.assertIn("one of", self.error_of("list", "bananas", expect=2))

    def test_missing_and_superfluous_arguments(self):
        self.assertIn("DATA", self.error_of("inspect", expect=2))
        self.assertIn("'b.svm'", self.error_of("inspect", "a.svm", "b.svm", expect=2))
        self.error_of("inspect", "a.svm", "--seed", expect=2)

    def test_numbers_are_checked(self):
        for bad in ("-1", "x", "1.5", "", "99999999999999999999999"):
            self.assertIn("expected a whole number", self.error_of("list", "losses", "--seed", bad, expect=2))
        self.assertIn("0 to 4096", self.error_of("list", "losses", "--threads", "5000", expect=2))

    def test_with_json_an_error_is_an_object_as_well(self):
        for arguments, code in ((["inspect", "missing.svm"], 1), (["inspect"], 2), (["nonsense"], 2)):
            result = self.run_json(*arguments, expect=code)
            self.assertEqual(result["status"], "error")
            self.assertTrue(result["error"])

    def test_common_options_may_stand_before_the_command(self):
        out, _ = self.run_program("--json", "--seed", "3", "list", "losses")
        self.assertTrue(out.startswith("{"))


class Configuration(ProgramTest):
    def test_a_file_gives_options_and_the_command_line_wins(self):
        self.write("a.svm", "1 1:1\n2 1:2 2:5\n")
        config = self.write("c.toml", 'layout = "sparse"\n[inspect]\nprecision = "double"\n[convert]\nscale = "max-abs"\n')
        result = self.run_json("inspect", "a.svm", "--config", config)
        self.assertEqual((result["layout"], result["precision"]), ("sparse", "double"))
        result = self.run_json("inspect", "a.svm", "--config", config, "--layout", "dense")
        self.assertEqual(result["layout"], "dense")

    def test_a_section_wins_over_the_lines_for_all(self):
        self.write("a.svm", "1 1:1\n2 1:2 2:5\n")
        config = self.write("c.ini", "layout = sparse\n[inspect]\nlayout = dense\n")
        self.assertEqual(self.run_json("inspect", "a.svm", "--config", config)["layout"], "dense")

    def test_a_bad_file_is_one_clear_error(self):
        cases = {
            "unknown.toml": ("layuot = 'dense'\n", "did you mean 'layout'?"),
            "section.toml": ("[inspekt]\nlayout = 'dense'\n", "did you mean 'inspect'?"),
            "value.toml": ("layout = 'dens'\n", "did you mean 'dense'?"),
            "binary.toml": (b"\x00\x01\x02", "no text"),
            "long.toml": (b"#" * (1 << 21), "1 MB"),
        }
        for name, (content, expected) in cases.items():
            config = self.write(name, content)
            self.assertIn(expected, self.error_of("inspect", "x.svm", "--config", config, expect=2), name)
        for path in (self.folder, self.path("missing.toml")):
            self.assertIn(path, self.error_of("inspect", "x.svm", "--config", path, expect=1))


class Output(ProgramTest):
    def test_a_reader_that_goes_away_is_no_error(self):
        process = subprocess.Popen([PROGRAM, "data", "list", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=self.environment)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(60), 0)

    def test_a_full_disk_is_an_error(self):
        try:
            full = open("/dev/full", "wb")
        except OSError:
            self.skipTest("no /dev/full here")
        with full:
            done = subprocess.run([PROGRAM, "data", "list"], stdout=full, stderr=subprocess.PIPE, env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output", done.stderr)

    def test_lists_hold_a_line_for_each_name(self):
        for topic, known in (("losses", "logistic"), ("penalties", "elastic-net"), ("formats", "libsvm"),
                             ("generators", "manifold"), ("scalings", "unit-rows"), ("exports", "onnx")):
            self.assertIn(known, [line["name"] for line in self.run_json("list", topic)[topic]])
            out, _ = self.run_program("list", topic)
            self.assertRegex(out, rf"(?m)^{known} ")
            self.assertTrue(all(len(line) <= 80 for line in out.splitlines()), out)


if __name__ == "__main__":
    unittest.main()
