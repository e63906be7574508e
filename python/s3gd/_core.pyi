"""The compiled library, as the package's own Python files call it.

Rows are a C-ordered array of float32 or float64 (any distance between rows), or the parts of a CSR matrix whose columns
ascend within each row; they are used where they lie, for reading only. An int32 ``indptr`` is widened, the one copy made.
Options and specifications are checked by name. The interpreter's lock is not held during the work; Ctrl-C ends it.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]
Start: TypeAlias = tuple[Floats, Floats]
Callback: TypeAlias = Callable[[dict[str, Any]], object]

version: str

class Error(ValueError):
    """Input that the library refuses, in one sentence and where there is one with a remedy."""

class Fit(TypedDict):
    coef: Floats  # outputs x features
    intercept: Floats  # outputs
    summary: dict[str, Any]  # the keys of `s3gd train --json`
    trace: dict[str, Any]  # arrays of equal length; "stage" is a list

def fit(
    X: Rows,
    y: Floats,
    *,
    sample_weight: Floats | None = None,
    spec: dict[str, Any],
    options: dict[str, Any] = ...,
    start: Start | None = None,
    X_val: Rows | None = None,
    y_val: Floats | None = None,
    callback: Callback | None = None,
) -> Fit:
    """Fits a linear model: minimises sum_i q_i psi(w.x_i + b, y_i) + R(w), q_i the weights scaled to sum to 1.

    Parameters
    ----------
    y
        Class codes 0 .. n_classes - 1, each of them there with positive weight, or real targets.
    spec
        ``task`` (binary, ovr, softmax, regression), ``n_classes``, ``loss`` (logistic, squared, squared-hinge,
        smooth-hinge), ``beta``, ``penalty`` (l2, l1, elastic-net, l1-l2norm, none, sums as l1+l2; softmax also
        group-lasso, nuclear), ``lambda``, ``alpha`` (share of the squared term), ``penalty_factor``,
        ``intercept`` (free, regularised, none).
    options
        ``solver``, ``tol``, ``passes``, ``iterations``, ``seconds``, ``step`` (a number or "auto"), ``decay``, ``batch``,
        ``inner``, ``order``, ``average``, ``accelerated``, ``anchors``, ``neighbours``, ``kernel``, ``graph_mode``,
        ``control``, ``patience``, ``threads`` (0: all), ``seed``, ``trace``, ``trace_every``, ``trace_gradients``,
        ``checkpoint``, ``checkpoint_every``, ``resume``; ``check`` (default true: look for numbers that are not finite and
        for CSR columns out of order before the work); ``keep_on_interrupt`` (Ctrl-C returns the model so far, with the
        status "interrupted", instead of raising).
    start
        Where the fit begins: coefficients and intercepts, shaped as those returned.
    callback
        Called in the caller's thread with a row of the trace (one-vs-rest: with each class that is done); ``False`` ends
        the fit with the status "interrupted". What it raises is raised by the fit.
    """
