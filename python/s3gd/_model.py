"""Models in files: `save_model`, `load_model` and `export`."""

import os
import tempfile
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from . import _core
from ._base import BaseEstimator
from ._classifier import ClassPredictions
from ._data import core_rows
from ._objective import LOSSES, multiplier_from_core
from ._types import Floats, Path, Rows
from ._validation import checked_rows, threads_of
from .regression import NumberPredictions

if TYPE_CHECKING:
    from .linear_model import LinearModel


def save_model(estimator: Any, path: Path) -> None:
    """Write a fitted model to a file that ``s3gd predict``, ``s3gd export`` and `load_model` read.

    The file holds what prediction needs (weights, classes, names of features) and what was minimised; not the parameters
    of the estimator, nor its summary and trace: `pickle` keeps those.

    Parameters
    ----------
    estimator : estimator of this package, or what `load_model` gave
        Fitted.
    path : str or path
        Where the file goes.

    Examples
    --------
    >>> import os, tempfile, s3gd
    >>> model = s3gd.LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "answers.model")
    ...     s3gd.save_model(model, file)
    ...     s3gd.load_model(file).predict([[2.5]])
    array(['yes'], dtype='<U3')
    """
    model_of(estimator).save(os.fspath(path))


def load_model(path: Path) -> Union["SavedClassifier", "SavedRegressor"]:
    """Read a model that `save_model` or ``s3gd train -o`` wrote to the file `path`.

    Returns
    -------
    SavedClassifier or SavedRegressor
        With `predict`, `score`, `decision_function` and `predict_proba` where there are any, ``coef_``, ``intercept_``,
        ``classes_``. It predicts what ``s3gd predict`` does, to the last bit. ``to_estimator()`` gives one that can be
        fitted further.

    Examples
    --------
    See `save_model`.

    >>> from s3gd import load_model, save_model
    """
    model = _core.Model.load(os.fspath(path))
    saved = SavedClassifier() if model.facts()["class_names"] else SavedRegressor()
    saved._hold(model)
    return saved


def export(estimator: Any, path: Path, format: str = "onnx") -> list[str]:
    """Write a fitted model for other programs: docs/export.md says what each format holds and how it is used.

    Parameters
    ----------
    estimator : estimator of this package, or what `load_model` gave
        Fitted.
    path : str or path
        Where the file goes.
    format : {"onnx", "liblinear", "c", "json", "vw"}, default="onnx"
        What other program it is for.

    Returns
    -------
    list of str
        How the file is used, and what the format could not say.

    Examples
    --------
    >>> import json, os, tempfile, s3gd
    >>> model = s3gd.Ridge(alpha=1e-9).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "line.json")
    ...     remarks = s3gd.export(model, file, format="json")
    ...     with open(file) as stream:
    ...         round(json.load(stream)["outputs"][0]["intercept"], 3)
    1.0
    """
    return model_of(estimator).export(os.fspath(path), format)


def model_of(estimator: Any) -> _core.Model:
    """The library's model of an estimator of this package."""
    if not hasattr(estimator, "_core_model"):
        raise ValueError(f"{type(estimator).__name__} is no estimator of s3gd, whose weights are all there is to a model: give "
                         "the last step of a pipeline, fitted, and scale the rows by other means.")
    return estimator._core_model()


def class_names(classes):
    """Labels as they are written in a file."""
    whole = classes.dtype.kind == "f" and (classes == np.floor(classes)).all()
    names = [str(label) for label in (classes.astype(np.int64) if whole else classes).tolist()]
    if len(set(names)) < len(names):
        raise ValueError(f"Two of the classes are written alike, so that a file cannot tell them apart: {names}")
    return names


def classes_named(names):
    """The other way: whole numbers and truth values are such again."""
    if all(_is_whole(name) for name in names):
        return np.array([int(name) for name in names], dtype=np.int64)
    if names == ["False", "True"]:
        return np.array([False, True])
    return np.array(names)


