#!/usr/bin/env python3
"""The bridge of bench/peers, with the standard library alone: test_bridge.py LIBRARY."""
import ctypes
import json
import math
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARY = None
ROWS = "3 1:2 2:4\n1 1:-1\n3 2:8\n2 1:1 2:1\n"
PROBLEM = json.dumps({"lambda": 0.1, "threads": 1}).encode()


def weights(*values):
    return (ctypes.c_double * len(values))(*values)


def text(function, *arguments):
    function.restype = ctypes.c_char_p
    return function(*arguments)


class Bridge(unittest.TestCase):
    def load(self, **options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.svm"
            path.write_text(ROWS)
            LIBRARY.bench_load.restype = ctypes.c_void_p
            return LIBRARY.bench_load(str(path).encode(), json.dumps({"positive": "largest", **options}).encode())

    def objective(self, handle, w):
        LIBRARY.bench_objective.restype = ctypes.c_double
        return LIBRARY.bench_objective(ctypes.c_void_p(handle), PROBLEM, w)

    def expected(self, rows, w):
        loss = sum(math.log1p(math.exp(-y * (w[0] * a + w[1] * b + w[2]))) for a, b, y in rows) / len(rows)
        return loss + 0.1 * sum(v * v for v in w)

    def test_the_objective_is_the_one_the_tables_state(self):
        w = (0.3, -0.2, 0.7)
        rows = [(2, 4, 1), (-1, 0, -1), (0, 8, 1), (1, 1, -1)]
        self.assertAlmostEqual(self.objective(self.load(), weights(*w)), self.expected(rows, w), places=12)

    def test_scaling_by_column_and_by_a_constant(self):
        w = (0.3, -0.2, 0.7)
        scaled = [(1, 0.5, 1), (-0.5, 0, -1), (0, 1, 1), (0.5, 0.125, -1)]
        self.assertAlmostEqual(self.objective(self.load(max_abs=True), weights(*w)), self.expected(scaled, w), places=12)
        halves = [(1, 2, 1), (-0.5, 0, -1), (0, 4, 1), (0.5, 0.5, -1)]
        self.assertAlmostEqual(self.objective(self.load(divide=2.0), weights(*w)), self.expected(halves, w), places=12)

    def test_solve_reaches_the_reference(self):
        handle = ctypes.c_void_p(self.load())
        w, best = weights(0, 0, 0), weights(0, 0, 0)
        reference = json.loads(text(LIBRARY.bench_reference, handle, PROBLEM, ctypes.c_double(1e-13), b"", best))
        options = json.dumps({"solver": "auto", "tol": 1e-9, "trace_every": -1}).encode()
        answer = json.loads(text(LIBRARY.bench_solve, handle, PROBLEM, options, w))
        self.assertEqual(answer["status"], "converged")
        self.assertLessEqual(self.objective(handle.value, w), reference["objective"] * (1 + 1e-9))
        self.assertGreater(len(answer["trace"]), 0)

    def test_a_failure_is_told_not_thrown(self):
        LIBRARY.bench_load.restype = ctypes.c_void_p
        self.assertIsNone(LIBRARY.bench_load(b"no-such-file.svm", b"{}"))
        self.assertIn(b"no-such-file", text(LIBRARY.bench_error))


if __name__ == "__main__":
    LIBRARY = ctypes.CDLL(sys.argv.pop(1))
    unittest.main()
