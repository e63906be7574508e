"""Who is compared: fit(task, effort) -> classes x (cols + 1) weights, with a ladder of efforts from rough to fine.

All minimise the same objective on rows with the column of ones appended; C = 1/(2 n lambda) (docs/theory.md).
"""
import ctypes
import functools
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier

sys.path.append(str(Path(__file__).resolve().parents[1] / "peers"))

warnings.filterwarnings("ignore", category=ConvergenceWarning)
warnings.filterwarnings("ignore", category=FutureWarning)
NEVER = 1e-14  # a tolerance that does not end a run before its iterations do
COUNTS = (2, 3, 5, 8, 12, 18, 27, 40, 60, 90, 130, 200, 300, 450, 700, 1000, 1500)
FEW = (1, 2, 3, 4, 5, 6, 8, 10, 13, 17)
TOLERANCES = tuple(10 ** (-k / 2) for k in range(0, 17))
DUAL_TOLERANCES = tuple(10 * t for t in TOLERANCES)


@dataclass(frozen=True)
class Task:
    data: object
    lam: float
    threads: int

    @property
    def cost(self):
        return 1 / (2 * self.data.rows * self.lam)


@dataclass(frozen=True)
class Rival:
    name: str
    fit: object
    efforts: tuple
    usual: bool = True  # also in a quick run


def by_sklearn(name, solver, layout, efforts, jobs, usual=True, dual=False):
    by_tolerance = solver == "liblinear"

    def fit(task, effort):
        model = LogisticRegression(C=task.cost, fit_intercept=False, random_state=0, solver=solver, dual=dual,
                                   max_iter=5000 if by_tolerance else effort, tol=effort if by_tolerance else NEVER)
        # jobs: as many classes at once as there are threads, each on one; otherwise one after the other, BLAS on all.
        many = OneVsRestClassifier(model, n_jobs=task.threads if jobs else None)
        many.fit(task.data.x(layout), task.data.y)
        return np.vstack([one.coef_ for one in many.estimators_])

    return Rival(name, fit, efforts, usual)


def sgd(task, effort):
    model = SGDClassifier(loss="log_loss", alpha=2 * task.lam, fit_intercept=False, max_iter=effort, tol=None,
                          random_state=0, average=True, n_jobs=task.threads)
    return model.fit(task.data.x("csr32"), task.data.y).coef_


@functools.cache
def _liblinear():
    import rivals_liblinear  # of bench/peers
    return rivals_liblinear


def liblinear(task, effort, solver):
    """Its own multi-class fit, which is one-vs-rest on one thread; filling its format is part of the time."""
    lib = _liblinear()
    nodes, rows = lib.nodes_of(task.data.x("csr32"))
    y = np.ascontiguousarray(task.data.y)
    problem = lib.Problem(task.data.rows, task.data.dim, y.ctypes.data, rows.ctypes.data, -1.0)
    parameter = lib.Parameter(solver, effort, task.cost, 0, None, None, 0.1, None)
    ctypes.CDLL(None).srand(1)
    model = lib.library().train(ctypes.byref(problem), ctypes.byref(parameter))
    count = len(task.data.classes)
    w = np.ctypeslib.as_array(model.contents.w, (task.data.dim * count,)).reshape(task.data.dim, count).T.copy()
    order = np.argsort(model.contents.label[:count])  # ours is ascending
    lib.library().free_and_destroy_model(ctypes.byref(model))
    return w[order]


RIVALS = [
    by_sklearn("sk-lbfgs, classes side by side", "lbfgs", "csr32", COUNTS, jobs=True),
    by_sklearn("sk-lbfgs, dense", "lbfgs", "c32", COUNTS, jobs=False),
    by_sklearn("sk-liblinear", "liblinear", "csr64", TOLERANCES, jobs=True),
    by_sklearn("sk-liblinear, dual", "liblinear", "csr64", DUAL_TOLERANCES, jobs=True, dual=True),
    by_sklearn("sk-newton-cholesky", "newton-cholesky", "c32", FEW, jobs=False, usual=False),
    by_sklearn("sk-newton-cg", "newton-cg", "csr32", FEW, jobs=True, usual=False),
    by_sklearn("sk-sag", "sag", "csr32", COUNTS, jobs=True, usual=False),
    by_sklearn("sk-saga", "saga", "csr32", COUNTS, jobs=True, usual=False),
    Rival("sk-asgd", sgd, (5, 10, 20, 40, 80, 160), usual=False),
    Rival("liblinear -s 0", lambda task, effort: liblinear(task, effort, 0), TOLERANCES),
    Rival("liblinear -s 7", lambda task, effort: liblinear(task, effort, 7), DUAL_TOLERANCES),
]
