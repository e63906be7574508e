"""Wrong input to _core: one Error, a ValueError, with a sentence that says what is wrong."""

import subprocess
import sys

import numpy as np
import pytest
from core_cases import csr_parts, sample, spec_of
from s3gd import _core

X, CODES = sample(rows=40, cols=3)
DATA, INDICES, INDPTR, COLS = csr_parts(X)


def with_first_row(columns):
    indices = INDICES.copy()
    indices[: len(columns)] = columns
    return DATA, indices, INDPTR, COLS


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (np.asfortranarray(X), "C-ordered"),
        (X[:, ::-1], "C-ordered"),
        (X[::-1], "C-ordered"),
        (X[0], "1 dimensions"),
        (X.astype(complex), "another type"),
        (X.astype(int), "another type"),
        (X.astype(">f8"), "NumPy array"),
        (X.tolist(), "NumPy array"),
        (np.where(X == X[3, 0], np.nan, X), "row 3 holds a value that is not finite"),
        (np.where(X == X[3, 0], np.inf, X), "row 3 holds a value that is not finite"),
        (X[:0], "elements for 0 rows"),
        ((DATA, INDICES, INDPTR), "tuple of four"),
        ((DATA, INDICES.astype(np.int16), INDPTR, COLS), "indices has elements of another type"),
        ((DATA, INDICES, INDPTR.astype(float), COLS), "indptr has elements of another type"),
        ((DATA, INDICES, INDPTR + 1, COLS), "indptr ends at"),
        ((DATA, INDICES, INDPTR - 1, COLS), "indptr ends at"),
        ((DATA[::2], INDICES, INDPTR, COLS), "data has gaps"),
        ((DATA, INDICES, INDPTR, 2), "columns must ascend and stay below 2"),
        ((DATA, INDICES, INDPTR, -1), "number of columns is -1"),
        (with_first_row([2, 1]), "columns must ascend"),
        (with_first_row([1, 1]), "columns must ascend"),
        (with_first_row([-1]), "row 0 holds column -1"),
    ],
)
def test_rows_that_cannot_be_used_are_refused(rows, words):
    with pytest.raises(_core.Error, match=words) as caught:
        _core.fit(rows, CODES, spec=spec_of())
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"y": CODES[:-1]}, "39 elements for 40 rows"),
        ({"y": CODES + 1}, "numbered from 0 to 1"),
        ({"y": CODES + 0.5}, "numbered from 0 to 1"),
        ({"y": np.full(40, np.nan)}, "numbered from 0 to 1"),
        ({"y": CODES.astype(np.float32)}, "y has elements of another type"),
        ({"y": np.zeros(40)}, "no row has the label|all rows have the label"),
        ({"sample_weight": -np.ones(40)}, "weights are finite and not negative"),
        ({"sample_weight": np.zeros(40)}, "all sample weights are zero"),
        ({"sample_weight": np.ones(39)}, "39 sample weights for 40 rows"),
        ({"spec": spec_of(loss="logistik")}, "did you mean 'logistic'"),
        ({"spec": spec_of(penalty="l3")}, "did you mean"),
        ({"spec": spec_of(penalty="l1+")}, "unknown penalty"),
        ({"spec": spec_of(strength=-1.0)}, "lambda"),
        ({"spec": spec_of(task="both")}, "unknown task"),
        ({"spec": spec_of(lambdas=3)}, "did you mean 'lambda'"),
        ({"spec": spec_of(strength="much")}, "lambda: found 'much', expected a number"),
        ({"spec": spec_of("softmax", 3)}, "only 2 of the 3 classes"),
        ({"spec": spec_of("ovr", 3)}, "only 2 of the 3 classes"),
        ({"options": {"solver": "s4gd"}}, "s3gd"),
        ({"options": {"tolerance": 1e-3}}, "unknown key of options 'tolerance'"),
        ({"options": {"threads": -1}}, "threads: found '-1', expected a whole number from 0"),
        ({"options": {"step": "fast"}}, "expected auto, a positive NUMBER"),
        ({"options": {"solver": "newton", "batch": 3}}, "batch changes nothing with solver='newton'"),
        ({"options": {"batch": 2.5}}, "batch: found '2.5', expected a whole number"),
        ({"options": {"batch": [1]}}, "give a whole number"),
        ({"spec": spec_of(beta=3.0)}, "beta changes nothing with loss='logistic'"),
        ({"start": (np.zeros((1, 4)), np.zeros(1))}, "1 x 3"),
        ({"start": (np.zeros((1, 3)), np.zeros(2))}, "2 intercepts"),
        ({"start": np.zeros(4)}, "tuple of two"),
        ({"X_val": X}, "go together"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(changes, words):
    with pytest.raises(_core.Error, match=words):
        _core.fit(**({"X": X, "y": CODES, "spec": spec_of()} | changes))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_of_all_numbers_only_those_that_are_not_finite_are_refused(dtype):
    """At every place of a row of 19, which no vector divides: the largest, the least and the tiniest are fine."""
    limits = np.finfo(dtype)
    for place in range(19):
        rows = np.random.default_rng(place).normal(size=(4, 19)).astype(dtype)
        for value in (limits.max, limits.min, limits.tiny, limits.smallest_subnormal, -0.0):
            rows[2, place] = value
            _core.inspect(rows)
        for value in (np.nan, -np.nan, np.inf, -np.inf):
            rows[2, place] = value
            with pytest.raises(_core.Error, match="row 2 holds a value that is not finite"):
                _core.inspect(rows)


def test_a_class_whose_rows_weigh_nothing_is_refused():
    rows, codes = sample(classes=3)
    weights = np.where(codes == 1, 0.0, 1.0)
    for task in ("ovr", "softmax"):
        with pytest.raises(_core.Error, match="only 2 of the 3 classes have rows of positive weight"):
            _core.fit(rows, codes, sample_weight=weights, spec=spec_of(task, 3))


SHORT_OF_MEMORY = """
import resource
import numpy as np
from s3gd import _core
with open("/proc/self/statm") as file:
    limit = int(file.read().split()[0]) * resource.getpagesize() + (512 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
rows = np.zeros(0), np.zeros(0, np.int64), np.zeros(41, np.int64), 1 << 27  # each vector of weights takes 1 GB
try:
    _core.fit(rows, np.arange(40.0) % 2, spec={"lambda": 1.0}, options={"threads": 1})
except MemoryError:
    print("MemoryError")
"""


def test_memory_that_cannot_be_had_is_a_memory_error():
    ended = subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY], capture_output=True, text=True, check=True)
    assert ended.stdout == "MemoryError\n"
