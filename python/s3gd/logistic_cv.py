"""Logistic regression that chooses its strength by cross-validation."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv

from ._base import LinearBase
from ._classifier import ClassifierBase, ProbabilityMixin
from ._types import Callback, Floats, Labels, Rows, Self, Weights
from ._validation import require_number, require_one_of, require_whole, total_weight
from .logistic import LogisticRegression


@dataclass(eq=False, repr=False)
class LogisticRegressionCV(ProbabilityMixin, ClassifierBase):
    """Logistic regression with `C`, and `l1_ratio` where several are given, chosen by cross-validation.

    In each fold the model is fitted at every `C` along one path from strong to weak penalties, and scored on the rows
    held out. The best mean score wins; the model is then fitted to all rows.

    Parameters
    ----------
    Cs : int or array-like of floats, default=10
        The values of `C`, or their number on a logarithmic grid from 1e-4 to 1e4.
    l1_ratios : array-like of floats, optional
        Shares of the 1-norm to try; None is an l2 penalty.
    penalty : {"auto", "l2", "l1", "elasticnet"}, default="auto"
        ``"auto"`` goes by `l1_ratios`; l2 and l1 are a share of 0 and of 1, and elasticnet needs `l1_ratios`.
    cv : int, cross-validation generator or iterable, optional
        Their number (stratified; None is 5), a splitter of scikit-learn, or pairs of arrays with the rows to fit and those
        to judge by.
    scoring : str or callable, optional
        A scorer of scikit-learn, also for `score`; None is accuracy.
    refit : bool, default=True
        Whether to fit to all rows with the best parameters; otherwise the best parameters and weights of the folds
        are averaged.
    fit_intercept, tol, max_iter, class_weight, solver, dual, random_state, n_jobs, verbose, trace, max_seconds, patience, keep_on_interrupt :
        See `LogisticRegression`. `max_iter` and `max_seconds` are for each fit.
    intercept_scaling : float, default=1.0
        As of `LogisticRegression`; with ``solver="liblinear"`` it is 1.
    use_legacy_attributes : False
        The attributes are those that scikit-learn has without them.

    Attributes
    ----------
    C_, l1_ratio_ : float
        What was chosen.
    Cs_ : ndarray of shape (n_cs,)
    l1_ratios_ : ndarray of shape (n_l1_ratios,)
    scores_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
    coefs_paths_ : ndarray of shape (n_folds, n_l1_ratios, n_cs, n_outputs, n_features + fit_intercept)
    n_iter_ : ndarray of shape (n_folds, n_l1_ratios, n_cs)
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, summary_, trace_ :
        As of `LogisticRegression`; summary and trace are those of the fit to all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s3gd import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV(Cs=5, scoring="neg_log_loss").fit(X, y)
    >>> model.scores_.shape
    (5, 1, 5)
    >>> bool(model.C_ in model.Cs_)
    True
    """

    _: KW_ONLY
    Cs: int | ArrayLike = 10
    l1_ratios: ArrayLike | str | None = None
    penalty: str = "auto"
    cv: Any = None
    scoring: str | Callable[..., float] | None = None
    refit: bool = True
    dual: object = False
    intercept_scaling: float = 1.0
    use_legacy_attributes: bool | str = False
    warm_start: bool = field(default=False, init=False)

    _multiclass = "softmax"

    def fit(self, X: Rows, y: Labels, sample_weight: Weights = None, X_val: Rows | None = None,
            y_val: Labels | None = None, callback: Callback | None = None) -> Self:
        """Choose the parameters by cross-validation, and fit the model; see `LogisticRegression.fit`.

        `sample_weight` counts in fits and scores; `X_val`, `y_val` and `callback` are for the fit to all rows.
        """
        self._check_parameters()
        self.Cs_, self.l1_ratios_ = self._grid()
        X, codes, fit_weights, weights = self._checked(X, y, sample_weight)
        labels = self.classes_[codes]
        X_val, y_val = self._validation_rows(X_val, y_val, numeric_y=False)
        folds = [(row_numbers(train, len(labels)), row_numbers(test, len(labels)))
                 for train, test in check_cv(self.cv, labels, classifier=True).split(X, labels)]
        self.weight_seen_ = total_weight(len(labels), fit_weights)
        model = self._model()
        self._cross_validate(model, X, codes, weights, fit_weights, folds)
        self._choose()
        if self.refit:
            model = self._model(C=self.C_, l1_ratio=self.l1_ratio_)
            model.fit(X, labels, fit_weights, X_val, y_val, callback)
            self.coef_, self.intercept_ = model.coef_, model.intercept_
            self.summary_, self.trace_ = model.summary_, model.trace_
        else:
            self.__dict__.pop("summary_", None)  # those of an earlier fit
            self.__dict__.pop("trace_", None)
        return self

    def score(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float:
        """The score by `scoring` of the rows X with classes y: accuracy unless another was asked for."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._scorer()(self, X, y, **weights)

    def _scorer(self):
        return get_scorer("accuracy" if given(self.scoring) is None else self.scoring)

    def _check_parameters(self):
        self._model()._check_parameters()
        require_one_of("penalty", self.penalty, ("auto", "l2", "l1", "elasticnet", "deprecated"))
        if self.penalty == "elasticnet" and given(self.l1_ratios) is None:
            raise ValueError("The penalty elasticnet needs l1_ratios, numbers from 0 to 1.")
        if self.solver == "liblinear" and self.intercept_scaling != 1:
            raise ValueError(f"intercept_scaling is 1 in cross-validation; got {self.intercept_scaling!r}.")
        if given(self.use_legacy_attributes):
            raise ValueError("The attributes are those of use_legacy_attributes=False; got "
                             f"{self.use_legacy_attributes!r}.")

    def _grid(self) -> tuple[Floats, Floats]:
        Cs = grid_of(self.Cs)
        ratios = [0.0] if given(self.l1_ratios) is None else self.l1_ratios
        ratios = listed("l1_ratios", {"l2": [0.0], "l1": [1.0]}.get(self.penalty, ratios))
        for ratio in ratios:
            require_number("l1_ratios", float(ratio), least=0, most=1)
        return Cs, ratios

    def _model(self, **parameters):
        shared = {parameter.name: getattr(self, parameter.name) for parameter in fields(LinearBase)}
        return LogisticRegression(**shared, **parameters)

    def _cross_validate(self, model: LogisticRegression, X: Rows, codes: Any, weights: Any, fit_weights: Any,
                        folds: list[Any]) -> None:
        scorer = self._scorer()
        n_features = X.shape[1]
        n_outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
        shape = len(folds), len(self.l1_ratios_), len(self.Cs_)
        self.scores_ = np.empty(shape)
        self.n_iter_: NDArray[Any] = np.empty(shape, dtype=np.int32)  # type: ignore[assignment]
        self.coefs_paths_ = np.empty((*shape, n_outputs, n_features + bool(self.fit_intercept)))
        model.classes_, model.n_features_in_ = self.classes_, n_features
        for fold, (train, _) in enumerate(folds):
            self._require_every_class(fold, codes[train])
        for r, ratio in enumerate(self.l1_ratios_):
            model.set_params(C=self.Cs_.max(), l1_ratio=ratio)
            path = model._along_Cs(X, codes, fit_weights, self.Cs_, [train for train, _ in folds])
            self.n_iter_[:, r] = np.maximum(1, np.ceil(path["passes"]))
            self.coefs_paths_[:, r, ..., :n_features] = path["coef"]
            if self.fit_intercept:
                self.coefs_paths_[:, r, ..., -1] = path["intercept"]
        for fold, (_, test) in enumerate(folds):
            X_test, y_test = X[test], self.classes_[codes[test]]
            score_weights = {} if weights is None else {"sample_weight": weights[test]}
            for r, c in np.ndindex(shape[1:]):
                parameters = self.coefs_paths_[fold, r, c]
                model.coef_ = np.ascontiguousarray(parameters[:, :n_features])
                model.intercept_ = parameters[:, -1].copy() if self.fit_intercept else np.zeros(n_outputs)
                self.scores_[fold, r, c] = scorer(model, X_test, y_test, **score_weights)

    def _require_every_class(self, fold, codes):
        missing = np.setdiff1d(np.arange(len(self.classes_)), codes)
        if missing.size:
            raise ValueError(f"Fold {fold} of the cross-validation has no training rows of the class "
                             f"{self.classes_.tolist()[missing[0]]!r}: use fewer, or stratified, folds.")

    def _core_model(self):
        model = self._model(C=self.C_, l1_ratio=self.l1_ratio_)
        for name in ("coef_", "intercept_", "classes_", "n_features_in_", "feature_names_in_", "weight_seen_", "summary_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        return model._core_model()

    def _choose(self) -> None:
        if self.refit:
            r, c = np.unravel_index(np.argmax(self.scores_.mean(axis=0)), self.scores_.shape[1:])
            self.C_, self.l1_ratio_ = float(self.Cs_[c]), float(self.l1_ratios_[r])
            return
        best = [np.unravel_index(np.argmax(scores), scores.shape) for scores in self.scores_]
        self.C_ = float(np.mean([self.Cs_[c] for _, c in best]))
        self.l1_ratio_ = float(np.mean([self.l1_ratios_[r] for r, _ in best]))
        mean = np.mean([self.coefs_paths_[fold, r, c] for fold, (r, c) in enumerate(best)], axis=0)
        n_features = self.n_features_in_
        self.coef_ = np.ascontiguousarray(mean[:, :n_features])
        self.intercept_ = mean[:, -1].copy() if self.fit_intercept else np.zeros(len(mean))


def given(value):
    """None for what stands in scikit-learn's signature where nothing was given."""
    return None if isinstance(value, str) and value == "warn" else value


def listed(name, values):
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"{name} is a list of numbers, one at least.")
    return values


def grid_of(Cs):
    """Ascending values of C: those given, or as many as that between 1e-4 and 1e4."""
    if np.ndim(Cs) == 0:
        require_whole("Cs", Cs, least=1)
        return np.logspace(-4, 4, int(Cs))
    grid = np.sort(listed("Cs", Cs))
    require_number("Cs", float(grid.min()), above=0)
    if np.isinf(grid[-1]):
        raise ValueError("The parameter Cs must be finite: without a penalty there is no path; LogisticRegression(C=np.inf) "
                         "fits without one.")
    return grid


def row_numbers(rows, n_rows):
    """Rows of a fold, as a splitter or a user names them, as numbers from 0 on."""
    rows = np.asarray(rows)
    if rows.dtype == bool:
        return np.flatnonzero(rows)
    rows = np.ascontiguousarray(rows, dtype=np.int64)
    return np.where(rows < 0, rows + n_rows, rows)
