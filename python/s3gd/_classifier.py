"""Classification over `LinearBase`: labels to class numbers, margins to labels and probabilities."""

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, log_expit, log_softmax, softmax

from ._base import ClassifierMixin, LinearBase
from ._types import ClassWeight, Floats, Labels, Rows, Self, Weights
from ._validation import (checked_classes, checked_rows, checked_weights, class_weights, codes_of, require_two_classes,
                          require_weight_in_each_class)


class ClassPredictions(ClassifierMixin):
    """Classes by margins, of estimators and of saved models."""

    if TYPE_CHECKING:
        _margins: ClassVar[Any]

    def decision_function(self, X: Rows) -> Floats:
        """Margins ``X @ coef_.T + intercept_`` of the rows of X: how far on which side a row is.

        An array of shape (n_samples,) for two classes (positive: ``classes_[1]``), else (n_samples, n_classes).
        """
        margins = self._margins(X)
        return margins[:, 0] if margins.shape[1] == 1 else margins

    def predict(self, X: Rows) -> NDArray[Any]:
        """The class of each row of X, an array of shape (n_samples,): the one with the largest margin."""
        margins = self._margins(X)
        return self.classes_[(margins[:, 0] > 0).astype(np.intp) if margins.shape[1] == 1 else margins.argmax(axis=1)]


@dataclass(eq=False, repr=False)
class ClassifierBase(ClassPredictions, LinearBase):
    """Two classes are one output, more are one for each class: by softmax or each against the rest (`_multiclass`)."""

    _: KW_ONLY
    class_weight: ClassWeight = None

    _multiclass: ClassVar[Any]

    def _checked(self, X, y, sample_weight):
        """Rows, the number of each row's class, its weight with and without that of its class (None: all the same)."""
        X, y = checked_rows(self, X, y, reset=True, finite=False)
        own_weights = checked_weights(sample_weight, X)
        self.classes_, codes = checked_classes(y)
        require_two_classes(self.classes_)
        weights = self._with_class_weights(codes, own_weights)
        require_weight_in_each_class(self.classes_, codes, weights)
        return X, codes, weights, own_weights

    def _task(self):
        task = "binary" if len(self.classes_) == 2 else self._multiclass
        if self._penalty in ("group", "nuclear") and task != "softmax":
            raise ValueError(f"The penalty {self._penalty!r} is one of a matrix of weights: it needs more than two classes, "
                             "fitted by softmax.")
        return task

    def _with_class_weights(self, codes, weights):
        factors = class_weights(self.class_weight, self.classes_, codes, weights)
        if factors is None:
            return weights
        return factors[codes] if weights is None else weights * factors[codes]

    def _set_parameters(self, coef, intercept):
        self.coef_, self.intercept_ = coef, intercept


class FittedAtOnce(ClassifierBase):
    """With `partial_fit`."""

    def partial_fit(self, X: Rows, y: Labels, classes: Labels | None = None, sample_weight: Weights = None) -> Self:
        """Make one stochastic pass over the given rows, beginning where the parameters are.

        For data that comes in parts. Each call takes mini-batches of the rows, each row once, with `solver` where it is
        a stochastic one and S3GD otherwise; of one that begins with a look at all rows (svrg, scv, saga) little more is left
        than a step. The first call chooses the step; later ones shrink it with the root of
        the rows seen, so that a long stream settles. Where the penalty is weighed against a sum over rows (`C`), it is
        the sum over all rows seen so far. No tolerance is aimed at: `fit` on all rows does that.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The next rows.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like of shape (n_classes,), optional
            All classes there will be; needed at the first call unless all of them are in `y`.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each row.

        Returns
        -------
        self
        """
        self._check_parameters()
        first = not hasattr(self, "coef_")
        X, y = checked_rows(self, X, y, reset=first, finite=False)
        if first:
            self.classes_ = checked_classes(y if classes is None else classes)[0]
            require_two_classes(self.classes_)
        elif classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(f"classes={np.unique(classes).tolist()} is not the same as on the first call of partial_fit, "
                             f"{self.classes_.tolist()}")
        codes = codes_of(y, self.classes_)
        weights = self._with_class_weights(codes, checked_weights(sample_weight, X))
        X, codes, weights = with_every_class(X, codes, weights, len(self.classes_))
        return self._partial_fit(X, codes, weights)


