"""predict and inspect MODEL, as a user runs them: streams, metrics, several forms of output."""
import json
import math
import os
import signal
import struct
import subprocess
import unittest

from program import PROGRAM, ProgramTest

ROWS = "".join(f"{'1' if k % 3 else '-1'} {1 + k % 7}:{k % 11} {9 + k % 5}:{(k * 37 % 101) / 8}\n" for k in range(3000))
SEVERAL_BLOCKS = ROWS * 30  # of 512 kB

MASK = (1 << 64) - 1


def checksum(data):
    """As docs/formats.md describes it, of less than a block."""
    def absorb(state, word):
        product = (state ^ word) * 0x9e3779b97f4a7c15 & MASK
        return product ^ product >> 32

    def rotate(value, by):
        return (value << by | value >> 64 - by) & MASK

    lanes = [0x8f1bbcdcbfa53e0b, 0x243f6a8885a308d3, 0x13198a2e03707345, 0xa4093822299f31d1]
    padded = data + bytes(-len(data) % 32)
    for at in range(0, len(padded), 32):
        lanes = [absorb(lane, word) for lane, word in zip(lanes, struct.unpack_from("<4Q", padded, at))]
    value = len(data)
    for lane in lanes:
        value = absorb(rotate(value, 29), lane)
    return absorb(0, value)


def model_file(weights, **header):
    """A model as docs/formats.md describes it."""
    full = {"feature_names": [], "beta": 10.0, "penalty": "l2", "lambda": 0.5, "alpha": 0.5, "unit_rows": False,
            "objective": 1.0, "relative_gap": None, "storage": "dense", "stored": len(weights), **header}
    body = json.dumps(full).encode() + b"\n" + struct.pack(f"<{len(weights)}d", *weights)
    return b"s3gd-model 2\n%016x\n" % checksum(body) + body


