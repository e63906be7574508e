"""Regression that does not mind outliers."""

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ._objective import multiplier_of_ridge
from ._types import Labels, Request, Rows, Self, Weights
from .regression import RegressorBase


@dataclass(eq=False, repr=False)
class HuberRegressor(RegressorBase):
    """Huber's regression, which finds the scale of the errors along with the weights.

    Minimises scikit-learn's objective ``sum_i s_i (sigma + sigma H((u_i - y_i) / sigma)) + alpha ||w||^2`` over weights,
    intercept and sigma, with ``H(z) = z^2`` up to ``|z| = epsilon`` and ``2 epsilon |z| - epsilon^2`` beyond, ``s_i`` the sample
    weight of row i; the intercept is not penalised.

    Parameters
    ----------
    epsilon : float, default=1.35
        1 or more. Errors beyond so many times the scale count as a line, not a square.
    max_iter : int, default=100
        At most so many steps; with a `solver` other than ``"auto"`` so many passes over the rows for each scale that is tried.
    alpha : float, default=1e-4
        Strength of the penalty.
    tol : float, default=1e-5
        Relative duality gap, of weights and scale together.
    fit_intercept, warm_start, solver, random_state, n_jobs, verbose, trace, max_seconds, keep_on_interrupt :
        See `LogisticRegression` and `LinearModel`.

    Attributes
    ----------
    scale_ : float
        sigma. As near to zero as `tol` asks for (never below 1e-13 of the largest target) where the rows allow more than
        ``1 - 1 / epsilon**2`` of them, 45 % by default, to be fitted exactly: the fit is then one of least absolute errors.
        Always so with ``epsilon=1``.
    outliers_ : ndarray of shape (n_samples,)
        Whether the error of a row is more than ``epsilon * scale_``.
    coef_, intercept_, n_iter_, n_features_in_, feature_names_in_, summary_, trace_, weight_seen_ :
        As of `Ridge`.

    Examples
    --------
    >>> import numpy as np
    >>> from s3gd import HuberRegressor
    >>> X = np.arange(20.0).reshape(-1, 1)
    >>> y = 2 * X[:, 0] + 1 + np.random.default_rng(0).uniform(-1, 1, 20)
    >>> y[3] = 500
    >>> model = HuberRegressor(epsilon=2.0).fit(X, y)
    >>> model.coef_.round(1), np.flatnonzero(model.outliers_).tolist()
    (array([2.]), [3])
    """

    _: KW_ONLY
    epsilon: float = 1.35
    max_iter: int = 100
    alpha: float = 0.0001
    tol: float = 1e-5
    patience: None = field(default=None, init=False)

    _loss = "huber"
    _penalty = "l2"

    if TYPE_CHECKING:  # scikit-learn makes it
        def set_fit_request(self, *, sample_weight: Request = ...) -> Self: ...  # type: ignore[override]

    def fit(self, X: Rows, y: Labels, sample_weight: Weights = None) -> Self:  # type: ignore[override]
        """Fit the model to the rows X with targets y; see `LogisticRegression.fit`."""
        super().fit(X, y, sample_weight)
        errors = np.abs(np.asarray(y, dtype=np.float64).ravel() - self.predict(X))
        self.outliers_ = errors > self.scale_ * self.epsilon
        return self

    def _multiplier(self, total_weight):
        return multiplier_of_ridge(self.alpha, total_weight)

    def _spec(self, task, n_classes, total_weight):
        return {**super()._spec(task, n_classes, total_weight), "knee": float(self.epsilon), "scale": True}

    def _spec_on_record(self, spec):
        """Of the fit at the scale found."""
        return {**spec, "knee": self.epsilon * self.scale_, "lambda": spec["lambda"] * self.scale_, "scale": False}

    def _keep(self, result: dict[str, Any], task: str) -> None:
        self.scale_ = float(result["scale"])
        super()._keep(result, task)
