"""Rows are used where they lie: peak memory, measured in a process of its own."""

import subprocess
import sys

import pytest

MB = 1 << 20
SIZE = 96  # of the rows, in MB

# Prints how many MB the process grew by, at its peak, during a fit of rows that are already there.
PROGRAM = """
import sys
import numpy as np
from s3gd import _core

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

kind, dtype, index, folder = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4]
entries = {size} * (1 << 20) // np.dtype(dtype).itemsize
cols = 256
values = np.zeros(entries, dtype)
values[:] = np.resize(np.random.default_rng(0).normal(size=99991), entries)
if kind == "csr":
    each = 64
    indices = np.resize(np.arange(0, cols, cols // each, dtype=index), entries)
    rows = values, indices, np.arange(0, entries + 1, each, dtype=index), cols
    count = entries // each
else:
    rows = values.reshape(-1, cols)
    count = len(rows)
    if kind == "mapped":
        np.save(folder + "/rows.npy", rows)
        del values, rows
        rows = np.load(folder + "/rows.npy", mmap_mode="r")
y = (np.arange(count) % 3 == 0).astype(float)
before = peak()
for task, classes in (("binary", 2), ("softmax", 2)) if kind == "dense" else (("binary", 2),):
    fit = _core.fit(rows, y, spec={{"task": task, "n_classes": classes, "lambda": 1.0}}, options={{"passes": 1, "threads": 1}})
print((peak() - before) // 1024)
""".format(size=SIZE)


def growth(kind, dtype, index, folder):
    command = [sys.executable, "-c", PROGRAM, kind, dtype, index, str(folder)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("kind", "index"), [("dense", "-"), ("csr", "int32"), ("csr", "int64")])
def test_a_fit_takes_less_than_half_of_its_rows_beside_them(kind, dtype, index, tmp_path):
    """A copy would take all of their size again; targets, weights and an int32 indptr that is widened take a share."""
    assert growth(kind, dtype, index, tmp_path) < SIZE / 2


def test_mapped_rows_are_not_copied_either(tmp_path):
    """Their pages count as they are touched, and they were not before the fit (the peak is that of making them)."""
    assert growth("mapped", "float32", "-", tmp_path) < SIZE / 2
