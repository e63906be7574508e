"""Checks of what users pass in, with scikit-learn's manners."""

import functools
import numbers
import operator
import os
from collections.abc import Mapping

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from . import _core
from ._data import core_numbers

try:
    from sklearn.utils.validation import validate_data

    _FINITE = "ensure_all_finite"
except ImportError:  # before scikit-learn 1.6
    _FINITE = "force_all_finite"

    def validate_data(estimator, X, y="no_validation", **options):
        return estimator._validate_data(X, y, **options)


_ROWS = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "accept_large_sparse": True}
MOST_COUNTED = 4096


def checked_rows(estimator, X, y="no_validation", *, reset, numeric_y=False, finite=True):
    """X, or X and y, as scikit-learn would accept them; float32 and float64 stay what they are, and where they are.

    Without `finite` the values of X are not looked at: for the core, which does it on its way (`require_finite` then says
    what it found in scikit-learn's words).
    """
    labelled = {} if y is None or (isinstance(y, str) and y == "no_validation") else {"y_numeric": numeric_y}
    return validate_data(estimator, X, y, reset=reset, **labelled, **_ROWS, **{_FINITE: finite})


def require_finite(estimator, rows, name):
    """Raises scikit-learn's sentence about NaN and infinities."""
    try:
        assert_all_finite(rows, estimator_name=type(estimator).__name__, input_name=name)
    except ValueError as error:
        raise error from None


def checked_weights(sample_weight, X):
    """Sample weights as float64, or None where none are given."""
    if sample_weight is None:
        return None
    weights = core_numbers(_check_sample_weight(sample_weight, X, dtype=np.float64))
    if (weights < 0).any():
        raise ValueError("Negative values in sample_weight: weights must not be negative.")
    if not (weights > 0).any():
        raise ValueError("All sample weights are zero: at least one row needs a positive weight.")
    return weights


def total_weight(n_rows, weights):
    return float(n_rows) if weights is None else float(weights.sum())


def checked_classes(y):
    """The classes in order, and for each row the number of its class."""
    y = np.asarray(y)
    if y.dtype.kind in "biu" and y.ndim == 1:
        lowest, highest = int(y.min()), int(y.max())
        if highest - lowest < MOST_COUNTED and highest < 2**62:
            return _counted_classes(y, lowest, highest)
    if y.dtype.kind != "U" or y.ndim != 1:  # words are classes, and to find that out takes as long as to number them
        check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.reshape(-1)


def _counted_classes(y, lowest, highest):
    """Whole numbers close together are numbered without sorting them."""
    places = y.astype(np.intp) - lowest
    there = np.bincount(places, minlength=highest - lowest + 1) > 0
    number = np.cumsum(there) - 1
    return (np.flatnonzero(there) + lowest).astype(y.dtype), number[places]


def require_two_classes(classes):
    if len(classes) < 2:
        raise ValueError("This estimator needs samples of at least 2 classes in the data, but the data contains only one "
                         f"class: {classes.tolist()[0]!r}")


def codes_of(y, classes, name="y"):
    """For each label the number of its class among known ones."""
    y = np.asarray(y)
    try:
        codes = np.searchsorted(classes, y)
    except TypeError:  # numbers and words have no order among each other
        raise ValueError(f"{name} contains labels of another kind than the classes {classes.tolist()}") from None
    codes[codes == len(classes)] = 0
    unknown = classes[codes] != y
    if unknown.any():
        raise ValueError(f"{name} contains the class {y[unknown].tolist()[0]!r}, which is not among the classes "
                         f"{classes.tolist()}")
    return codes


