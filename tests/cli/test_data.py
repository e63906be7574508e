"""inspect, convert, and datasets found by name."""
import gzip
import os
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

SMALL = "1 1:0.5 3:-2\n-1 2:4\n1 1:1e-3 2:0.25 3:7\n-1 3:1\n"


class Inspect(ProgramTest):
    def test_counts_what_is_there(self):
        self.write("a.svm", SMALL)
        result = self.run_json("inspect", "a.svm")
        self.assertEqual((result["rows"], result["cols"], result["nonzeros"]), (4, 3, 7))
        self.assertEqual(result["classes"], [{"label": "-1", "rows": 2}, {"label": "1", "rows": 2}])
        self.assertEqual((result["values"]["min"], result["values"]["max"]), (-2, 7))
        out, err = self.run_program("inspect", "a.svm")
        self.assertEqual(err, "")
        self.assertIn("2 classes: -1 (50 %), 1 (50 %)", out)
        self.assertTrue(all(len(line) <= 80 for line in out.splitlines()), out)

    def test_standard_input_compressed_or_not(self):
        for content in (SMALL.encode(), gzip.compress(SMALL.encode())):
            self.assertEqual(self.run_json("inspect", "-", stdin=content)["nonzeros"], 7)

    def test_wild_scales_lone_classes_and_lopsided_classes_are_noted(self):
        self.write("wild.svm", "1 1:1e6 2:1e-3\n1 1:2e6 2:2e-3\n")
        advice = " ".join(self.run_json("inspect", "wild.svm")["advice"])
        self.assertIn("--scale", advice)
        self.assertIn("one class", advice)
        self.write("lopsided.svm", "1 1:1\n" * 30 + "2 1:2\n")
        self.assertIn("--class-weight", " ".join(self.run_json("inspect", "lopsided.svm")["advice"]))

    def test_the_theory_of_a_small_problem(self):
        self.write("a.svm", "1 1:3\n-1 2:4\n")
        theory = self.run_json("inspect", "a.svm", "--lambda", "0.5", "--intercept", "none")["theory"]
        self.assertAlmostEqual(theory["L"], 16 / 4)  # the logistic loss's curvature times the longest row's square
        self.assertAlmostEqual(theory["mu"], 1)
        self.assertAlmostEqual(theory["s3gd_step_bound"], 1 / 32)
        self.assertIn("0.5", theory["objective"])
        step, inner = theory["rate"]["step"], theory["rate"]["inner"]
        slack = 1 - 4 * 4 * step
        self.assertAlmostEqual(theory["rate"]["rho"],
                               1 / (step * slack * inner) + 16 * step * (inner + 1) / (slack * inner))
        out, _ = self.run_program("inspect", "a.svm", "--intercept", "regularised")
        self.assertIn("rho", out)
        self.assertTrue(all(len(line) <= 80 for line in out.splitlines()), out)

    def test_data_that_is_no_problem_is_inspected_all_the_same(self):
        self.write("one.svm", "1 1:3\n1 2:4\n")
        self.assertIsNone(self.run_json("inspect", "one.svm")["theory"])
        self.write("real.svm", "0.5 1:3\n1.5 2:4\n")
        self.assertGreater(self.run_json("inspect", "real.svm")["theory"]["L"], 0)
        self.error_of("inspect", "real.svm", "--penalty", "l7", expect=2)

    def test_the_estimators_variances(self):
        ratios = self.run_json("inspect", "gen:manifold?rows=300&cols=5", "--variance", "--anchors", "20")["theory"]
        self.assertAlmostEqual(ratios["variance_ratios"]["sgd"], 1)
        self.assertLess(ratios["variance_ratios"]["s3gd"], 1)
        self.assertGreater(ratios["variance_ratios"]["s3gd"], 1e-6)  # a point where there is something to estimate

    def test_generated_data_and_its_seed(self):
        first = self.run_json("inspect", "gen:manifold?rows=200&cols=5&seed=1")
        again = self.run_json("inspect", "gen:manifold?rows=200&cols=5&seed=1")
        other = self.run_json("inspect", "gen:manifold?rows=200&cols=5&seed=2")
        self.assertEqual((first["rows"], first["cols"]), (200, 5))
        self.assertEqual(first["values"], again["values"])
        self.assertNotEqual(first["values"], other["values"])

    def test_malformed_input_is_one_line_and_exit_code_1(self):
        cases = {
            "empty.svm": "",
            "comments.svm": "# nothing\n# here\n",
            "value.svm": "1 1:0.5\n1 1:x\n",
            "nan.svm": "1 1:nan\n",
            "order.svm": "1 3:1 2:1\n",
            "negative.svm": "1 -3:1\n",
            "wide.svm": "1 1:1\n-1 1000000000000:1\n",
            "overflow.svm": "1 99999999999999999999999:1\n",
            "nul.svm": b"1 1:1\n\x001 2:3\n",
            "ragged.csv": "y,a,b\n1,2,3\n1,2\n",
            "missing.csv": "y,a,b\n1,,3\n",
            "cut.svm.gz": gzip.compress(SMALL.encode() * 1000)[:-20],
            "cut.s3d": b"s3d",
            "unknown.xyz": b"\x7fELF\x00\x00\x00",
        }
        for name, content in cases.items():
            self.write(name, content)
            text = self.error_of("inspect", name)
            self.assertIn(name, text)
        self.assertIn("2:", self.error_of("inspect", "value.svm"))  # the line
        self.assertIn("1000000000000 columns", self.error_of("inspect", "wide.svm"))
        self.error_of("inspect", ".")
        self.error_of("inspect", "no/such/file.svm")
        self.error_of("inspect", "gen:banana")
        self.error_of("inspect", "gen:manifold?rows=banana")

    def test_a_table_with_a_label_column(self):
        self.write("t.csv", "age,kind,weight\n10,cat,0.5\n20,dog,2\n30,cat,1\n")
        result = self.run_json("inspect", "t.csv", "--label-column", "kind", "--weight-column", "weight")
        self.assertEqual((result["cols"], result["weights"]), (1, True))
        self.assertEqual(result["classes"], [{"label": "cat", "rows": 2}, {"label": "dog", "rows": 1}])
        self.assertEqual(self.run_json("inspect", "t.csv", "--label-column", "1")["cols"], 2)
        self.assertEqual(self.run_json("inspect", "t.csv", "--label-column", "-2")["cols"], 2)
        self.write("n.csv", "a,b\n1,2\n3,4\n")
        result = self.run_json("inspect", "n.csv", "--label-column", "none")
        self.assertEqual((result["cols"], result["labels"]), (2, "none"))

    def test_only_formats_with_checksums_are_said_to_be_verified(self):
        self.run_program("convert", "gen:manifold?rows=50&cols=3", "a.npy")
        self.assertEqual(self.run_json("inspect", "a.npy")["checksum"], "none")
        self.assertNotIn("verified", self.run_program("inspect", "a.npy")[0])


