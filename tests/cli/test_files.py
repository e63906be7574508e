"""No command writes over what it reads, or twice to the same place; it says so before it does anything."""
import os
import unittest

from program import ProgramTest

CSV = "label,a,b\n" + "".join(f"{i % 2},{i % 7},{(i * i) % 11}\n" for i in range(60))


class Clashes(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("d.csv", CSV)
        self.run_program("train", "d.csv", "-o", "m")
        os.symlink("d.csv", self.path("soft.csv"))
        os.link(self.path("d.csv"), self.path("hard.csv"))

    def refused(self, *arguments):
        before = {name: self.read(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        text = self.error_of(*arguments, expect=2)
        self.assertIn("name the same file", text)
        after = {name: self.read(name) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))}
        self.assertEqual(before, after)
        return text

    def test_over_what_is_read(self):
        self.write("w.txt", "1\n" * 60)
        self.write("f.txt", "1\n1\n")
        self.write("c.toml", "lambda = 0.1\n")
        for arguments in (["train", "d.csv", "-o", "d.csv"], ["train", "d.csv", "--trace", "d.csv"],
                          ["train", "d.csv", "--report", "d.csv"], ["train", "d.csv", "--checkpoint", "d.csv"],
                          ["train", "d.csv", "--validate", "hard.csv", "-o", "hard.csv"],
                          ["train", "d.csv", "--sample-weight", "w.txt", "-o", "w.txt"],
                          ["train", "d.csv", "--penalty-factor", "f.txt", "-o", "f.txt"],
                          ["train", "d.csv", "--warm-start", "m", "--checkpoint", "m"],
                          ["train", "d.csv", "--config", "c.toml", "-o", "c.toml"],
                          ["predict", "m", "d.csv", "-o", "m"], ["predict", "m", "d.csv", "-o", "d.csv"],
                          ["graph", "d.csv", "-o", "d.csv"], ["export", "m", "--format", "c", "-o", "m"],
                          ["path", "d.csv", "-o", "d.csv"], ["cv", "d.csv", "--report", "d.csv"],
                          ["convert", "d.csv", "d.csv"]):
            self.refused(*arguments)

    def test_by_any_name(self):
        os.mkdir(self.path("sub"))
        for other in ("./d.csv", "sub/../d.csv", self.path("d.csv"), "soft.csv", "hard.csv"):
            self.assertIn("DATA", self.refused("train", "d.csv", "-o", other))
            self.refused("train", other, "-o", "d.csv")

    def test_two_outputs_in_one_place(self):
        for arguments in (["train", "d.csv", "-o", "x", "--checkpoint", "x"], ["train", "d.csv", "-o", "x", "--report", "./x"],
                          ["train", "d.csv", "-o", "x.csv", "--trace", "x.csv"], ["cv", "d.csv", "-o", "x", "--report", "x"]):
            self.refused(*arguments)
            self.assertFalse(os.path.exists(self.path("x")))

    def test_a_known_dataset(self):
        self.environment["S3GD_DATA"] = self.path("sets")
        self.write("sets/mine/train.csv", CSV)
        self.assertIn("same file", self.error_of("train", "mine", "-o", "sets/mine/train.csv", expect=2))
        self.assertEqual(self.read("sets/mine/train.csv").decode(), CSV)

    def test_what_is_no_clash(self):
        self.run_program("train", "d.csv", "--warm-start", "m", "-o", "m")  # goes on from it
        self.run_program("predict", "m", "d.csv")
        self.run_program("train", "d.csv", "-o", "/dev/null", "--report", "/dev/null")
        self.run_program("export", "m", "--format", "json", "-o", "-")
        self.run_program("train", "-", "-o", "x", stdin=CSV.encode())


if __name__ == "__main__":
    unittest.main()
