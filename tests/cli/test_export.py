"""Exported models, read by the programs they are for: each must predict what `s3gd predict` does."""
import json
import math
import os
import shutil
import struct
import subprocess
import unittest
from pathlib import Path

from program import ProgramTest

HERE = Path(__file__).resolve().parent
TEST_PYTHON = HERE.parents[1] / "build" / "tests" / "venv" / "bin" / "python"
DATA = os.environ.get("S3GD_DATA", "")

needs_liblinear = unittest.skipUnless(shutil.which("liblinear-predict"),
                                      "no liblinear-predict: run `tools/setup test`")
needs_python = unittest.skipUnless(TEST_PYTHON.exists(), "no onnx and vowpalwabbit: run `tools/setup test`")
needs_compiler = unittest.skipUnless(shutil.which("cc"), "no C compiler")

# Each: rows, options of train. All labels are whole numbers.
MODELS = {
    "two classes": ("gen:manifold?rows=400&cols=12", []),
    "two classes by a hinge": ("gen:manifold?rows=400&cols=12&seed=3", ["--loss", "smooth-hinge"]),
    "two classes, calibrated": ("gen:manifold?rows=400&cols=12", ["--loss", "squared-hinge", "--calibrate", "0.3"]),
    "no intercept": ("gen:manifold?rows=400&cols=12", ["--intercept", "none"]),
    "sparse weights": ("gen:text?rows=500&cols=3000", ["--penalty", "l1", "--lambda", "3e-3"]),
    "no weights at all": ("gen:manifold?rows=100&cols=5", ["--penalty", "l1", "--lambda", "100"]),
    "one against the rest": ("gen:manifold?rows=400&cols=8&classes=4", ["--binary", "2"]),
    "four classes": ("gen:manifold?rows=600&cols=8&classes=4", ["--multiclass", "ovr"]),
    "four classes by hinges": ("gen:manifold?rows=600&cols=8&classes=4",
                               ["--multiclass", "ovr", "--loss", "squared-hinge"]),
    "four classes, calibrated": ("gen:manifold?rows=600&cols=8&classes=4",
                                 ["--multiclass", "ovr", "--loss", "squared-hinge", "--calibrate", "0.3"]),
    "regression": ("gen:regression?rows=300&cols=9", ["--loss", "squared"]),
}
UNIT_ROWS = {
    "unit rows": ("gen:manifold?rows=400&cols=12", ["--scale", "unit-rows"]),
    "unit rows, regression": ("gen:regression?rows=300&cols=9", ["--loss", "squared", "--scale", "unit-rows"]),
}


def as_float(text):
    """The float nearest to a number in text: what s3gd reads by default, other programs read a double."""
    return struct.unpack("f", struct.pack("f", float(text)))[0]


class ExportTest(ProgramTest):
    def fit(self, data, options):
        """Trains m.model on rows that are also in rows.svm, and keeps what predict says of them."""
        self.write_rows(data)
        self.run_program("train", "rows.svm", "-o", "m.model", *options)
        self.predict("rows.svm")

    def write_rows(self, data):
        """rows.svm, with digits enough that a float and a double read from them are the same number."""
        self.run_program("convert", data, "rows.svm")
        lines = []
        for line in self.read("rows.svm").decode().splitlines():
            label, *pairs = line.split()
            split = (pair.split(":") for pair in pairs)
            lines.append(" ".join([label, *(f"{index}:{as_float(value)!r}" for index, value in split)]) + "\n")
        self.write("rows.svm", "".join(lines))

    def predict(self, rows):
        self.rows = self.path(rows)
        self.margins = [self.numbers(line) for line in self.lines("predict", "m.model", rows, "--margin", "-o", "-")]
        self.labels = self.lines("predict", "m.model", rows, "-o", "-")

    def probabilities(self):
        """One list a row, a number for each class."""
        lines = [self.numbers(line) for line in self.lines("predict", "m.model", self.rows, "--proba", "-o", "-")]
        return [p if len(p) > 1 else [1 - p[0], p[0]] for p in lines]

    @staticmethod
    def numbers(line):
        return [float(word) for word in line.replace(",", " ").split()]

    def lines(self, *arguments):
        return self.run_program(*arguments)[0].splitlines()

    def export(self, form, name):
        self.run_program("export", "m.model", "--format", form, "-o", name)
        return self.path(name)

    def sparse_rows(self):
        """The rows of the LIBSVM file, as lists of (column from 0, value)."""
        rows = []
        with open(self.rows) as file:
            for line in file:
                pairs = (word.split(":") for word in line.split()[1:])
                rows.append([(int(index) - 1, float(value)) for index, value in pairs])
        return rows

    def assert_close(self, found, expected, tolerance, message):
        """Lists of lists; `tolerance` is relative to the largest number."""
        self.assertEqual([len(row) for row in found], [len(row) for row in expected], message)
        scale = max((abs(number) for row in expected for number in row), default=1.0)
        worst = max(abs(a - b) for one, other in zip(found, expected) for a, b in zip(one, other))
        self.assertLessEqual(worst, tolerance * max(scale, 1e-300), message)


