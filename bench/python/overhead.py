#!/usr/bin/env python3
"""What a call from Python costs beside the C++ call: PYTHONPATH=build/bench/python overhead.py build/bench/bench_overhead

Both make the same fits in turn, in rounds; the medians over all rounds are compared. The bar: 1 ms plus 5 %.
"""
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from s3gd import _core

SIZES = [(50, 5), (2000, 50), (50000, 100), (200000, 200)]
LAMBDA, TOL, THREADS, ROUNDS = 1e-3, 1e-4, 1, 7


def make(rows, cols):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, cols)).astype(np.float32)
    y = (X @ rng.normal(size=cols) + 3 * rng.normal(size=rows) > 0).astype(np.float64)
    return X, y


def in_python(X, y):
    began, cpu = time.perf_counter(), time.process_time()
    fit = _core.fit(X, y, spec={"lambda": LAMBDA}, options={"tol": TOL, "threads": THREADS})
    return time.perf_counter() - began, time.process_time() - cpu, fit["summary"]["objective"]


def in_cpp(program, file, repeats):
    words = [program, file, LAMBDA, TOL, THREADS, repeats]
    lines = subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True).stdout.splitlines()
    return [tuple(float(word) for word in line.split()) for line in lines]


def main():
    print("rows cols | C++ ms | Python ms | processor: C++ ms | Python ms | overhead ms | above 1 ms + 5 %?")
    with tempfile.TemporaryDirectory() as folder:
        for rows, cols in SIZES:
            X, y = make(rows, cols)
            file = Path(folder) / "rows.s3d"
            _core.save(str(file), X, y, labels="classes")
            repeats = 20 if rows < 10000 else 3
            native, python = [], []
            for _ in range(ROUNDS):
                native += in_cpp(sys.argv[1], file, repeats)
                python += [in_python(X, y) for _ in range(repeats)]
            assert {row[-1] for row in native} == {row[-1] for row in python}, "not the same fit"
            cpp, py, cpp_cpu, py_cpu = (1e3 * statistics.median(row[clock] for row in times)
                                        for clock in (0, 1) for times in (native, python))
            more = py_cpu - cpp_cpu
            print(f"{rows} {cols} | {cpp:.3f} | {py:.3f} | {cpp_cpu:.3f} | {py_cpu:.3f} | {more:.3f} | "
                  f"{'yes' if more > 1 + 0.05 * cpp_cpu else 'no'}", flush=True)


if __name__ == "__main__":
    main()