@dataclass(eq=False, repr=False)
class ScaledIntercept(FittedAtOnce):
    """Where `_intercept_kind()` says "regularised", the intercept is penalised as LIBLINEAR does it: as the weight of one more
    feature, `intercept_scaling` in all rows.

    The library's own constant feature is 1; any other is put beside the rows, which copies them.
    """

    _: KW_ONLY
    intercept_scaling: float = 1.0

    def _intercept(self):
        if not self.fit_intercept or self._scales_intercept():
            return "none"  # in the latter case it is the last weight
        return self._intercept_kind()

    def _scales_intercept(self):
        return self.fit_intercept and self._intercept_kind() == "regularised" and self.intercept_scaling != 1

    def _run(self, X, *about, start=None, validation=(None, None), **more):
        if not self._scales_intercept():
            return self._run_rows(X, *about, start=start, validation=validation, **more)
        scale = self.intercept_scaling
        if start is not None:
            coef = np.column_stack([start[0], start[1] / scale])
            start = coef, np.zeros(len(coef))
        if validation[0] is not None:
            validation = with_constant(validation[0], scale), validation[1]
        result = self._run_rows(with_constant(X, scale), *about, start=start, validation=validation, **more)
        result["intercept"] = result["coef"][:, -1] * scale
        result["coef"] = np.ascontiguousarray(result["coef"][:, :-1])
        return result

    def _run_rows(self, *arguments, **options):
        return super()._run(*arguments, **options)


def with_constant(X, value):
    """The rows with one more feature that is the same in all of them."""
    column = np.full((X.shape[0], 1), value, dtype=X.dtype)
    return sparse.hstack([X, column], format="csr") if sparse.issparse(X) else np.hstack([X, column])


class ProbabilityMixin(ClassifierBase):
    """With probabilities: the logistic loss."""

    def predict_proba(self, X: Rows) -> Floats:
        """The probability of each class for each row of X: (n_samples, n_classes), in the order of `classes_`."""
        return probabilities(self._margins(X), self._multiclass)

    def predict_log_proba(self, X: Rows) -> Floats:
        """The logarithms of `predict_proba`, right also where a probability rounds to 0 or 1."""
        return log_probabilities(self._margins(X), self._multiclass)


def probabilities(margins, multiclass):
    if margins.shape[1] == 1:
        return expit(margins * [-1.0, 1.0])
    if multiclass == "softmax":
        return softmax(margins, axis=1)
    each = expit(margins)
    return each / each.sum(axis=1, keepdims=True)


def log_probabilities(margins, multiclass):
    if margins.shape[1] == 1:
        return log_expit(margins * [-1.0, 1.0])
    if multiclass == "softmax":
        return log_softmax(margins, axis=1)
    each = log_expit(margins)
    return each - np.logaddexp.reduce(each, axis=1, keepdims=True)


def with_every_class(X, codes, weights, n_classes):
    """A part of a stream may lack a class, which the core would leave out: it gets a row of zeros of next to no weight."""
    present = np.bincount(codes, weights=weights, minlength=n_classes) > 0
    missing = np.flatnonzero(~present)
    if missing.size == 0:
        return X, codes, weights
    weights = np.ones(X.shape[0]) if weights is None else weights
    nothing = sparse.csr_matrix((missing.size, X.shape[1]), dtype=X.dtype)
    X = sparse.vstack([X, nothing], format="csr") if sparse.issparse(X) else np.vstack([X, nothing.toarray()])
    light = np.full(missing.size, 1e-12 * weights.max())
    return X, np.concatenate([codes, missing]), np.concatenate([weights, light])
