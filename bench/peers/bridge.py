"""ctypes face of bridge.cpp: datasets by our readers, our objective as the judge, our solvers."""
import ctypes
import json
import math
from pathlib import Path

import numpy as np
import scipy.sparse

ROOT = Path(__file__).resolve().parents[2]
_POINTER, _TEXT, _SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64
_SIGNATURES = {
    "bench_error": (_TEXT, []),
    "bench_load": (_POINTER, [_TEXT, _TEXT]),
    "bench_borrow_dense": (_POINTER, [_POINTER, ctypes.c_int, _SIZE, _SIZE, _SIZE, _POINTER]),
    "bench_borrow_csr": (_POINTER, [_POINTER, ctypes.c_int, _POINTER, _POINTER, _SIZE, _SIZE, _POINTER]),
    "bench_free": (None, [_POINTER]),
    "bench_describe": (_TEXT, [_POINTER]),
    "bench_objective": (ctypes.c_double, [_POINTER, _TEXT, _POINTER]),
    "bench_certify": (_TEXT, [_POINTER, _TEXT, _POINTER]),
    "bench_gradient": (ctypes.c_int, [_POINTER, _TEXT, _POINTER, _POINTER]),
    "bench_reference": (_TEXT, [_POINTER, _TEXT, ctypes.c_double, _TEXT, _POINTER]),
    "bench_solve": (_TEXT, [_POINTER, _TEXT, _TEXT, _POINTER]),
}


def open_library(path):
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _array(address, count, ctype):
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctype)), (count,))


class Data:
    """Rows and labels (+1 and -1) as our readers left them; numpy and scipy views of the same memory."""

    def __init__(self, library, source, **options):
        self.library = library
        self.handle = library.bench_load(source.encode(), json.dumps(options).encode())
        if not self.handle:
            raise RuntimeError(library.bench_error().decode())
        self.about = json.loads(library.bench_describe(self.handle))
        self.rows, self.cols, self.dense = self.about["rows"], self.about["cols"], self.about["dense"]
        self.labels = _array(self.about["labels"], self.rows, ctypes.c_double)
        ctype = ctypes.c_float if self.about["value_bytes"] == 4 else ctypes.c_double
        if self.dense:
            stride = self.about["stride"]
            self.x = _array(self.about["values"], self.rows * stride, ctype).reshape(self.rows, stride)[:, :self.cols]
        else:
            starts = _array(self.about["starts"], self.rows + 1, ctypes.c_int64)
            columns = _array(self.about["columns"], self.about["stored"],
                             ctypes.c_int32 if self.about["column_bytes"] == 4 else ctypes.c_int64)
            values = _array(self.about["values"], self.about["stored"], ctype)
            self.x = scipy.sparse.csr_matrix((values, columns, starts), shape=(self.rows, self.cols), copy=False)

    @property
    def bytes(self):
        if self.dense:
            return self.rows * self.about["stride"] * self.about["value_bytes"]
        return self.about["stored"] * (self.about["value_bytes"] + self.about["column_bytes"]) + 8 * (self.rows + 1)

    @property
    def density(self):
        return np.count_nonzero(self.x) / self.x.size if self.dense else self.about["stored"] / self.rows / self.cols


class Task:
    """One objective on one dataset: mean loss + lambda * penalty, the intercept a regularised column of ones."""

    def __init__(self, data, lam, loss="logistic", penalty="l2", threads=1):
        self.data, self.lam, self.loss, self.penalty, self.threads = data, lam, loss, penalty, threads
        self._spec = json.dumps({"lambda": lam, "loss": loss, "penalty": penalty, "threads": threads}).encode()

    def _answer(self, text):
        if text is None:
            raise RuntimeError(self.data.library.bench_error().decode())
        return json.loads(text)

    def objective(self, w):
        w = np.ascontiguousarray(w, dtype=np.float64)
        if w.shape != (self.data.cols + 1,):
            raise ValueError(f"{w.shape} weights, {self.data.cols + 1} wanted")
        if not np.all(np.isfinite(w)):
            return math.inf
        return self.data.library.bench_objective(self.data.handle, self._spec, w.ctypes.data)

    def gradient_at_zero(self):
        w, gradient = np.zeros(self.data.cols + 1), np.empty(self.data.cols + 1)
        if not self.data.library.bench_gradient(self.data.handle, self._spec, w.ctypes.data, gradient.ctypes.data):
            raise RuntimeError(self.data.library.bench_error().decode())
        return gradient

    def certify(self, w):
        w = np.ascontiguousarray(w, dtype=np.float64)
        return self._answer(self.data.library.bench_certify(self.data.handle, self._spec, w.ctypes.data))

    def reference(self, cache, tol=1e-13):
        w = np.empty(self.data.cols + 1)
        answer = self._answer(self.data.library.bench_reference(self.data.handle, self._spec, tol,
                                                                str(cache).encode(), w.ctypes.data))
        return answer, w

    def solve(self, **options):
        w = np.empty(self.data.cols + 1)
        answer = self._answer(self.data.library.bench_solve(self.data.handle, self._spec,
                                                            json.dumps(options).encode(), w.ctypes.data))
        return answer, w