def _is_whole(name):
    digits = name.removeprefix("-")
    return digits.isdecimal() and len(digits) < 18 and str(int(name)) == name


class SavedModel(BaseEstimator):
    """A model from a file: predicts, and cannot be fitted.

    Attributes
    ----------
    coef_, intercept_, n_features_in_, feature_names_in_ :
        As of the estimators.
    facts_ : dict
        What is on record: ``loss``, ``penalty``, ``lambda``, ``alpha``, ``link``, ``objective``, ``relative_gap`` and more, in the
        words of ``s3gd train``.
    """

    coef_: Floats
    facts_: dict[str, Any]

    def _hold(self, model):
        self._model = model
        facts = model.facts()
        self.coef_, self.intercept_ = facts.pop("coef"), facts.pop("intercept")
        self.n_features_in_ = self.coef_.shape[1]
        names = facts.pop("feature_names")
        if names:
            self.feature_names_in_ = np.array(names, dtype=object)
        self._names = facts.pop("class_names")
        self.facts_ = facts

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")

    def __sklearn_clone__(self):
        return self  # nothing in it can change

    def _core_model(self):
        if not hasattr(self, "_model"):
            raise NotFittedError("This model is empty: s3gd.load_model(path) gives one from a file.")
        return self._model

    def __getstate__(self):
        with tempfile.TemporaryDirectory(prefix="s3gd-model-") as folder:
            path = os.path.join(folder, "model")
            self._core_model().save(path)
            with open(path, "rb") as file:
                return {"model": file.read()}

    def __setstate__(self, state):
        self._hold(_core.Model.from_bytes(state["model"]))

    def save(self, path: Path) -> None:
        """Write the model to a file; see `save_model`."""
        save_model(self, path)

    def _rows(self, X):
        return core_rows(checked_rows(self, X, reset=False))

    def _margins(self, X):
        return self._core_model().margins(self._rows(X), threads_of(None))

    def to_estimator(self, **parameters: Any) -> "LinearModel":
        """A `LinearModel` with these weights and further `parameters`, for fitting on: ``warm_start`` is set, and
        ``partial_fit`` begins here.
        """
        from .linear_model import LinearModel

        facts = self.facts_
        if facts["unit_rows"] or facts["link"] == "platt":
            raise ValueError("The model scales each row to length 1, or has calibrated probabilities, which an estimator does "
                             "not: predict with what load_model gave.")
        loss = {ours: name for name, (ours, _) in LOSSES.items()}.get(facts["loss"], "log_loss")
        penalty, multiplier, l1_ratio = multiplier_from_core(facts["penalty"], facts["lambda"], facts["alpha"])
        known = {"loss": loss, "penalty": penalty, "alpha": multiplier * LOSSES[loss][1], "l1_ratio": l1_ratio,
                 "beta": facts["beta"], "knee": facts["knee"],
                 "multi_class": "softmax" if facts["link"] == "softmax" else "ovr", "warm_start": True}
        model = LinearModel(**known | parameters)
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        model._set_parameters(self.coef_.reshape(-1, self.n_features_in_), np.atleast_1d(self.intercept_))
        model.weight_seen_ = 0.0
        return model


class SavedRegressor(NumberPredictions, SavedModel):
    __doc__ = SavedModel.__doc__

    def _hold(self, model):
        super()._hold(model)
        self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        self._loss = "poisson" if self.facts_["link"] == "log" else "squared_error"


def _has_probabilities(model):
    return model.facts_["link"] != "identity"


class SavedClassifier(ClassPredictions, SavedModel):
    __doc__ = SavedModel.__doc__

    def _hold(self, model):
        super()._hold(model)
        self.classes_ = classes_named(self._names)

    def predict_proba(self, X: Rows) -> Floats:
        """The probability of each class, of shape (n_samples, n_classes)."""
        return self._core_model().probabilities(self._rows(X), threads_of(None))

    if not TYPE_CHECKING:
        predict_proba = available_if(_has_probabilities)(predict_proba)
