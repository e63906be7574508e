"""What is said about options and files that cannot be used."""
import os
import unittest

from program import ProgramTest

CSV = "label,a,b\n" + "".join(f"{i % 2},{i % 7},{(i * i) % 11}\n" for i in range(60))


class Options(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("d.csv", CSV)

    def test_zero_is_no_limit(self):
        for command, option in (("train", "--passes"), ("train", "--seconds"), ("train", "--iterations"), ("path", "--ratio"),
                                ("path", "--lambda-min"), ("path", "--passes"), ("cv", "--seconds")):
            for value in ("0", "-1"):
                self.assertIn(option, self.error_of(command, "d.csv", f"{option}={value}", expect=2))

    def test_places_that_cannot_be_used(self):
        os.mkdir(self.path("folder"))
        self.assertIn("folder", self.error_of("train", "d.csv", "--checkpoint", "folder", expect=2))
        self.assertIn("nowhere.toml", self.error_of("train", "d.csv", "--config", "nowhere.toml", expect=1))
        self.assertNotIn("filesystem error", self.error_of("reproduce", "-o", "d.csv/below"))

    def test_factors_that_are_all_zero(self):
        self.write("f.txt", "0\n0\n")
        self.assertIn("factors", self.error_of("path", "d.csv", "--penalty", "l1", "--penalty-factor", "f.txt"))

    def test_help_names_every_penalty_and_no_empty_default(self):
        for command in ("train", "path", "cv", "predict", "reproduce", "compare"):
            text, _ = self.run_program("help", command)
            self.assertNotIn("[[]]", text)
        for command in ("train", "path", "cv"):
            text, _ = self.run_program("help", command)
            self.assertIn("nuclear", text.split("--penalty-factor")[0])


class Predict(ProgramTest):
    def test_columns_beyond_the_model(self):
        self.write("d.svm", "1 1:1 2:3\n-1 1:2 2:1\n" * 20)
        self.write("wide.svm", "1 1:1 2:3 9:1\n-1 1:2 2:1\n")
        self.run_program("train", "d.svm", "-o", "m")
        self.assertIn("9 columns, the model 2", self.run_program("predict", "m", "wide.svm")[1])
        self.assertEqual(self.run_program("predict", "m", "d.svm")[1], "")

    def test_a_column_of_weights(self):
        self.write("w.csv", CSV.replace("label,a,b", "label,a,wt"))
        self.run_program("train", "w.csv", "--sample-weight", "wt", "-o", "m")
        self.assertIn("--weight-column", self.error_of("predict", "m", "w.csv"))
        self.run_program("predict", "m", "w.csv", "--weight-column", "wt")


class Models(ProgramTest):
    def test_rank_of_a_nuclear_fit(self):
        rows = "".join(f"{'abc'[i % 3]},{i % 7},{(i * i) % 11},{i % 5}\n" for i in range(90))
        self.write("d.csv", "label,x,y,z\n" + rows)
        for strength in ("1e-4", "0.3"):
            fit = self.run_json("train", "d.csv", "--penalty", "nuclear", "--lambda", strength, "--tol", "1e-6", "-o", "m")
            self.assertEqual(self.run_json("inspect", "m")["rank"], fit["rank"])
            self.assertIn(f"of rank {fit['rank']}", self.run_program("inspect", "m")[0])

    def test_names_with_blanks_for_vowpal_wabbit(self):
        self.write("d.csv", CSV.replace("label,a,b", "label,a 100% b,c:d|e"))
        self.run_program("train", "d.csv", "-o", "m")
        out, said = self.run_program("export", "m", "--format", "vw")
        self.assertIn(" a%20100%25%20b:1\n", out)
        self.assertIn(" c%3Ad%7Ce:1\n", out)
        self.assertIn("%20", said)


if __name__ == "__main__":
    unittest.main()
