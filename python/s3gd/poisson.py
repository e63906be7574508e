"""Regression of counts."""

from dataclasses import KW_ONLY, dataclass

from .regression import RegressorBase


@dataclass(eq=False, repr=False)
class PoissonRegressor(RegressorBase):
    """Poisson regression: counts, predicted as ``exp(X @ coef_ + intercept_)``.

    Minimises scikit-learn's objective ``sum_i q_i (exp(u_i) - y_i u_i) + alpha ||w||^2 / 2`` with ``q_i`` the sample weight of
    row i over their sum (``1/n`` without any); the intercept is not penalised. `summary_` has the same with
    ``y_i log y_i - y_i`` added, half of the deviance.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    solver : str, default="auto"
        ``"auto"`` chooses; others are ``"sampled-newton"``, ``"newton"`` and ``"lbfgs"``. ``"newton-cholesky"`` is taken for ``"auto"``.
    max_iter : int, default=100
        At most so many passes over the rows.
    fit_intercept, tol, warm_start, verbose, random_state, n_jobs, trace, max_seconds, patience, keep_on_interrupt :
        See `LogisticRegression`.

    Attributes
    ----------
    coef_, intercept_, n_iter_, n_features_in_, feature_names_in_, summary_, trace_, weight_seen_ :
        As of `Ridge`.

    Examples
    --------
    >>> from s3gd import PoissonRegressor
    >>> model = PoissonRegressor().fit([[1, 2], [2, 3], [3, 4], [4, 3]], [12, 17, 22, 21])
    >>> model.coef_.round(3), round(model.intercept_, 3)
    (array([0.121, 0.158]), 2.089)
    >>> model.predict([[1, 1], [3, 4]]).round(3)
    array([10.676, 21.875])
    """

    _: KW_ONLY
    alpha: float = 1.0
    max_iter: int = 100

    _loss = "poisson"
    _penalty = "l2"
    _as_auto = ("newton-cholesky",)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {**super()._more_tags(), "requires_positive_y": True}