def class_weights(class_weight, classes, codes, weights):
    """The weight of each class; `"balanced"` makes their totals equal, sample weights counted."""
    if class_weight is None:
        return None
    if not isinstance(class_weight, Mapping):
        if not (isinstance(class_weight, str) and class_weight == "balanced"):
            raise ValueError(f"class_weight should be a dict, 'balanced' or None; got {class_weight!r}")
        totals = np.bincount(codes, weights=weights, minlength=len(classes))
        return totals.sum() / (len(classes) * np.maximum(totals, np.finfo(float).tiny))
    known = classes.tolist()
    if class_weight and not any(label in known for label in class_weight):
        raise ValueError(f"The classes, {list(class_weight)}, of class_weight are not in the data, which has {known}")
    result = np.array([class_weight.get(label, 1.0) for label in known], dtype=np.float64)
    if (result < 0).any() or not np.isfinite(result).all():
        raise ValueError("class_weight has a weight that is negative or not finite.")
    return result


def require_weight_in_each_class(classes, codes, weights):
    if weights is None:
        return
    totals = np.bincount(codes, weights=weights, minlength=len(classes))
    if (totals <= 0).any():
        empty = classes[totals <= 0].tolist()
        raise ValueError(f"No row of the class {empty[0]!r} has a positive weight, so that it is as good as absent: drop "
                         "its rows, or give them weight.")


def threads_of(n_jobs):
    """0 is all cores. Workers of joblib are told by OMP_NUM_THREADS how many are theirs."""
    if n_jobs is None:
        told = os.environ.get("OMP_NUM_THREADS", "")
        return int(told) if told.isdigit() else 0
    require_whole("n_jobs", n_jobs)
    if n_jobs == 0:
        raise ValueError("The parameter n_jobs must not be 0: None is all cores, -1 too.")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def require_number(name, value, *, above=None, least=None, most=None):
    """One sentence when a parameter is no number, or outside its range."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or np.isnan(value):
        raise ValueError(f"The parameter {name} must be a number; got {value!r}.")
    for limit, holds, words in ((above, operator.gt, "larger than"), (least, operator.ge, "at least"), (most, operator.le, "at most")):
        if limit is not None and not holds(value, limit):
            raise ValueError(f"The parameter {name} must be {words} {limit:g}; got {value!r}.")


def require_whole(name, value, **limits):
    require_number(name, value, **limits)
    if value != np.floor(value):
        raise ValueError(f"The parameter {name} must be a whole number; got {value!r}.")


def require_flag(name, value):
    if not isinstance(value, (bool, np.bool_)) and not (isinstance(value, numbers.Integral) and value in (0, 1)):
        raise ValueError(f"The parameter {name} must be True or False; got {value!r}.")


def require_one_of(name, value, choices):
    if not any(value is choice or (isinstance(choice, str) and value == choice) for choice in choices):
        raise ValueError(f"The parameter {name} must be one of {', '.join(map(repr, choices))}; got {value!r}.")


def _require_loudness(name, value):
    if not isinstance(value, (bool, np.bool_)):
        require_whole(name, value, least=0)


def _require_name(name, value):
    if not isinstance(value, str):
        raise ValueError(f"The parameter {name} must be the name of one; got {value!r}.")


def _by_the_table(require, name, value):
    require(name, value, **_core.limits(name))


def _require_step(name, value):
    if value != "auto":
        require_number(name, value, above=0)


def _refuse_one_sign(name, value):
    if value:
        raise ValueError(f"Weights of one sign only are not to be had here, {name} must be False; got {value!r}.")


_positive = functools.partial(require_number, above=0)
_count, _measure = (functools.partial(_by_the_table, require) for require in (require_whole, require_number))
# What a parameter has to be, whichever estimator has it.
CHECKS = {
    "tol": _positive, "n_jobs": lambda _, value: threads_of(value), "max_seconds": _positive, "patience": _count,
    "fit_intercept": require_flag, "trace": require_flag, "keep_on_interrupt": require_flag, "verbose": _require_loudness,
    "solver": _require_name, "alpha": functools.partial(require_number, least=0, most=1e300), "C": _positive,
    "l1_ratio": functools.partial(require_number, least=0, most=1), "positive": _refuse_one_sign,
    "intercept_scaling": _positive, "epsilon": functools.partial(require_number, least=1), "beta": _measure,
    "knee": _measure, "step": _require_step, "batch": _count, "inner": _count, "anchors": _count, "neighbours": _count,
}
