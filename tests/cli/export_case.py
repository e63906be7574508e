"""Models to export, rows to predict, and the programs that exported models are for."""
import json
import shutil
import struct
import subprocess
import unittest
from pathlib import Path

from program import ProgramTest

HERE = Path(__file__).resolve().parent
TEST_PYTHON = HERE.parents[1] / "build" / "tests" / "venv" / "bin" / "python"

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
    "softmax": ("gen:manifold?rows=600&cols=8&classes=4", ["--multiclass", "softmax"]),
    "regression": ("gen:regression?rows=300&cols=9", ["--loss", "squared"]),
    "regression with outliers": ("gen:regression?rows=300&cols=9", ["--loss", "huber", "--knee", "0.5"]),
}
NUMBERS = ("squared", "huber", "poisson")  # losses of what is no class
UNIT_ROWS = {  # and what else programs that know nothing but margins refuse
    "unit rows": ("gen:manifold?rows=400&cols=12", ["--scale", "unit-rows"]),
    "unit rows, regression": ("gen:regression?rows=300&cols=9", ["--loss", "squared", "--scale", "unit-rows"]),
    "counts": ("gen:manifold?rows=400&cols=8&classes=4", ["--loss", "poisson"]),
}


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

    def predictions(self):
        """Of numbers, one list a row."""
        return [[float(label)] for label in self.labels]

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

    def by_liblinear(self):
        """The words that liblinear-predict writes, one a row."""
        subprocess.run(["liblinear-predict", "-q", self.rows, self.export("liblinear", "m.txt"), self.path("out.txt")],
                       check=True, capture_output=True)
        return self.read("out.txt").decode().split()

    def by_onnx(self):
        """What the reference evaluator says: the outputs by name."""
        self.run_program("convert", self.rows, "rows.npz", "--layout", "sparse")
        out = subprocess.run([TEST_PYTHON, HERE / "onnx_predict.py", self.export("onnx", "m.onnx"), self.path("rows.npz")],
                             check=True, stdout=subprocess.PIPE)
        return json.loads(out.stdout)

    def by_c(self, *defined):
        """What C_MAIN prints of each row, in words."""
        self.export("c", "m.c")
        self.write("main.c", C_MAIN)
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", "-O1", *defined,
                        "main.c", "-o", "main", "-lm"], check=True, cwd=self.folder)
        rows = "\n".join(f"{len(row)} " + " ".join(f"{column} {value!r}" for column, value in row)
                         for row in self.sparse_rows())
        out = subprocess.run([self.path("main")], input=rows.encode(), check=True, stdout=subprocess.PIPE)
        return [line.split() for line in out.stdout.decode().splitlines()]