class Liblinear(ExportTest):
    def predicted(self):
        subprocess.run(["liblinear-predict", "-q", self.rows, self.export("liblinear", "m.txt"), self.path("out.txt")],
                       check=True, capture_output=True)
        return self.read("out.txt").decode().split()

    @needs_liblinear
    def test_it_predicts_the_same_labels(self):
        for name, (data, options) in MODELS.items():
            self.fit(data, options)
            if name == "regression":
                self.assert_close([[float(word)] for word in self.predicted()], self.margins, 1e-12, name)
            elif name == "one against the rest":  # rest = 0, the class = 1
                self.assertEqual(self.predicted(), [str(int(label == "2")) for label in self.labels])
            else:
                self.assertEqual(self.predicted(), self.labels, name)

    @needs_liblinear
    def test_probabilities_of_logistic_models_are_the_same(self):
        for name in ("two classes", "four classes"):
            self.fit(*MODELS[name])
            subprocess.run(["liblinear-predict", "-q", "-b", "1", self.rows, self.export("liblinear", "m.txt"),
                            self.path("out.txt")], check=True, capture_output=True)
            heading, *lines = self.read("out.txt").decode().splitlines()
            order = heading.split()[1:]
            found = [dict(zip(order, map(float, line.split()[1:]))) for line in lines]
            classes = sorted(order, key=int)
            self.assert_close([[row[c] for c in classes] for row in found], self.probabilities(), 1e-5, name)

    def test_words_are_numbered_and_a_remark_says_how(self):
        self.write("words.csv", "x,y,kind\n" + "1,2,spam\n-1,0,ham\n2,1,spam\n-2,1,ham\n" * 5)
        self.run_program("train", "words.csv", "--label-column", "kind", "-o", "m.model")
        out, err = self.run_program("export", "m.model", "--format", "liblinear")
        self.assertIn("label 1 0\n", out)  # a positive value means the label that stands first
        self.assertIn("0 = ham, 1 = spam", err)
        self.assertIn("no feature names", err)


class JsonModel(ExportTest):
    def margins_of(self, model, row):
        length = math.sqrt(sum(value * value for _, value in row)) if model["unit_rows"] else 1.0
        values = {column: value / (length or 1.0) for column, value in row}
        return [output["intercept"] + math.fsum(weight * values.get(index, 0.0)
                                                for index, weight in zip(output["indices"], output["values"]))
                for output in model["outputs"]]

    def probabilities_of(self, model, margins):
        scores = [-(output["a"] * m + output["b"]) if model["link"] == "platt" else m
                  for output, m in zip(model["outputs"], margins)]
        if model["link"] == "softmax":
            parts = [math.exp(score) for score in scores]
        else:
            parts = [1 / (1 + math.exp(-score)) for score in scores]
        if len(parts) == 1:
            parts = [1 - parts[0], parts[0]]
        return [part / sum(parts) for part in parts]

    def test_what_it_says_is_enough_to_predict(self):
        for name, (data, options) in {**MODELS, **UNIT_ROWS}.items():
            self.fit(data, options)
            with open(self.export("json", "m.json")) as file:
                model = json.load(file)
            margins = [self.margins_of(model, row) for row in self.sparse_rows()]
            self.assert_close(margins, self.margins, 1e-12, name)
            if model["task"] == "regression":
                continue
            if len(model["outputs"]) == 1:
                labels = [model["classes"][m[0] > 0] for m in margins]
            else:
                labels = [model["classes"][m.index(max(m))] for m in margins]
            self.assertEqual(labels, self.labels, name)
            if model["link"] != "identity":
                self.assert_close([self.probabilities_of(model, m) for m in margins], self.probabilities(), 1e-12, name)

    def test_names_and_words_survive(self):
        self.write("words.csv", "naïve,\"a \"\"b\"\"\",kind\n" + "1,2,süß\n-1,0,ham\n2,1,süß\n-2,1,ham\n" * 5)
        self.run_program("train", "words.csv", "--label-column", "kind", "-o", "m.model")
        model = json.loads(self.run_program("export", "m.model", "--format", "json")[0])
        self.assertEqual(model["feature_names"], ["naïve", 'a "b"'])
        self.assertEqual(sorted(model["classes"]), ["ham", "süß"])
        self.assertEqual(model["label_column"], "kind")