class Convert(ProgramTest):
    def test_round_trips_keep_every_byte(self):
        self.write("a.svm", SMALL)
        for middle in ("b.s3d", "b.csv", "b.tsv", "b.svm.gz"):
            self.run_program("convert", "a.svm", middle, "--quiet")
            self.run_program("convert", middle, "back.svm", "--quiet")
            self.assertEqual(self.read("back.svm").decode().split(), SMALL.replace("1e-3", "0.001").split(), middle)

    def test_a_mapped_file_is_verified_by_inspect(self):
        self.write("a.svm", SMALL)
        self.run_program("convert", "a.svm", "a.s3d")
        self.assertEqual(self.run_json("inspect", "a.s3d")["checksum"], "verified")
        content = bytearray(self.read("a.s3d"))
        content[600] ^= 1  # within the first section: the header is 512 bytes long
        self.write("bad.s3d", bytes(content))
        self.assertIn("bad.s3d", self.error_of("inspect", "bad.s3d"))

    def test_generated_rows_stream_to_the_same_bytes_as_from_memory(self):
        source = "gen:text?rows=300&cols=1000&seed=4"
        self.run_program("convert", source, "streamed.svm", "--quiet")
        self.run_program("convert", source, "streamed.s3d", "--quiet")
        self.run_program("convert", "streamed.s3d", "again.svm", "--quiet")
        self.run_program("convert", source, "whole.csv", "--quiet")
        self.run_program("convert", "whole.csv", "from_csv.svm", "--layout", "sparse", "--quiet")
        self.assertEqual(self.read("streamed.svm"), self.read("again.svm"))
        self.assertEqual(self.read("streamed.svm"), self.read("from_csv.svm"))
        self.assertEqual(self.read("streamed.svm").count(b"\n"), 300)
        for arguments in (["a.libsvm"], ["a.svmlight"], ["a.SVM"], ["a.txt", "--out-format", "libsvm"]):
            self.run_program("convert", source, *arguments, "--quiet")
            self.assertEqual(self.read(arguments[0]), self.read("streamed.svm"))

    def test_a_split_is_stratified_seeded_and_complete(self):
        self.write("a.svm", "".join(f"{1 if i % 4 == 0 else -1} 1:{i + 1}\n" for i in range(100)))
        def split(seed):
            result = self.run_json("convert", "a.svm", "tr.svm", "--split", "0.2", "--split-out", "te.svm", "--seed", seed)
            self.assertEqual([file["rows"] for file in result["files"]], [80, 20])
            return self.read("tr.svm").splitlines(), self.read("te.svm").splitlines()
        train, test = split("1")
        self.assertEqual(sorted(train + test), sorted(self.read("a.svm").splitlines()))
        self.assertEqual(sum(line.startswith(b"1 ") for line in test), 5)
        self.assertEqual(split("1"), (train, test))
        self.assertNotEqual(split("2")[1], test)

    def test_scaling(self):
        self.write("a.svm", "1 1:2 2:10\n2 1:-4\n")
        self.run_program("convert", "a.svm", "m.svm", "--scale", "max-abs", "--quiet")
        self.assertEqual(self.read("m.svm").decode().split(), "1 1:0.5 2:1 2 1:-1".split())

    def test_options_that_do_not_go_together(self):
        self.write("a.svm", SMALL)
        self.error_of("convert", "a.svm", "b.svm", "--split", "0.2", expect=2)
        self.error_of("convert", "a.svm", "b.svm", "--split-out", "c.svm", expect=2)
        self.error_of("convert", "a.svm", "b.svm", "--split", "1.5", "--split-out", "c.svm", expect=2)

    def test_one_file_for_two_purposes_is_refused(self):
        self.write("a.svm", SMALL)
        os.symlink("a.svm", self.path("link.svm"))
        split = ["--split", "0.5", "--split-out"]
        for arguments in (["a.svm", "a.svm"], ["a.svm", "./a.svm"], ["a.svm", "link.svm"],
                          ["a.svm", "b.svm", *split, "./b.svm"], ["a.svm", "b.svm", *split, "a.svm"]):
            self.assertIn("the same file", self.error_of("convert", *arguments, expect=2))
        self.error_of("convert", "a.svm", "-", expect=2)
        self.assertEqual(self.read("a.svm").decode(), SMALL)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.svm", "link.svm"])

    def test_a_failure_leaves_the_old_file_and_no_debris(self):
        self.write("good.s3d", "precious")
        self.write("bad.svm", "1 1:1\n1 x\n")
        self.error_of("convert", "bad.svm", "good.s3d")
        self.error_of("convert", "bad.svm", "nowhere/to/go.s3d")
        self.assertIn("--out-format", self.error_of("convert", "gen:manifold?rows=10&cols=2", "out.banana"))
        self.assertEqual(self.read("good.s3d"), b"precious")
        self.assertEqual(sorted(os.listdir(self.folder)), ["bad.svm", "good.s3d"])

    def test_an_interrupt_ends_with_130_and_no_file(self):
        process = subprocess.Popen([PROGRAM, "convert", "gen:manifold?rows=100000000&cols=50", "big.s3d"],
                                   cwd=self.folder, env=self.environment, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 30
        while not os.listdir(self.folder) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        self.assertIn(b"interrupted", process.stderr.read())
        process.stderr.close()
        self.assertEqual(process.wait(60), 130)
        self.assertEqual(os.listdir(self.folder), [])


class Named(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["S3GD_DATA"] = self.path("data")
        self.train = self.write("data/ijcnn1/train.svm.zst", b"")
        os.remove(self.train)
        self.write("small.svm", SMALL)
        self.run_program("convert", "small.svm", self.train, "--quiet")

    def test_a_set_in_the_data_folder_is_found_by_its_names(self):
        for name in ("ijcnn1", "IJCNN"):
            self.assertEqual(self.run_program("data", "path", name)[0], self.train + "\n")
            self.assertEqual(self.run_json("inspect", name)["rows"], 4)
        here = {entry["name"]: entry["train"] for entry in self.run_json("data", "list")["datasets"]}
        self.assertEqual(here["ijcnn1"], self.train)
        self.assertIsNone(here["webspam"])

    def test_the_checksum_of_a_found_file_is_information_only(self):
        result = self.run_json("data", "path", "ijcnn1", "--verify")
        self.assertFalse(result["matches"])
        self.assertEqual(len(result["sha256"]), 64)

    def test_a_set_that_is_not_here_says_how_to_get_it(self):
        self.assertIn("s3gd data get webspam", self.error_of("data", "path", "webspam"))
        self.assertIn("http", self.error_of("data", "path", "med11"))
        self.assertIn("did you mean 'mnist'?", self.error_of("data", "path", "mnsit"))
        self.error_of("data", "path", "ijcnn1", "--test")
        for command in ("inspect", "train"):
            text = self.error_of(command, "webspam")
            self.assertIn("s3gd data get webspam", text)
            self.assertIn("S3GD_DATA", text)
            self.assertIn("did you mean 'webspam'?", self.error_of(command, "webspan"))
        self.error_of("data", "path", expect=2)


if __name__ == "__main__":
    unittest.main()
