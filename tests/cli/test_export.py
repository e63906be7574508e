"""Exported models must predict what `s3gd predict` does: LIBLINEAR, JSON, C, and the command itself."""
import json
import math
import os
import subprocess
import unittest

from export_case import MODELS, NUMBERS, UNIT_ROWS, ExportTest, needs_compiler, needs_liblinear


class Liblinear(ExportTest):
    @needs_liblinear
    def test_it_predicts_the_same_labels(self):
        for name, (data, options) in MODELS.items():
            self.fit(data, options)
            if name.startswith("regression"):
                self.assert_close([[float(word)] for word in self.by_liblinear()], self.margins, 1e-12, name)
            elif name == "one against the rest":  # rest = 0, the class = 1
                self.assertEqual(self.by_liblinear(), [str(int(label == "2")) for label in self.labels])
            else:
                self.assertEqual(self.by_liblinear(), self.labels, name)

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


class CSource(ExportTest):
    @needs_compiler
    def test_it_compiles_and_predicts_the_same(self):
        for name, (data, options) in {**MODELS, **UNIT_ROWS}.items():
            self.fit(data, options)
            classes = not any(loss in options for loss in NUMBERS)
            hinge = any(word.endswith("hinge") for word in options) and "--calibrate" not in options
            found = self.by_c(*(["-DCLASSES"] if classes else []),
                               *(["-DPROBABILITIES"] if classes and not hinge else []))
            outputs = len(self.margins[0])
            self.assert_close([[float(word) for word in row[0:2 * outputs:2]] for row in found], self.margins, 1e-13, name)
            self.assert_close([[float(word) for word in row[1:2 * outputs:2]] for row in found], self.margins, 1e-13, name)
            if not classes:
                self.assert_close([[float(row[-1])] for row in found], self.predictions(), 1e-13, name)
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
        self.fit(*UNIT_ROWS["counts"])
        for form in ("liblinear", "vw"):
            self.assertIn("predicts exp(margin)", self.error_of("export", "m.model", "--format", form, "-o", "out"))

    def test_an_unknown_format_names_the_nearest(self):
        self.fit(*MODELS["two classes"])
        self.assertIn("onnx", self.error_of("export", "m.model", "--format", "onyx", expect=2))
        self.error_of("export", "m.model", expect=2)


if __name__ == "__main__":
    unittest.main()