class Predict(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("train.svm", ROWS)
        self.run_program("train", "train.svm", "-o", "m.model")

    def predicted(self, *arguments, stdin=b""):
        return self.run_program("predict", "m.model", *arguments, stdin=stdin)

    def test_a_pipe_gives_the_bits_of_the_file_at_any_number_of_threads(self):
        text = SEVERAL_BLOCKS.encode()
        self.write("rows.svm", text)
        self.write("rows.svm.gz", subprocess.run(["gzip", "-c"], input=text, capture_output=True).stdout)
        for form in ([], ["--proba"], ["--margin"]):
            self.predicted("rows.svm", *form, "-o", "file.txt")
            expected = self.read("file.txt").decode()
            self.assertEqual(expected.count("\n"), 90000)
            for threads in ("1", "2", "7"):
                for source, stdin in (("-", text), ("rows.svm", b""), ("rows.svm.gz", b"")):
                    out, _ = self.predicted(source, *form, "-o", "-", "--threads", threads, stdin=stdin)
                    self.assertEqual(out, expected, (form, threads, source))

    def test_metrics_of_a_pipe_are_those_of_the_file(self):
        self.write("rows.svm", SEVERAL_BLOCKS)
        expected = self.run_json("predict", "m.model", "rows.svm", "--metrics", "all", "--threads", "1")
        self.assertEqual(expected["rows"], 90000)
        found = self.run_json("predict", "m.model", "-", "--metrics", "all", "--threads", "2",
                              stdin=SEVERAL_BLOCKS.encode())
        self.assertEqual(found, expected)

    def test_csv_from_a_pipe(self):
        header = "kind,a,b\n"
        lines = [f"{'yes' if k % 2 else 'no'},{k % 2 + k % 5 / 8},{k % 7}\n" for k in range(100000)]
        self.write("t.csv", header + "".join(lines[:1000]))
        self.run_program("train", "t.csv", "-o", "c.model")
        text = header + "".join(lines)
        out, err = self.run_program("predict", "c.model", "-", "-o", "-", stdin=text.encode())
        self.assertEqual(out.split(), [line.split(",")[0] for line in lines])
        self.assertIn("100.00 %", err)
        swapped = "b,a\n" + "".join(f"{b.strip()},{a}\n" for _, a, b in (line.split(",") for line in lines))
        self.assertEqual(self.run_program("predict", "c.model", "-", stdin=swapped.encode())[0], out)

    def peak_memory(self, repeats):
        """Of a prediction from pipe to pipe, in bytes."""
        environment = dict(self.environment)
        # The address sanitizer keeps freed memory for a while.
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
        process = subprocess.Popen([PROGRAM, "predict", "m.model", "-", "--margin", "--threads", "1", "--quiet"],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=self.folder, env=environment)
        block = (ROWS * 10).encode()
        for _ in range(repeats):
            process.stdin.write(block)
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss * 1024, repeats * len(block)

    def test_memory_does_not_grow_with_the_rows(self):
        small, small_bytes = self.peak_memory(4)
        large, large_bytes = self.peak_memory(120)
        self.assertGreater(large_bytes - small_bytes, 40 << 20)
        self.assertLess(large - small, 10 << 20)

    def test_predictions_come_out_while_rows_still_come_in(self):
        process = subprocess.Popen([PROGRAM, "predict", "m.model", "-", "--margin", "--quiet"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, cwd=self.folder, env=self.environment)
        # More than a block of rows, whose predictions nobody needs to read for the program to go on.
        process.stdin.write(b"".join(b"1 1:1 # " + b"x" * 1200 + b"\n" for _ in range(1000)))
        process.stdin.flush()
        self.assertNotEqual(float(process.stdout.readline()), 0)
        process.stdin.close()
        self.assertEqual(process.stdout.read().count(b"\n"), 999)
        self.assertEqual(process.wait(), 0)
        process.stdout.close()

    def test_a_reader_that_leaves_ends_the_prediction(self):
        process = subprocess.Popen([PROGRAM, "predict", "m.model", "-", "--margin"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                   env=self.environment)
        process.stdout.close()
        with self.assertRaises(BrokenPipeError):
            while True:  # for ever, if nobody stopped reading
                process.stdin.write(SEVERAL_BLOCKS.encode())
        self.assertEqual(process.wait(), 0)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass

    def test_ctrl_c_ends_the_prediction_and_leaves_no_file(self):
        process = subprocess.Popen([PROGRAM, "predict", "m.model", "-", "-o", "out.txt"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=self.folder, env=self.environment)
        process.stdin.write(SEVERAL_BLOCKS.encode())  # taken in by a program that is up and catches the signal
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(SEVERAL_BLOCKS.encode(), timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"interrupted", err)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("out.txt")], [])

    def test_a_mistake_far_into_a_pipe_is_named_and_leaves_no_file(self):
        text = SEVERAL_BLOCKS + "1 5:banana\n"
        error = self.error_of("predict", "m.model", "-", "-o", "out.txt", stdin=text.encode())
        self.assertIn(":90001:", error)
        self.assertFalse(os.path.exists(self.path("out.txt")))

    def test_rows_whose_labels_say_nothing_are_predicted(self):
        unlabelled = "".join("0" + line[line.index(" "):] + "\n" for line in ROWS.splitlines())
        out, err = self.predicted("-", stdin=unlabelled.encode())
        self.assertEqual(out.count("\n"), 3000)
        self.assertIn("no metrics", err)

    def test_metrics_are_chosen_by_name(self):
        result = self.run_json("predict", "m.model", "train.svm")
        self.assertEqual(set(result), {"rows", "accuracy", "balanced_accuracy", "log_loss", "auc", "average_precision"})
        result = self.run_json("predict", "m.model", "train.svm", "--metrics", "auc,confusion,calibration")
        self.assertEqual(set(result), {"rows", "auc", "confusion", "calibration"})
        self.assertEqual(result["confusion"]["classes"], ["-1", "1"])
        table = result["confusion"]["weight_by_actual_and_predicted"]
        self.assertEqual(sum(table[0]), 1000)
        self.assertEqual(sum(table[1]), 2000)
        self.assertEqual(sum(row["weight"] for row in result["calibration"]), 3000)
        out, _ = self.predicted("train.svm", "--metrics", "all")
        for word in ("balanced accuracy", "average precision", "actual \\ predicted", "0.9 to 1.0"):
            self.assertIn(word, out)
        self.assertNotIn("average", self.predicted("train.svm", "--metrics", "accuracy")[0])
        self.assertIn("average-precision", self.error_of("predict", "m.model", "train.svm", "--metrics",
                                                         "average-precison", expect=2))
        self.assertIn("does not apply", self.error_of("predict", "m.model", "train.svm", "--metrics", "rmse",
                                                      expect=2))

    def test_metrics_of_regression(self):
        rows = [(2 * x + x % 3, x, 1 + 9 * (x % 3 == 1)) for x in range(60)]
        self.write("r.csv", "y,x,w\n" + "".join(f"{y},{x},{w}\n" for y, x, w in rows))
        self.write("u.csv", "y,x\n" + "".join(f"{y},{x}\n" for y, x, _ in rows))
        self.run_program("train", "u.csv", "--loss", "squared", "--lambda", "0", "-o", "r.model")
        predictions = [float(line) for line in self.run_program("predict", "r.model", "u.csv", "-o", "-")[0].split()]
        for source, options, weights in (("u.csv", [], [1] * 60),
                                         ("r.csv", ["--weight-column", "w"], [w for _, _, w in rows])):
            result = self.run_json("predict", "r.model", source, *options)
            self.assertEqual(set(result), {"rows", "rmse", "mae", "r2"})
            error = sum(w * abs(y - p) for (y, _, _), p, w in zip(rows, predictions, weights)) / sum(weights)
            self.assertAlmostEqual(result["mae"], error, places=9)

    def three_classes(self, **header):
        self.write("three.model", model_file([1, 0, 0, 1, -1, 0.5], classes=["ash", "fir", "oak"], features=2,
                                             intercepts=[0.25, 0, 0], **{"loss": "logistic", "link": "softmax", **header}))
        return "three.model"

    def test_several_classes_have_a_number_each(self):
        name = self.three_classes()
        self.write("trees.csv", "label,a,b\noak,-3,0\nfir,0,2\nash,2,1\noak,5,0\n")
        rows = [(-3, 0), (0, 2), (2, 1), (5, 0)]
        margins = [[a + 0.25, b, -a + 0.5 * b] for a, b in rows]
        out, err = self.run_program("predict", name, "trees.csv", "-o", "-")
        self.assertEqual(out.split(), ["oak", "fir", "ash", "ash"])
        self.assertIn("75.00 %", err)
        out, _ = self.run_program("predict", name, "trees.csv", "--margin")
        self.assertEqual([[float(word) for word in line.split(" ")] for line in out.splitlines()], margins)
        found = self.run_json("predict", name, "trees.csv", "--proba", "--metrics", "all")
        for row, of_row in zip(found["predictions"], margins):
            total = sum(math.exp(margin) for margin in of_row)
            for share, margin in zip(row, of_row):
                self.assertAlmostEqual(share, math.exp(margin) / total, places=14)
            self.assertAlmostEqual(sum(row), 1, places=14)
        actual = [2, 1, 0, 2]
        loss = -sum(math.log(row[k]) for row, k in zip(found["predictions"], actual)) / 4
        self.assertAlmostEqual(found["log_loss"], loss, places=12)
        self.assertAlmostEqual(found["balanced_accuracy"], (1 + 1 + 0.5) / 3, places=14)
        self.assertEqual(found["confusion"]["weight_by_actual_and_predicted"], [[1, 0, 0], [0, 1, 0], [1, 0, 1]])
        self.assertNotIn("auc", found)

    def test_several_classes_without_probabilities(self):
        name = self.three_classes(loss="squared-hinge", link="identity")
        self.write("trees.csv", "label,a,b\noak,-3,0\n")
        self.assertIn("no probabilities", self.error_of("predict", name, "trees.csv", "--proba"))
        self.error_of("predict", name, "trees.csv", "--metrics", "log-loss", expect=2)

    def test_inspect_shows_each_class(self):
        result = self.run_json("inspect", self.three_classes(), "--top", "1")
        self.assertEqual(result["loss"], "softmax")
        self.assertEqual([output["class"] for output in result["outputs"]], ["ash", "fir", "oak"])
        self.assertEqual([output["largest"] for output in result["outputs"]],
                         [[{"feature": 0, "weight": 1}], [{"feature": 1, "weight": 1}], [{"feature": 0, "weight": -1}]])
        self.assertEqual([output["nonzeros"] for output in result["outputs"]], [1, 1, 2])
        self.assertIn("largest weights for oak", self.run_program("inspect", "three.model")[0])

    def test_inspect_shows_a_model(self):
        result = self.run_json("inspect", "m.model", "--top", "3")
        self.assertEqual(result["classes"], ["-1", "1"])
        self.assertEqual(result["loss"], "logistic")
        self.assertEqual(result["penalty"], "l2")
        self.assertEqual(result["features"], 13)
        largest = result["outputs"][0]["largest"]
        self.assertEqual(len(largest), 3)
        self.assertEqual(sorted(largest, key=lambda entry: -abs(entry["weight"])), largest)
        # A row with nothing but one feature shows that the number is the file's own.
        margin = float(self.predicted("-", "--margin", stdin=f"1 {largest[0]['feature']}:1\n".encode())[0])
        self.assertAlmostEqual(margin, largest[0]["weight"] + result["outputs"][0]["intercept"], places=12)
        out, _ = self.run_program("inspect", "m.model", "--top", "2")
        for word in ("2 classes: -1, 1", "loss logistic, penalty l2", "largest weights for 1"):
            self.assertIn(word, out)

    def test_inspect_names_the_features_of_a_sparse_model(self):
        header = "label," + ",".join(f"useless_{j}" for j in range(50)) + ",useful\n"
        lines = [f"{k % 2}," + ",".join(str((k * (j + 3) * 7919) % 13) for j in range(50)) + f",{k % 2 * 9}\n"
                 for k in range(400)]
        self.write("wide.csv", header + "".join(lines))
        self.run_program("train", "wide.csv", "--penalty", "l1", "--lambda", "0.2", "-o", "l1.model")
        result = self.run_json("inspect", "l1.model")
        self.assertEqual(result["outputs"][0]["largest"][0]["name"], "useful")
        self.assertLess(result["nonzeros"], 10)
        self.assertIn("useful", self.run_program("inspect", "l1.model")[0])
        self.assertIn(b'"storage":"sparse"', self.read("l1.model"))


if __name__ == "__main__":
    unittest.main()
