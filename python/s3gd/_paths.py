"""Fits at many strengths of the penalty, and what they share with single ones."""

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

from . import _core
from ._data import core_numbers, core_rows
from ._objective import core_penalty
from ._validation import total_weight


class PathMixin:
    """Of `LinearBase`: its penalty at many strengths over the same rows, or over some of them."""

    def _along(self, X, targets, weights, multipliers, folds=None):
        """Fits at many strengths, from strong to weak: what `_core.paths` returns. For folds, over their rows each at its own."""
        task, n_classes, _ = self._sizes()
        lambdas = [[core_penalty(self._penalty, multiplier, self._l1_ratio)["lambda"] for multiplier in one] for one in multipliers]
        # Nothing is looked at on the way, and what an interrupt leaves is no model.
        options = {**self._options(task, X), "patience": None, "trace": False, "keep_on_interrupt": False}
        with self._in_words(X=X):
            result = _core.paths(core_rows(X), core_numbers(targets), sample_weight=weights,
                                 spec=self._spec(task, n_classes, total_weight(X.shape[0], weights)),
                                 options=options, lambdas=lambdas, folds=folds)
        if task == "softmax":
            result["coef"], result["intercept"] = centred(result["coef"], result["intercept"], self._intercept(), self._penalised())
        short = result["relative_gap"] > self.tol
        if short.any():
            warnings.warn(f"{short.sum()} of {short.size} fits along the path did not reach tol={self.tol:g}: raise max_iter, "
                          "or tol.", ConvergenceWarning, stacklevel=levels_to_the_caller())
        return result


def centred(coef, intercept, kind, penalised):
    """Softmax's margins may all be shifted: free intercepts, and weights without penalty, are given a mean of zero."""
    if kind == "free":
        intercept = intercept - intercept.mean(axis=-1, keepdims=True)
    if not penalised:
        coef = coef - coef.mean(axis=-2, keepdims=True)
    return coef, intercept


def levels_to_the_caller():
    """For `warnings.warn`: how far up the first frame is that does not belong to this package."""
    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level