class Onnx(ExportTest):
    def evaluated(self):
        self.run_program("convert", self.rows, "rows.npy", "--layout", "dense")
        out = subprocess.run([TEST_PYTHON, HERE / "onnx_predict.py", self.export("onnx", "m.onnx"), self.path("rows.npy")],
                             check=True, stdout=subprocess.PIPE)
        return json.loads(out.stdout)

    @needs_python
    def test_the_reference_evaluator_predicts_the_same(self):
        for name, (data, options) in {**MODELS, **UNIT_ROWS}.items():
            self.fit(data, options)
            found = self.evaluated()
            if "value" in found:
                self.assert_close([[value] for value in found["value"]], self.margins, 1e-12, name)
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


C_MAIN = r"""
#include "m.c"
#include <stdio.h>
#include <stdlib.h>

/* Rows as "count column value ..": margins of the row, dense and sparse, then what else there is. */
int main(void) {
  static double x[m_features + 1], values[m_features + 2], dense[m_outputs], sparse[m_outputs];
  static long columns[m_features + 2];
  long count;
  while (scanf("%ld", &count) == 1) {
    for (long j = 0; j < m_features; ++j) x[j] = 0;
    for (long i = 0; i < count; ++i) {
      if (scanf("%ld %lf", &columns[i], &values[i]) != 2) return 1;
      if (columns[i] < m_features) x[columns[i]] = values[i];
    }
    m_margins(x, dense);
    m_margins_sparse(columns, values, count, sparse);
    for (int k = 0; k < m_outputs; ++k) printf("%.17g %.17g ", dense[k], sparse[k]);
#ifdef CLASSES
    printf("%s", m_predict(x));
#else
    printf("%.17g", m_predict(x));
#endif
#ifdef PROBABILITIES
    double p[m_classes];
    m_probabilities(dense, p);
    for (int k = 0; k < m_classes; ++k) printf(" %.17g", p[k]);
#endif
    printf("\n");
  }
  return 0;
}
"""


class CSource(ExportTest):
    def run_c(self, *defined):
        self.export("c", "m.c")
        self.write("main.c", C_MAIN)
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-O1", *defined,
                        "main.c", "-o", "main", "-lm"], check=True, cwd=self.folder)
        rows = "\n".join(f"{len(row)} " + " ".join(f"{column} {value!r}" for column, value in row)
                         for row in self.sparse_rows())
        out = subprocess.run([self.path("main")], input=rows.encode(), check=True, stdout=subprocess.PIPE)
        return [line.split() for line in out.stdout.decode().splitlines()]

    @needs_compiler
    def test_it_compiles_and_predicts_the_same(self):
        for name, (data, options) in {**MODELS, **UNIT_ROWS}.items():
            self.fit(data, options)
            classes = "--loss" not in options or "squared" not in options
            hinge = any(word.endswith("hinge") for word in options) and "--calibrate" not in options
            found = self.run_c(*(["-DCLASSES"] if classes else []),
                               *(["-DPROBABILITIES"] if classes and not hinge else []))
            outputs = len(self.margins[0])
            self.assert_close([[float(word) for word in row[0:2 * outputs:2]] for row in found], self.margins, 1e-13, name)
            self.assert_close([[float(word) for word in row[1:2 * outputs:2]] for row in found], self.margins, 1e-13, name)
            if not classes:
                self.assert_close([[float(row[-1])] for row in found], self.margins, 1e-13, name)
                continue
            self.assertEqual([row[2 * outputs] for row in found], self.labels, name)
            if not hinge:
                self.assert_close([[float(word) for word in row[2 * outputs + 1:]] for row in found],
                                  self.probabilities(), 1e-12, name)

    def test_columns_without_weights_take_no_room(self):
        self.fit(*MODELS["sparse weights"])
        model = json.loads(self.run_program("export", "m.model", "--format", "json")[0])
        kept = len(model["outputs"][0]["indices"])
        self.export("c", "m.c")
        self.assertIn(f"m_features = {model['features']}, m_outputs = 1, m_classes = 2, m_kept = {kept} ".encode(),
                      self.read("m.c"))
        self.assertLess(kept, model["features"] / 10)
        self.assertLess(os.path.getsize(self.path("m.c")), 4 * model["features"])

    @needs_compiler
    def test_strange_labels_are_plain_c(self):
        labels = ['a "quoted" \\ one', "what??/", "süß\x07"]
        text = "x,kind\n" + "".join(f'{x},"{label}"\n'.replace('"quoted"', '""quoted""')
                                    for x, label in zip((1, -1), labels[:2])) * 6
        self.write("rows.csv", text)
        self.run_program("train", "rows.csv", "--label-column", "kind", "-o", "m.model")
        self.export("c", "m.c")
        self.write("main.c", '#include "m.c"\n#include <stdio.h>\nint main(void) {\n'
                             "  const double x[2] = {1, -1};\n  puts(m_predict(x));\n  puts(m_predict(x + 1));\n  return 0;\n}\n")
        subprocess.run(["cc", "-std=c99", "-Wall", "-Werror", "main.c", "-o", "main", "-lm"], check=True, cwd=self.folder)
        out = subprocess.run([self.path("main")], check=True, stdout=subprocess.PIPE)
        self.assertEqual(out.stdout.decode().splitlines(), labels[:2])


