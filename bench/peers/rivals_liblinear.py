"""LIBLINEAR through its shared library: -s 0 (trust-region Newton), -s 7 (dual), -s 6 (L1).

Its own format is one array of (int, double) pairs; filling it is counted, and shown apart.
"""
import ctypes

import numpy as np

from rivals import L1_LOGISTIC, L2_LOGISTIC, TOLERANCES, Rival

NODE = np.dtype([("index", np.int32), ("value", np.float64)], align=True)


class Problem(ctypes.Structure):
    _fields_ = [("l", ctypes.c_int), ("n", ctypes.c_int), ("y", ctypes.c_void_p), ("x", ctypes.c_void_p),
                ("bias", ctypes.c_double)]


class Parameter(ctypes.Structure):
    _fields_ = [("solver_type", ctypes.c_int), ("eps", ctypes.c_double), ("C", ctypes.c_double),
                ("nr_weight", ctypes.c_int), ("weight_label", ctypes.c_void_p), ("weight", ctypes.c_void_p),
                ("p", ctypes.c_double), ("init_sol", ctypes.c_void_p)]


class Model(ctypes.Structure):
    _fields_ = [("param", Parameter), ("nr_class", ctypes.c_int), ("nr_feature", ctypes.c_int),
                ("w", ctypes.POINTER(ctypes.c_double)), ("label", ctypes.POINTER(ctypes.c_int)),
                ("bias", ctypes.c_double)]


_PRINT = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_silent = _PRINT(lambda text: None)
_library = None


def library():
    global _library
    if _library is None:
        _library = ctypes.CDLL("liblinear.so.4")
        _library.train.restype = ctypes.POINTER(Model)
        _library.train.argtypes = [ctypes.POINTER(Problem), ctypes.POINTER(Parameter)]
        _library.set_print_string_function(_silent)
    return _library


def nodes_of(x):
    """LIBLINEAR's rows: (1-based column, value) pairs, each row closed by -1; and where each begins."""
    if isinstance(x, np.ndarray):
        n, d = x.shape
        nodes = np.empty((n, d + 1), dtype=NODE)
        nodes["index"][:, :d] = np.arange(1, d + 1, dtype=np.int32)
        nodes["index"][:, d] = -1
        nodes["value"][:, :d] = x
        return nodes, nodes.ctypes.data + np.arange(n, dtype=np.int64) * nodes.strides[0]
    n = x.shape[0]
    nodes = np.empty(x.nnz + n, dtype=NODE)
    ends = x.indptr[1:] + np.arange(n)
    kept = np.ones(len(nodes), dtype=bool)
    kept[ends] = False
    nodes["index"][kept] = x.indices + 1
    nodes["value"][kept] = x.data
    nodes["index"][ends] = -1
    return nodes, nodes.ctypes.data + (x.indptr[:-1] + np.arange(n, dtype=np.int64)) * NODE.itemsize


def fit(inputs, layout, effort, seed, solver):
    train = library().train
    started = inputs.clock()
    nodes, rows = nodes_of(inputs.x(layout))
    converted = inputs.clock() - started
    n, lam = inputs.n, inputs.lam
    cost = 1 / (n * lam) if solver == 6 else 1 / (2 * n * lam)
    problem = Problem(n, inputs.d, inputs.y64.ctypes.data, rows.ctypes.data, -1.0)
    parameter = Parameter(solver, effort, cost, 0, None, None, 0.1, None)
    ctypes.CDLL(None).srand(seed + 1)
    model = train(ctypes.byref(problem), ctypes.byref(parameter))
    w = np.ctypeslib.as_array(model.contents.w, (inputs.d,)).copy()
    if model.contents.label[0] != 1:
        w = -w
    library().free_and_destroy_model(ctypes.byref(model))
    return w, converted


def variant(number, problem, efforts, stochastic):
    return Rival(f"liblinear-{number}", "rivals_liblinear", lambda *args: fit(*args, solver=number),
                 layouts=("c32", "csr32"), efforts=efforts, stochastic=stochastic, problems=(problem,), converts=True)


RIVALS = [
    variant(0, L2_LOGISTIC, TOLERANCES, False),
    variant(7, L2_LOGISTIC, tuple(10 * t for t in TOLERANCES), True),
    variant(6, L1_LOGISTIC, TOLERANCES, True),
]
library()  # when it is missing, importing this module fails with the reason
