"""scikit-learn's own checks of estimators, none left out (also with the oldest scikit-learn)."""

import os
import unittest

os.environ["SCIPY_ARRAY_API"] = "1"  # before SciPy is imported: else scikit-learn skips a check

import pytest
import s3gd
import sklearn
from sklearn.base import is_classifier, is_regressor
from sklearn.linear_model import LogisticRegression
from sklearn.utils import estimator_checks

# Rows of no weight change the folds and so the choice, which checks before 1.6 do not allow for: scikit-learn's own class is
# expected to fail there. With one value there is no choice.
NEW_CHECKS = hasattr(estimator_checks, "estimator_checks_generator")
ESTIMATORS = [
    s3gd.LogisticRegression(),
    s3gd.LogisticRegression(l1_ratio=1.0),
    s3gd.LogisticRegressionCV(Cs=[0.1, 1.0] if NEW_CHECKS else [1.0], cv=2),
    s3gd.LinearSVC(),
    s3gd.LinearSVC(loss="smooth_hinge", intercept="free"),
    s3gd.Ridge(),
    s3gd.Lasso(),
    s3gd.ElasticNet(),
    s3gd.LinearModel(),
    s3gd.LinearModel("squared_hinge"),
    s3gd.LinearModel("squared_error"),
    s3gd.HuberRegressor(),
    s3gd.PoissonRegressor(),
    s3gd.LinearModel("huber"),
]
# How many checks there are for a classifier and a regressor; other versions have at least as many as the oldest.
CLASSIFIER_CHECKS = {"1.4": 53, "1.9": 65}
REGRESSOR_CHECKS = {"1.4": 49, "1.9": 61}
# Only for scikit-learn's own classes, or for those that take arrays of other libraries than NumPy.
NOT_FOR_US = {"check_array_api_mixed_inputs", "check_array_api_same_namespace"}

pytestmark = pytest.mark.filterwarnings("ignore")


def generated(estimator):
    """The checks scikit-learn would run."""
    if NEW_CHECKS:
        return list(estimator_checks.estimator_checks_generator(estimator))
    return list(estimator_checks.check_estimator(estimator, generate_only=True))


def name_of(check):
    return getattr(check, "func", check).__name__


def version():
    return ".".join(sklearn.__version__.split(".")[:2])


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_every_check_passes(estimator):
    expected = CLASSIFIER_CHECKS if is_classifier(estimator) else REGRESSOR_CHECKS
    passed = 0
    for instance, check in generated(estimator):
        try:
            check(instance)
        except unittest.SkipTest as reason:  # would skip the whole test, and nobody would notice
            pytest.fail(f"{name_of(check)} skips itself: {reason}")
        passed += 1
    assert passed == expected[version()] if version() in expected else passed >= expected["1.4"]


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if is_classifier(e)], ids=repr)
def test_classifiers_get_the_checks_of_scikit_learns_own(estimator):
    theirs = {name_of(check) for _, check in generated(LogisticRegression())}
    missing = theirs - {name_of(check) for _, check in generated(estimator)} - NOT_FOR_US
    for name in missing:  # those it runs for its own base class alone
        getattr(estimator_checks, name)(type(estimator).__name__, estimator)
    assert missing <= {"check_class_weight_balanced_linear_classifier"}


def test_no_check_is_expected_to_fail():
    for estimator in ESTIMATORS:
        assert "_xfail_checks" not in getattr(estimator, "_more_tags", dict)()


def test_the_kind_of_a_linear_model_follows_from_its_loss():
    assert is_classifier(s3gd.LinearModel()) and not is_regressor(s3gd.LinearModel())
    assert is_regressor(s3gd.LinearModel("squared_error")) and not is_classifier(s3gd.LinearModel("squared_error"))
    assert not hasattr(s3gd.LinearModel("squared_hinge"), "predict_proba")
    assert not hasattr(s3gd.LinearModel("squared_error"), "decision_function")