class Command(ExportTest):
    def test_without_a_file_it_goes_to_standard_output(self):
        self.fit(*MODELS["two classes"])
        for form in ("liblinear", "json", "onnx", "vw", "c"):
            with open(self.export(form, "model.out"), "rb") as file:
                written = file.read()
            out = subprocess.run([os.environ["S3GD_PROGRAM"], "export", "m.model", "--format", form], cwd=self.folder,
                                 env=self.environment, check=True, capture_output=True).stdout
            self.assertEqual(out, written, form)

    def test_the_json_says_what_was_written(self):
        self.fit(*MODELS["two classes"])
        result = self.run_json("export", "m.model", "--format", "c", "-o", "m.c")
        self.assertEqual(result["bytes"], os.path.getsize(self.path("m.c")))
        self.assertEqual((result["features"], result["outputs"], len(result["classes"])), (12, 1, 2))
        self.assertIn("standard output", self.run_json("export", "m.model", "--format", "c", expect=2)["error"])

    def test_what_a_format_cannot_express_is_refused_with_a_remedy(self):
        self.fit(*UNIT_ROWS["unit rows"])
        for form in ("liblinear", "vw"):
            error = self.error_of("export", "m.model", "--format", form, "-o", "out")
            self.assertIn("length 1", error)
            self.assertIn("--scale unit-rows", error)
            self.assertFalse(os.path.exists(self.path("out")))
        self.write("rows.csv", "a b,kind\n1,u\n-1,v\n2,u\n-2,v\n")
        self.run_program("train", "rows.csv", "--label-column", "kind", "-o", "m.model")
        self.assertIn("'a b'", self.error_of("export", "m.model", "--format", "vw"))

    def test_an_unknown_format_names_the_nearest(self):
        self.fit(*MODELS["two classes"])
        self.assertIn("onnx", self.error_of("export", "m.model", "--format", "onyx", expect=2))
        self.error_of("export", "m.model", expect=2)


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
            self.assertEqual(Liblinear.predicted(self), self.labels)
        if shutil.which("cc"):
            found = CSource.run_c(self, "-DCLASSES", "-DPROBABILITIES")
            outputs = len(self.margins[0])
            self.assertEqual([row[2 * outputs] for row in found], self.labels)
        if TEST_PYTHON.exists():
            found = Onnx.evaluated(self)
            self.assertEqual([str(label) for label in found["label"]], self.labels)
            self.assert_close(found["margins"], self.margins, 1e-12, name)

    def test_two_classes(self):
        self.check_all("a9a", [])

    def test_seven_classes(self):
        self.check_all("covtype-93k", ["--multiclass", "ovr", "--tol", "1e-2"])


if __name__ == "__main__":
    unittest.main()
