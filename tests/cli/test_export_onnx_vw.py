"""Exported models must predict what `s3gd predict` does: ONNX, Vowpal Wabbit, and whole test sets of real data."""
import json
import os
import shutil
import subprocess
import unittest

from export_case import HERE, MODELS, TEST_PYTHON, UNIT_ROWS, ExportTest, needs_python

DATA = os.environ.get("S3GD_DATA", "")


class Onnx(ExportTest):
    @needs_python
    def test_the_reference_evaluator_predicts_the_same(self):
        for name, (data, options) in {**MODELS, **UNIT_ROWS}.items():
            self.fit(data, options)
            found = self.by_onnx()
            if "value" in found:
                self.assert_close([[value] for value in found["value"]], self.predictions(), 1e-12, name)
                continue
            self.assertEqual([str(label) for label in found["label"]], self.labels, name)
            self.assert_close(found["margins"], self.margins, 1e-12, name)
            hinge = "--loss" in options and "--calibrate" not in options
            self.assertEqual("probabilities" in found, not hinge, name)
            if not hinge:
                self.assert_close(found["probabilities"], self.probabilities(), 1e-12, name)

    @needs_python
    def test_words_are_labels_and_names_are_kept(self):
        self.write("words.csv", "x,y,kind\n" + "1,2,süß\n-1,0,ham\n2,1,süß\n-2,1,ham\n" * 5)
        self.run_program("train", "words.csv", "--label-column", "kind", "-o", "m.model")
        self.predict("words.csv")
        self.rows = self.write("numbers.csv", "1,2\n-1,0\n2,1\n-2,1\n" * 5)
        self.run_program("convert", "numbers.csv", "rows.npy", "--label-column", "none", "--header", "no")
        out = subprocess.run([TEST_PYTHON, HERE / "onnx_predict.py", self.export("onnx", "m.onnx"), self.path("rows.npy")],
                             check=True, stdout=subprocess.PIPE)
        found = json.loads(out.stdout)
        self.assertEqual(found["label"], self.labels)
        self.assertEqual(json.loads(found["properties"]["feature_names"]), ["x", "y"])


class VowpalWabbit(ExportTest):
    def vw(self, *arguments):
        subprocess.run([TEST_PYTHON, "-m", "vowpalwabbit", *arguments, "--quiet"], check=True, cwd=self.folder)

    def predicted(self, rows, *options):
        """Makes the model by the command the program names; predictions of `rows`, text of one row each."""
        _, err = self.run_program("export", "m.model", "--format", "vw", "-o", "lessons.txt")
        command = next(line for line in err.splitlines() if "make the model: vw " in line).split("make the model: vw ")[1]
        names = {"THIS_FILE": "lessons.txt", "MODEL": "vw.model"}
        self.vw(*[names.get(word, word) for word in command.split()])
        self.write("rows.txt", "".join(f"| {row}\n" for row in rows))
        self.vw("-t", "-i", "vw.model", "-d", "rows.txt", "-p", "out.txt", *options)
        return [float(line) for line in self.read("out.txt").decode().split()]

    @needs_python
    def test_it_learns_the_model_and_predicts_the_same(self):
        for name, (data, options) in MODELS.items():
            self.fit(data, options)
            rows = [" ".join(f"{column + 1}:{value!r}" for column, value in row) for row in self.sparse_rows()]
            found = self.predicted(rows)
            if len(self.margins[0]) > 1:
                self.assertEqual([str(int(number) - 1) for number in found], self.labels, name)
            else:
                self.assert_close([[value] for value in found], self.margins, 3e-6, name)

    @needs_python
    def test_its_logistic_link_gives_the_probabilities(self):
        self.fit(*MODELS["two classes"])
        rows = [" ".join(f"{column + 1}:{value!r}" for column, value in row) for row in self.sparse_rows()]
        expected = [[p[1]] for p in self.probabilities()]
        self.assert_close([[p] for p in self.predicted(rows, "--link", "logistic")], expected, 1e-5, "logistic")

    @needs_python
    def test_features_keep_their_names(self):
        self.write("rows.csv", "height,width,kind\n" + "1,2,a\n-1,0,b\n2,1,a\n-2,1,b\n" * 5)
        self.run_program("train", "rows.csv", "--label-column", "kind", "-o", "m.model")
        self.predict("rows.csv")
        rows = [f"width:{width} height:{height}" for height, width in [(1, 2), (-1, 0), (2, 1), (-2, 1)] * 5]
        self.assert_close([[value] for value in self.predicted(rows)], self.margins, 3e-6, "names")


class RealData(ExportTest):
    """The whole test set: labels must be the same for every row."""

    def fit_real(self, name, options):
        folder = os.path.join(DATA, name)
        if not DATA or not os.path.isdir(folder):
            self.skipTest(f"S3GD_DATA has no {name}")
        self.write_rows(os.path.join(folder, "test.svm.zst"))
        self.run_program("train", os.path.join(folder, "train.svm.zst"), "-o", "m.model", *options)
        self.predict("rows.svm")

    def check_all(self, name, options):
        self.fit_real(name, options)
        if shutil.which("liblinear-predict"):
            self.assertEqual(self.by_liblinear(), self.labels)
        if shutil.which("cc"):
            found = self.by_c("-DCLASSES", "-DPROBABILITIES")
            outputs = len(self.margins[0])
            self.assertEqual([row[2 * outputs] for row in found], self.labels)
        if TEST_PYTHON.exists():
            found = self.by_onnx()
            self.assertEqual([str(label) for label in found["label"]], self.labels)
            self.assert_close(found["margins"], self.margins, 1e-12, name)

    def test_two_classes(self):
        self.check_all("a9a", [])

    def test_seven_classes(self):
        self.check_all("covtype-93k", ["--multiclass", "ovr", "--tol", "1e-2"])


if __name__ == "__main__":
    unittest.main()
