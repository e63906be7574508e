#!/usr/bin/env python3
"""Exported models against `s3gd predict` on whole test sets: bench/exports.py PROGRAM [SET ..]

Trains on each set, exports to every format, and has the program it is for (liblinear-predict, the reference evaluator
of ONNX, a C compiler, Vowpal Wabbit, and this script for JSON) predict every row of the test set. Prints how many labels
differ, and the largest difference of a margin over the largest margin. Needs S3GD_DATA and `tools/setup test`."""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ["S3GD_PROGRAM"] = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
sys.path.insert(0, str(ROOT / "tests" / "cli"))
from export_case import TEST_PYTHON, ExportTest  # noqa: E402

CASES = [
    ("a9a", []), ("a9a", ["--loss", "squared-hinge", "--intercept", "none"]),
    ("a9a", ["--intercept", "regularised", "--scale", "standard"]),
    ("covtype-93k", ["--multiclass", "ovr", "--tol", "1e-2"]),
    ("covtype-93k", ["--scale", "standard", "--tol", "1e-3"]),
    ("diabetes130", ["--tol", "1e-3"]),
    ("diabetes130", ["--loss", "squared-hinge", "--scale", "max-abs", "--tol", "1e-2"]),
    ("mnist", ["--scale", "max-abs", "--tol", "1e-2"]),
    ("mnist", ["--multiclass", "ovr", "--scale", "max-abs", "--tol", "1e-2"]),
    ("20newsgroups", ["--tol", "1e-2"]), ("20newsgroups", ["--multiclass", "ovr", "--tol", "1e-2"]),
    ("20newsgroups", ["--penalty", "l1", "--tol", "1e-2"]),
]


class Exports(ExportTest):
    def train(self, name, options):
        folder = os.path.join(os.environ["S3GD_DATA"], name)
        self.write_rows(os.path.join(folder, "test.svm.zst"))
        self.run_program("train", os.path.join(folder, "train.svm.zst"), "-o", "m.model", *options, timeout=600)
        self.predict("rows.svm")
        self.columns = json.loads(self.run_program("export", "m.model", "--format", "json")[0])["features"]
        # A test set may have columns that no training row has; the model does not know them, and C's arrays end there.
        self.known = [[(j, value) for j, value in row if j < self.columns] for row in self.sparse_rows()]

    def labels_of(self, model, margins):
        places = [m.index(max(m)) if len(m) > 1 else int(m[0] > 0) for m in margins]
        return [model["classes"][place] for place in places]

    def as_json(self):
        model = json.loads(self.run_program("export", "m.model", "--format", "json")[0])
        weights = [dict(zip(output["indices"], output["values"])) for output in model["outputs"]]
        margins = [[output["intercept"] + sum(value * w.get(j, 0.0) for j, value in row)
                    for w, output in zip(weights, model["outputs"])] for row in self.known]
        return self.labels_of(model, margins), margins

    def as_c(self):
        found = self.by_c("-DCLASSES")
        outputs = len(self.margins[0])
        return [row[2 * outputs] for row in found], [[float(word) for word in row[:2 * outputs:2]] for row in found]

    def sparse_rows(self):
        return getattr(self, "known", None) or super().sparse_rows()

    def as_vw(self):
        _, said = self.run_program("export", "m.model", "--format", "vw", "-o", "lessons.txt")
        marker = "make the model: vw "
        command = next(line for line in said.splitlines() if marker in line).split(marker)[1]
        names = {"THIS_FILE": "lessons.txt", "MODEL": "vw.model"}
        self.write("rows.txt", "".join("| " + " ".join(f"{j + 1}:{v!r}" for j, v in row) + "\n" for row in self.known))
        for arguments in ([names.get(word, word) for word in command.split()],
                          ["-t", "-i", "vw.model", "-d", "rows.txt", "-p", "out.txt"]):
            subprocess.run([TEST_PYTHON, "-m", "vowpalwabbit", *arguments, "--quiet"], check=True, cwd=self.folder)
        numbers = [float(line) for line in self.read("out.txt").decode().split()]
        model = json.loads(self.run_program("export", "m.model", "--format", "json")[0])
        if len(self.margins[0]) > 1:
            return [model["classes"][int(number) - 1] for number in numbers], None
        return self.labels_of(model, [[number] for number in numbers]), [[number] for number in numbers]

    def as_onnx(self):
        found = self.by_onnx()
        return [str(label) for label in found["label"]], found["margins"]

    def compare(self):
        scale = max(abs(number) for row in self.margins for number in row)
        for name, predict in (("liblinear", lambda: (self.by_liblinear(), None)), ("onnx", self.as_onnx),
                              ("c", self.as_c), ("json", self.as_json), ("vw", self.as_vw)):
            labels, margins = predict()
            differ = sum(a != b for a, b in zip(labels, self.labels)) + abs(len(labels) - len(self.labels))
            apart = "" if margins is None else " margins within {:.1e}".format(
                max(abs(a - b) for one, other in zip(margins, self.margins) for a, b in zip(one, other)) / scale)
            print(f"  {name:<10}{differ} of {len(self.labels)} labels differ{apart}", flush=True)


def main():
    for name, options in CASES:
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        print(name, *options, flush=True)
        case = Exports()
        case.setUp()
        try:
            case.train(name, options)
            case.compare()
        finally:
            case.doCleanups()


if __name__ == "__main__":
    main()
