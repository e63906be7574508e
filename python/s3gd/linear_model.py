"""The whole library behind one estimator: every loss, penalty and solver."""

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if

from ._base import LinearBase
from ._classifier import FittedAtOnce, ProbabilityMixin
from ._objective import LOSSES, REGRESSION, multiplier_of_alpha
from ._types import ClassWeight, Floats, Labels, Request, Rows, Self, Weights
from .regression import StreamedRegressor


def _classifies(model):
    return model.loss not in REGRESSION


def _has_probabilities(model):
    if model.loss != "log_loss":
        raise AttributeError(f"probability estimates are not available for loss={model.loss!r}")
    return True


def _by_role(name):
    """The method of that name of what the estimator is by its loss."""
    return lambda self, *arguments: getattr(self._role(), name)(self, *arguments)


@dataclass(eq=False, repr=False)
class LinearModel(LinearBase):
    """A linear model with any loss, penalty and solver: a classifier, or with a loss of numbers a regressor.

    Minimises the objective of scikit-learn's `SGDClassifier` and `SGDRegressor`,
    ``sum_i q_i loss_i + alpha P(w)``, with ``q_i`` the weight of row i over their sum (``1/n`` without any). Losses:

    - log_loss: ``log(1 + exp(-y u))``
    - squared_hinge: ``max(0, 1 - y u)^2``
    - smooth_hinge: ``log(1 + exp(-beta (y u - 1))) / beta``
    - squared_error: ``(u - y)^2 / 2``
    - huber: ``(u - y)^2 / 2`` up to ``|u - y| = knee``, ``knee |u - y| - knee^2 / 2`` beyond
    - poisson: ``exp(u) - y u + y log y - y``, of counts y, predicted as ``exp(u)``

    Penalties P: ``||w||^2 / 2`` (l2), ``||w||_1`` (l1), ``l1_ratio ||w||_1 + (1 - l1_ratio) ||w||^2 / 2`` (elasticnet),
    ``l1_ratio ||w||_1 + (1 - l1_ratio) ||w||_2`` (l1_l2norm); of softmax also ``sum_j ||W_:j||_2`` over the features (group)
    and the sum of the singular values of W (nuclear). With `penalty_factor` the terms of feature j are multiplied by
    ``penalty_factor[j]``.

    Parameters
    ----------
    loss : {"log_loss", "squared_hinge", "smooth_hinge", "squared_error", "huber", "poisson"}, default="log_loss"
    penalty : {"l2", "l1", "elasticnet", "l1_l2norm", "group", "nuclear", None}, default="l2"
    alpha : float, default=1e-4
        Strength of the penalty.
    l1_ratio : float, default=0.15
        Share of the 1-norm in elasticnet and l1_l2norm.
    beta : float, default=10.0
        Of the smooth hinge: larger is closer to the hinge, and harder.
    knee : float, default=1.0
        Of huber: errors beyond it count as a line. `HuberRegressor` finds the scale of the errors by itself.
    penalty_factor : array-like of shape (n_features,), optional
        A factor of the penalty for each feature; 0 leaves a feature unpenalised.
    intercept : {"free", "regularised"}, default="free"
        Whether it is penalised, as the weight of a constant feature 1.
    multi_class : {"auto", "softmax", "ovr"}, default="auto"
        How more than two classes are fitted; auto is softmax for the log loss with ``solver="auto"`` and for group and
        nuclear, else each against the rest.
    solver : str, default="auto"
        ``"auto"``, ``"s3gd"``, ``"sgd"``, ``"ssgd"``, ``"svrg"``, ``"scv"``, ``"saga"``, ``"sag"``, ``"is-sgd"``, ``"gd"``,
        ``"gram"``, ``"active-set"``, ``"sampled-newton"``, ``"dual"``, ``"newton"`` or ``"lbfgs"``.
    step : float or "auto", default="auto"
        Of stochastic solvers.
    batch : int, default=10
        Rows a step.
    inner : int, optional
        Steps between snapshots; None is the solver's own.
    anchors, neighbours : int, optional
        Of S3GD's graph; None is the library's default.
    graph_mode : {"streaming", "full"}, default="streaming"
        Whether S3GD's graph grows as rows are visited, or is built first.
    control : {"adaptive", "paper"}, default="adaptive"
        Whether S3GD learns how much of its prediction to subtract.
    propagation : {"auto", "constant", "linear", "slope"}, default="auto"
        What S3GD knows of a row beside its anchors and its label: with "slope" (which "auto" stands for) its slope at a
        reference point, with "linear" its margin there, with "constant" nothing, as in the paper.
    trace_gradients : bool, default=False
        Also measure correlation and variance of the gradient estimates, which costs two passes at each look.
    fit_intercept, max_iter, tol, class_weight, warm_start, random_state, n_jobs, verbose, trace, max_seconds, patience, keep_on_interrupt :
        See `LogisticRegression`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features); of a regressor (n_features,)
    intercept_ : ndarray of shape (1,) or (n_classes,); of a regressor a float
    classes_ : ndarray of shape (n_classes,), of a classifier
    n_iter_ : int
        Passes over the rows, rounded up.
    n_features_in_, feature_names_in_, summary_, trace_, weight_seen_ :
        As of `LogisticRegression`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from s3gd import LinearModel
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = scale(X)
    >>> model = LinearModel("smooth_hinge", penalty="l1", alpha=1e-2).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.98
    >>> roughly = LinearModel(solver="s3gd", alpha=1e-2, max_iter=50, tol=0.1, trace=True).fit(X, y)
    >>> roughly.summary_.stages[0]["name"]
    's3gd'
    """

    loss: str = "log_loss"
    _: KW_ONLY
    penalty: str | None = "l2"
    alpha: float = 1e-4
    l1_ratio: float = 0.15
    beta: float = 10.0
    knee: float = 1.0
    penalty_factor: ArrayLike | None = None
    intercept: str = "free"
    multi_class: str = "auto"
    step: float | str = "auto"
    batch: int = 10
    inner: int | None = None
    anchors: int | None = None
    neighbours: int | None = None
    graph_mode: str = "streaming"
    control: str = "adaptive"
    propagation: str = "auto"
    class_weight: ClassWeight = None
    trace_gradients: bool = False

    _choices = {"loss": tuple(LOSSES), "penalty": ("l2", "l1", "elasticnet", "l1_l2norm", "group", "nuclear", None),
                "intercept": ("free", "regularised"), "multi_class": ("auto", "softmax", "ovr")}

    # --- what it is depends on the loss

    def _role(self):
        return FittedAtOnce if _classifies(self) else StreamedRegressor

    @property
    def _estimator_type(self):  # before scikit-learn 1.6
        return "classifier" if _classifies(self) else "regressor"

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = self._estimator_type
        tags.classifier_tags = ClassifierTags() if _classifies(self) else None
        tags.regressor_tags = None if _classifies(self) else RegressorTags()
        return tags

    def partial_fit(self, X: Rows, y: Labels, classes: Labels | None = None, sample_weight: Weights = None) -> Self:
        """Make one stochastic pass over the given rows; see `LogisticRegression.partial_fit`. A regressor has no `classes`."""
        known = (classes,) if _classifies(self) else ()
        return self._role().partial_fit(self, X, y, *known, sample_weight)

    def predict(self, X: Rows) -> NDArray[Any]:
        """The class of each row of X, or where the loss is one of numbers the number predicted for it."""
        return self._role().predict(self, X)

    def score(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float:
        """Accuracy, or where the loss is one of numbers the share of the variance explained (R^2; of poisson the deviance, D^2)."""
        return self._role().score(self, X, y, sample_weight)

    if TYPE_CHECKING:
        classes_: ClassVar[NDArray[Any]]

        def set_score_request(self, *, sample_weight: Request = ...) -> Self: ...
        def decision_function(self, X: Rows) -> Floats: ...
        def predict_proba(self, X: Rows) -> Floats: ...
        def predict_log_proba(self, X: Rows) -> Floats: ...
    else:
        decision_function = available_if(_classifies)(FittedAtOnce.decision_function)
        predict_proba = available_if(_has_probabilities)(ProbabilityMixin.predict_proba)
        predict_log_proba = available_if(_has_probabilities)(ProbabilityMixin.predict_log_proba)

    _checked, _task, _set_parameters = map(_by_role, ("_checked", "_task", "_set_parameters"))
    _with_class_weights = FittedAtOnce._with_class_weights

    # --- what is minimised, and how

    def _check_parameters(self):
        super()._check_parameters()
        if self.multi_class == "softmax" and self.loss != "log_loss":
            raise ValueError(f"multi_class='softmax' goes with loss='log_loss'; got {self.loss!r}.")
        if self.penalty in ("group", "nuclear") and self.loss != "log_loss":
            raise ValueError(f"The penalty {self.penalty!r} is one of softmax and goes with loss='log_loss'; got {self.loss!r}.")

    @property
    def _multiclass(self):
        if self.multi_class != "auto":
            return self.multi_class
        if self.penalty in ("group", "nuclear"):
            return "softmax"
        softmax = self.loss == "log_loss" and self.solver == "auto" and self.penalty != "l1_l2norm"
        return "softmax" if softmax else "ovr"

    def _multiplier(self, total_weight):
        return multiplier_of_alpha(self.alpha, self.loss)

    def _intercept(self):
        return self.intercept if self.fit_intercept else "none"

    def _spec(self, task, n_classes, total_weight):
        spec = super()._spec(task, n_classes, total_weight)
        if self.penalty_factor is not None:
            spec["penalty_factor"] = np.array(self.penalty_factor, dtype=np.float64)
        return spec

    def _options(self, task, X):
        own = {name: getattr(self, name) for name in ("batch", "inner", "anchors", "neighbours", "graph_mode", "control", "propagation")}
        return {**super()._options(task, X), **own, "step": None if self.step == "auto" else self.step,
                "trace_gradients": bool(self.trace_gradients)}
