"""Logistic regression."""

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._classifier import ProbabilityMixin, ScaledIntercept
from ._objective import multiplier_of_C
from ._validation import total_weight


@dataclass(eq=False, repr=False)
class LogisticRegression(ProbabilityMixin, ScaledIntercept):
    """Logistic regression: two classes, or more by softmax or each against the rest.

    Minimises scikit-learn's objective, ``P(w) + C sum_i s_i log_loss_i`` with ``s_i`` the sample weight times the class
    weight of row i, and the intercept not penalised. ``P`` is ``||w||^2 / 2`` (l2), ``||w||_1`` (l1),
    ``l1_ratio ||w||_1 + (1 - l1_ratio) ||w||^2 / 2`` (elasticnet), ``sum_j ||W_:j||_2`` over the features (group) or the
    sum of the singular values of W (nuclear); the last two need more than two classes.

    Parameters
    ----------
    penalty : {"auto", "l2", "l1", "elasticnet", "group", "nuclear", None}, default="auto"
        ``"auto"`` goes by `l1_ratio`: l2 for 0, l1 for 1, elasticnet between. None: no penalty.
    C : float, default=1.0
        Inverse strength of the penalty; ``np.inf`` is no penalty.
    l1_ratio : float, default=0.0
        Share of the 1-norm in the elastic net. None counts as 0.
    tol : float, default=1e-4
        The relative duality gap to reach: the objective is then at most ``tol`` above its minimum, relatively. Problems of
        up to 20 000 numbers are solved as far as double precision goes.
    max_iter : int, default=1000
        At most so many passes over the rows.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    class_weight : dict or "balanced", optional
        Weights of the classes; ``"balanced"`` gives all of them the same total.
    solver : str, default="auto"
        ``"auto"`` chooses; the others are those of `LinearModel`, for two classes. Names of scikit-learn's solvers that are
        none of ours are taken for ``"auto"``: they minimise the same. ``"liblinear"`` is that too, with the intercept
        penalised as the weight of a constant feature `intercept_scaling`, as scikit-learn's does, and for two classes.
    multi_class : {"auto", "multinomial", "ovr"}, default="auto"
        How more than two classes are fitted: by softmax, or (ovr) each against the rest. Of two there is one problem.
    dual : object, default=False
        Taken, and of no effect: the solver is chosen by the shape of the problem.
    intercept_scaling : float, default=1.0
        Of ``solver="liblinear"``. Other values than 1 take a copy of the rows.
    warm_start : bool, default=False
        Begin with the parameters of the last fit.
    random_state : int, RandomState or None, default=None
        Seed of stochastic parts. None is 0: the same result each time.
    n_jobs : int or None, default=None
        Threads; None is all cores. The result is the same, bit for bit, for any number.
    verbose : int, default=0
        1 prints a line each time the run is looked at.
    trace : bool, default=False
        Look at the run at growing intervals for `trace_`, not only where `tol` needs it.
    max_seconds : float, optional
        At most so long.
    patience : int, optional
        With `X_val`: end when the loss there has not fallen for so many looks, and keep the best parameters.
    keep_on_interrupt : bool, default=False
        Ctrl-C ends the fit with the model so far instead of raising KeyboardInterrupt.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : ndarray of shape (1,)
        Passes over the rows, rounded up.
    n_features_in_ : int
    feature_names_in_ : ndarray, where X had names
    summary_ : Summary
        Status, certificate, stages, seconds, advice.
    trace_ : Trace
    weight_seen_ : float
        Total weight of the rows fitted.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s3gd import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict(X[:2])
    array([0, 0])
    >>> round(model.score(X, y), 2)
    0.97
    >>> model.predict_proba(X[:2]).shape
    (2, 3)
    """

    penalty: str | None = "auto"
    _: KW_ONLY
    C: float = 1.0
    l1_ratio: float | None = 0.0  # a number, for scikit-learn's SelectFromModel looks at it
    multi_class: str = "auto"
    dual: object = False

    _loss = "log_loss"
    _may_be_none = ("l1_ratio",)
    _choices = {"penalty": ("auto", "l2", "l1", "elasticnet", "group", "nuclear", None, "deprecated"),
                "multi_class": ("auto", "multinomial", "ovr")}

    def _check_parameters(self):
        super()._check_parameters()
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ValueError("The penalty elasticnet needs l1_ratio, a number from 0 to 1.")

    @property
    def _multiclass(self):
        return "ovr" if self.multi_class == "ovr" else "softmax"

    @property
    def _penalty(self):
        if self.penalty not in ("auto", "deprecated"):
            return self.penalty
        if self.l1_ratio is None or self.l1_ratio == 0:
            return "l2"
        return "l1" if self.l1_ratio == 1 else "elasticnet"

    def _intercept_kind(self):
        return "regularised" if self.solver == "liblinear" else "free"

    def _task(self):
        if self.solver == "liblinear" and len(self.classes_) > 2:
            raise ValueError(f"solver='liblinear' is for two classes; got {len(self.classes_)}: use another, or "
                             "LinearModel(multi_class='ovr', intercept='regularised').")
        return super()._task()

    def _multiplier(self, total_weight):
        return multiplier_of_C(self.C, self._loss, total_weight)

    def _along_Cs(self, X, codes, weights, Cs, folds=None):
        """The path over ascending values of C, of all rows or of those of each fold; see `LinearBase._along`."""
        self._check_parameters()
        totals = [total_weight(len(rows), None if weights is None else weights[rows])
                  for rows in ([np.arange(X.shape[0])] if folds is None else folds)]
        multipliers = [[multiplier_of_C(C, self._loss, total) for C in Cs] for total in totals]
        return self._along(X, codes, weights, multipliers, folds)

    def _solver(self, task):
        theirs = ("newton-cg", "newton-cholesky", "liblinear") + (("lbfgs", "sag", "saga") if task == "softmax" else ())
        return "auto" if self.solver in theirs else self.solver

    def _keep(self, result: dict[str, Any], task: str) -> None:
        super()._keep(result, task)
        self.n_iter_: NDArray[Any] = np.array([self.n_iter_], dtype=np.int32)  # type: ignore[assignment]
