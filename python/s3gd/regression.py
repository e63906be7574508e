"""Linear regression with the squared loss: ridge, lasso and elastic net."""

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.metrics import d2_tweedie_score, r2_score

from ._base import LinearBase, RegressorMixin
from ._objective import LARGEST_LOGARITHM, multiplier_of_alpha, multiplier_of_ridge
from ._types import Floats, Labels, Rows, Self, Weights
from ._validation import checked_rows, checked_weights


class NumberPredictions(RegressorMixin):
    """Numbers by margins, of estimators and of saved models."""

    if TYPE_CHECKING:
        _loss: ClassVar[Any]
        _margins: ClassVar[Any]

    def predict(self, X: Rows) -> Floats:
        """The prediction for each row of X, ``X @ coef_ + intercept_``; with the Poisson loss its exponential."""
        margins = self._margins(X)[:, 0]
        return np.exp(np.minimum(margins, LARGEST_LOGARITHM)) if self._loss == "poisson" else margins

    def score(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float:
        """The share of the variance of the targets y explained (R^2); with the Poisson loss, of their deviance (D^2)."""
        if self._loss == "poisson":
            return float(d2_tweedie_score(y, self.predict(X), sample_weight=sample_weight, power=1))
        return r2_score(y, self.predict(X), sample_weight=sample_weight)


class RegressorBase(NumberPredictions, LinearBase):
    """One output with real targets."""

    _loss = "squared_error"

    def _checked(self, X, y, sample_weight):
        X, y = checked_rows(self, X, y, reset=True, numeric_y=True, finite=False)
        return X, y, checked_weights(sample_weight, X)

    def _task(self):
        return "regression"

    def _multiplier(self, total_weight):
        return multiplier_of_alpha(self.alpha, self._loss)

    def _set_parameters(self, coef, intercept):
        self.coef_, self.intercept_ = coef[0], float(intercept[0])


class StreamedRegressor(RegressorBase):
    """One that also learns from parts of the data, one after the other."""

    def partial_fit(self, X: Rows, y: Labels, sample_weight: Weights = None) -> Self:
        """Make one stochastic pass over the next rows X with targets y; see `LogisticRegression.partial_fit`."""
        self._check_parameters()
        X, y = checked_rows(self, X, y, reset=not hasattr(self, "coef_"), numeric_y=True, finite=False)
        return self._partial_fit(X, y, checked_weights(sample_weight, X))


@dataclass(eq=False, repr=False)
class Ridge(StreamedRegressor):
    """Ridge regression.

    Minimises scikit-learn's objective ``sum_i s_i (y_i - u_i)^2 + alpha ||w||^2`` with ``s_i`` the sample weight of row i;
    the intercept is not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty; 0 is ordinary least squares.
    max_iter : int or None, default=1000
        At most so many passes over the rows; None is 1000.
    solver : str, default="auto"
        ``"auto"`` chooses; the others are those of `LinearModel`. Names of scikit-learn's solvers that are none of ours are taken
        for ``"auto"``: they minimise the same.
    fit_intercept, tol, random_state, warm_start, n_jobs, verbose, trace, max_seconds, patience, keep_on_interrupt :
        See `LogisticRegression`.
    copy_X : bool, default=True
        Taken, and of no effect: X is never written to.
    positive : False
        Weights are of either sign; True is refused.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
        Passes over the rows, rounded up.
    n_features_in_, feature_names_in_, summary_, trace_, weight_seen_ :
        As of `LogisticRegression`.

    Examples
    --------
    >>> from s3gd import Ridge
    >>> model = Ridge(alpha=1e-6).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.coef_.round(3), round(model.intercept_, 3)
    (array([2.]), 1.0)
    """

    alpha: float = 1.0
    _: KW_ONLY
    max_iter: int | None = 1000  # type: ignore[assignment]
    copy_X: bool = True
    positive: bool = False

    _penalty = "l2"
    _as_auto = ("svd", "cholesky", "lsqr", "sparse_cg")

    def _most_passes(self):
        return 1000 if self.max_iter is None else self.max_iter

    def _multiplier(self, total_weight):
        return multiplier_of_ridge(self.alpha, total_weight)


@dataclass(eq=False, repr=False)
class ElasticNet(StreamedRegressor):
    """Linear regression with an elastic net.

    Minimises scikit-learn's objective ``sum_i q_i (y_i - u_i)^2 / 2 + alpha (l1_ratio ||w||_1 + (1 - l1_ratio) ||w||^2 / 2)``
    with ``q_i`` the sample weight of row i over their sum (``1/n`` without any); the intercept is not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    l1_ratio : float, default=0.5
        Share of the 1-norm.
    fit_intercept, max_iter, tol, solver, random_state, warm_start, n_jobs, verbose, trace, max_seconds, patience, keep_on_interrupt :
        See `LogisticRegression`.
    precompute, copy_X, selection : object
        Taken, and of no effect: the solver is chosen by the shape of the problem, and X is never written to.
    positive : False
        Weights are of either sign; True is refused.

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_features_in_, feature_names_in_, summary_, trace_, weight_seen_ :
        As of `Ridge`.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from s3gd import ElasticNet
    >>> X, y = make_regression(n_features=20, n_informative=2, random_state=0)
    >>> model = ElasticNet(alpha=1.0, l1_ratio=0.9).fit(X, y)
    >>> int((model.coef_ != 0).sum()) < 20
    True
    """

    alpha: float = 1.0
    _: KW_ONLY
    l1_ratio: float = 0.5
    precompute: object = False
    copy_X: bool = True
    positive: bool = False
    selection: str = "cyclic"

    _penalty = "elasticnet"


@dataclass(eq=False, repr=False)
class Lasso(ElasticNet):
    """Linear regression with an L1 penalty, which leaves few weights that are not zero.

    Minimises scikit-learn's objective ``sum_i q_i (y_i - u_i)^2 / 2 + alpha ||w||_1`` with ``q_i`` the sample weight of row i
    over their sum (``1/n`` without any); the intercept is not penalised.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept, max_iter, tol, solver, random_state, warm_start, n_jobs, verbose, trace, max_seconds, patience, keep_on_interrupt :
    precompute, copy_X, positive, selection :
        See `ElasticNet`.

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_features_in_, feature_names_in_, summary_, trace_, weight_seen_ :
        As of `Ridge`.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from s3gd import Lasso
    >>> X, y = make_regression(n_features=20, n_informative=2, random_state=0)
    >>> model = Lasso(alpha=1.0).fit(X, y)
    >>> int((model.coef_ != 0).sum())
    2
    """

    l1_ratio: float = field(default=1.0, init=False)
