"""Regression of counts."""

from ._objective import multiplier_of_alpha
from .regression import RegressorBase


class PoissonRegressor(RegressorBase):
    """Poisson regression: counts, predicted as ``exp(X @ coef_ + intercept_)``.

    Minimises scikit-learn's objective ``sum_i q_i (exp(u_i) - y_i u_i) + alpha ||w||^2 / 2`` with ``q_i`` the sample weight of
    row i over their sum (``1/n`` without any); the intercept is not penalised. `summary_` has the same with
    ``y_i log y_i - y_i`` added, half of the deviance.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of the penalty.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    solver : str, default="auto"
        ``"auto"`` chooses; others are ``"sampled-newton"``, ``"newton"`` and ``"lbfgs"``. ``"newton-cholesky"`` is taken for ``"auto"``.
    max_iter : int, default=100
        At most so many passes over the rows.
    tol, warm_start, verbose, random_state, n_jobs, trace, max_seconds, patience, keep_on_interrupt :
        See `LogisticRegression`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    n_iter_ : int
        Passes over the rows, rounded up.
    n_features_in_ : int
    feature_names_in_ : ndarray, where X had names
    summary_ : Summary
    trace_ : Trace
    weight_seen_ : float

    Examples
    --------
    >>> from s3gd import PoissonRegressor
    >>> model = PoissonRegressor().fit([[1, 2], [2, 3], [3, 4], [4, 3]], [12, 17, 22, 21])
    >>> model.coef_.round(3), round(model.intercept_, 3)
    (array([0.121, 0.158]), 2.089)
    >>> model.predict([[1, 1], [3, 4]]).round(3)
    array([10.676, 21.875])
    """

    _loss = "poisson"
    _penalty = "l2"

    def __init__(self, *, alpha=1.0, fit_intercept=True, solver="auto", max_iter=100, tol=1e-4, warm_start=False, verbose=0,
                 random_state=None, n_jobs=None, trace=False, max_seconds=None, patience=None, keep_on_interrupt=False):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.trace = trace
        self.max_seconds = max_seconds
        self.patience = patience
        self.keep_on_interrupt = keep_on_interrupt

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {**super()._more_tags(), "requires_positive_y": True}

    def _check_parameters(self):
        self._check_shared_parameters()
        self._check_strength()

    def _solver(self, task):
        return "auto" if self.solver == "newton-cholesky" else self.solver

    def _multiplier(self, total_weight):
        return multiplier_of_alpha(self.alpha, self._loss)
