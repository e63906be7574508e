"""predict and inspect MODEL, as a user runs them: streams, metrics, several forms of output."""
import os
import subprocess
import unittest

from program import PROGRAM, ProgramTest

ROWS = "".join(f"{'1' if k % 3 else '-1'} {1 + k % 7}:{k % 11} {9 + k % 5}:{(k * 37 % 101) / 8}\n" for k in range(3000))
SEVERAL_BLOCKS = ROWS * 30  # of 512 kB


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
