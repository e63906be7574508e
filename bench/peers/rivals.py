"""What a rival is, what it is given, and the list of all of them.

A rival is a function fit(inputs, layout, effort, seed) -> weights, with a ladder of efforts. It solves

    mean loss + lambda ||w||^2      or      mean loss + lambda ||w||_1

on a matrix that has the column of ones appended, so that no rival needs an intercept of its own. The matrix lies in
memory in the layout and precision the rival takes without a copy; the clock runs from there to the weights.
"""
import functools
import importlib
import math
import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse

L2_LOGISTIC = ("logistic", "l2")
L1_LOGISTIC = ("logistic", "l1")
L1_SQUARED = ("squared", "l1")

# Iterations, a factor of about 1.3 to 1.5 apart.
COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 60, 75, 100, 130, 170, 220, 300, 400, 550, 750, 1000,
          1400, 2000, 3000)
TOLERANCES = tuple(10 ** (-k / 2) for k in range(0, 25))


@dataclass(frozen=True)
class Rival:
    name: str
    module: str  # what must be importable
    fit: object
    layouts: tuple = ("c32", "csr32")
    efforts: tuple = COUNTS
    stochastic: bool = False
    traced: bool = False  # fit returns ([(seconds, weights), ..] of one run, seconds converting); efforts are not used
    problems: tuple = (L2_LOGISTIC,)
    converts: bool = False  # brings the matrix into a form of its own: fit returns (weights, seconds of that)
    most_stored: float = math.inf  # stored entries, and columns, beyond which it is not tried
    most_cols: float = math.inf


class Inputs:
    """The rows with the column of ones, in every layout asked for, made once and outside the clock.

    c32, c64: row-major; f32, f64: column-major; csr32, csr64, csc64: sparse.
    """

    def __init__(self, data, lam, loss, penalty, threads, clock=time.perf_counter):
        self.data, self.lam, self.loss, self.penalty, self.threads = data, lam, loss, penalty, threads
        self.clock = clock
        self.n, self.d = data.rows, data.cols + 1
        self.made = data.__dict__.setdefault("layouts", {})  # shared by all lambdas of a set

    @functools.cached_property
    def y64(self):
        return np.ascontiguousarray(self.data.labels)

    @functools.cached_property
    def y32(self):
        return self.y64.astype(np.float32)

    def y(self, layout):
        return self.y64 if "64" in layout else self.y32

    def usable(self, layout):
        density = self.data.about.setdefault("density", self.data.density)
        return density <= 0.6 if layout.startswith("cs") else density >= 0.05

    def x(self, layout):
        if layout not in self.made:
            self.made[layout] = self._make(layout)
        return self.made[layout]

    def _make(self, layout):
        dtype = np.float64 if "64" in layout else np.float32
        if layout.startswith("cs"):
            if "csr32" not in self.made and layout != "csr32":
                self.made["csr32"] = self._make("csr32")
            if layout != "csr32":
                return scipy.sparse.csc_matrix(self.made["csr32"], dtype=dtype) if layout.startswith("csc") else \
                    self.made["csr32"].astype(dtype)
            ones = scipy.sparse.csr_matrix(np.ones((self.n, 1), dtype=dtype))
            x = scipy.sparse.hstack([scipy.sparse.csr_matrix(self.data.x), ones], format="csr", dtype=dtype)
            x.sort_indices()
            x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)
            return x
        x = np.ones((self.n, self.d), dtype=dtype, order=layout[0].upper())
        x[:, :-1] = self.data.x if self.data.dense else self.data.x.toarray()
        return x


def obstacle(rival, data):
    """None, or the reason why the rival cannot run on this set."""
    if data.about["stored"] > rival.most_stored:
        return "not tried: the set is too large for it"
    if data.cols > rival.most_cols:
        return "not tried: the set is too wide for it"
    try:
        importlib.import_module(rival.module)
    except Exception as error:  # a broken package may raise anything
        return f"{type(error).__name__}: {error}"
    return None


def all_rivals():
    from rivals_sparse import RIVALS as sparse_models
    from rivals_cyanure import RIVALS as cyanure
    from rivals_liblinear import RIVALS as liblinear
    from rivals_scipy import RIVALS as scipy_rivals
    from rivals_sklearn import RIVALS as sklearn
    from rivals_vw import RIVALS as vw
    return [*scipy_rivals, *liblinear, *sklearn, *cyanure, *vw, *sparse_models]
