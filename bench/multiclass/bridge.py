"""ctypes face of bridge.cpp: rows by our reader, our objective as the judge, our fits."""
import ctypes
import json

import numpy as np
import scipy.sparse

_POINTER, _TEXT = ctypes.c_void_p, ctypes.c_char_p
_SIGNATURES = {
    "multi_error": (_TEXT, []),
    "multi_load": (_POINTER, [_TEXT, ctypes.c_int]),
    "multi_describe": (_TEXT, [_POINTER]),
    "multi_objective": (ctypes.c_double, [_POINTER, _TEXT, _POINTER]),
    "multi_fit": (_TEXT, [_POINTER, _TEXT, ctypes.c_double, ctypes.c_uint64, _POINTER]),
}


def _array(address, count, ctype):
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctype)), (count,))


class Data:
    """Rows and labels as our reader left them. x has the column of ones appended: no rival needs an intercept."""

    def __init__(self, library, source, max_abs):
        self.library = ctypes.CDLL(str(library))
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments
        self.handle = self._checked(self.library.multi_load(source.encode(), max_abs))
        about = json.loads(self._checked(self.library.multi_describe(self.handle)))
        self.rows, self.dim, self.classes = about["rows"], about["cols"] + 1, about["classes"]
        self.y = _array(about["labels"], self.rows, ctypes.c_double)
        rows = scipy.sparse.csr_matrix((_array(about["values"], about["stored"], ctypes.c_float),
                                        _array(about["columns"], about["stored"], ctypes.c_int32),
                                        _array(about["starts"], self.rows + 1, ctypes.c_int64)),
                                       shape=(self.rows, about["cols"]), copy=False)
        ones = scipy.sparse.csr_matrix(np.ones((self.rows, 1), dtype=np.float32))
        self.csr32 = scipy.sparse.hstack([rows, ones], format="csr", dtype=np.float32)
        self.csr32.sort_indices()
        self.csr32.indices = self.csr32.indices.astype(np.int32)
        self.csr32.indptr = self.csr32.indptr.astype(np.int32)
        self.made = {"csr32": self.csr32}

    def x(self, layout):
        """csr32, csr64, c32, c64: made once, outside of any clock."""
        if layout not in self.made:
            dtype = np.float64 if layout.endswith("64") else np.float32
            dense = layout.startswith("c3") or layout.startswith("c6")
            self.made[layout] = self.csr32.toarray().astype(dtype) if dense else self.csr32.astype(dtype)
        return self.made[layout]

    def _checked(self, answer):
        if not answer:
            raise RuntimeError(self.library.multi_error().decode())
        return answer

    def objective(self, problem, w):
        w = np.ascontiguousarray(w, dtype=np.float64)
        assert w.shape == (len(self.classes), self.dim), w.shape
        return self.library.multi_objective(self.handle, json.dumps(problem).encode(), w.ctypes.data)

    def fit(self, problem, tol, seed):
        """(weights, what the run says of itself)."""
        w = np.empty((len(self.classes), self.dim))
        text = self.library.multi_fit(self.handle, json.dumps(problem).encode(), tol, seed, w.ctypes.data)
        return w, json.loads(self._checked(text))
