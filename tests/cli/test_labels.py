"""Labels of CSV files that are digits, but names: from training to predictions and metrics."""
import unittest

from program import ProgramTest


class Labels(ProgramTest):
    def round_trip(self, names, expected=None):
        rows = [(names[i % len(names)], i % len(names) + 0.1 * (i % 7), (i * i) % 5) for i in range(40 * len(names))]
        self.write("d.csv", "label,a,b\n" + "".join(f"{label},{a},{b}\n" for label, a, b in rows))
        self.run_program("train", "d.csv", "-o", "m", "--lambda", "1e-6")
        self.assertEqual(self.run_json("inspect", "m")["classes"], sorted(expected or names))
        predicted, _ = self.run_program("predict", "m", "d.csv", "-o", "-")
        self.assertEqual(set(predicted.split()), set(expected or names))
        judged = self.run_json("predict", "m", "d.csv")
        self.assertNotIn("unknown_labels", judged)
        self.assertGreater(judged["accuracy"], 0.9)

    def test_codes(self):
        self.round_trip(["007", "012"])
        self.round_trip(["007", "12"])
        self.round_trip(["12345678901234567890", "12345678901234567891"])

    def test_numbers_beside_words(self):
        self.round_trip(["1", "a", "2"])
        self.round_trip(["1.0", "a"], ["1", "a"])

    def test_a_word_among_numbers_to_regress_on_is_an_error(self):
        self.write("d.csv", "label,a\n1.5,1\nx,2\n2.5,3\n")
        self.assertIn("d.csv:3:1", self.error_of("train", "d.csv", "--loss", "squared"))


if __name__ == "__main__":
    unittest.main()
