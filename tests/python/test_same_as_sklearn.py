"""Changing the import keeps the coefficients (also with the oldest scikit-learn)."""

import numpy as np
import pytest
import s3gd
from cases import layouts, reference_logistic, sample
from sklearn import linear_model, svm

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
TIGHT = {"tol": 1e-13, "max_iter": 10_000}


def assert_same(ours, theirs):
    """Within 1e-4 relative, by the largest coefficient; intercepts too."""
    scale = np.abs(theirs.coef_).max()
    assert scale > 1e-2  # or there would be nothing to compare
    assert ours.summary_.status == "converged"
    np.testing.assert_allclose(np.reshape(ours.coef_, theirs.coef_.shape), theirs.coef_, rtol=0, atol=1e-4 * scale)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=0,
                               atol=1e-4 * max(scale, np.abs(theirs.intercept_).max()))


def with_and_without_weights(names):
    """Versions of scikit-learn differ on whether sample weights count in what is balanced: that pair is left out."""
    return [(name, weighted) for name in names for weighted in (False, True) if (name, weighted) != ("balanced", True)]


LOGISTIC = {
    "l2": {"C": 0.5},
    "weak l2": {"C": 30.0},
    "no intercept": {"C": 0.5, "fit_intercept": False},
    "no penalty": {"C": np.inf},
    "balanced": {"C": 0.2, "class_weight": "balanced"},
    "weights of classes": {"C": 0.2, "class_weight": {"ash": 3.0, "birch": 0.4}},
    "l1": {"C": 0.3, "l1_ratio": 1.0},
    "elastic net": {"C": 0.3, "l1_ratio": 0.6},
    "elastic net without intercept": {"C": 0.3, "l1_ratio": 0.3, "fit_intercept": False},
}


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name, weighted", with_and_without_weights(LOGISTIC))
def test_logistic_regression(name, classes, layout, weighted):
    X, y, _, weights = sample(classes=classes)
    X, weights = layouts(X)[layout], weights if weighted else None
    ours = s3gd.LogisticRegression(**LOGISTIC[name], **TIGHT).fit(X, y, weights)
    theirs = reference_logistic(**LOGISTIC[name]).fit(X, y, weights)
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert_same(ours, theirs)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.99


def test_logistic_regression_of_each_class_against_the_rest():
    X, y, _, weights = sample(classes=3)
    ours = s3gd.LogisticRegression(C=0.3, multi_class="ovr", **TIGHT).fit(X, y, weights)
    for k, name in enumerate(ours.classes_):
        one = reference_logistic(C=0.3).fit(X, y == name, weights)
        np.testing.assert_allclose(ours.coef_[k], one.coef_[0], atol=1e-4)
        np.testing.assert_allclose(ours.intercept_[k], one.intercept_[0], atol=1e-4)
    each = 1 / (1 + np.exp(-ours.decision_function(X)))
    np.testing.assert_allclose(ours.predict_proba(X), each / each.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("more", [{}, {"intercept_scaling": 5.0}, {"fit_intercept": False}, {"class_weight": "balanced"}], ids=repr)
@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_the_solver_liblinear_penalises_the_intercept_as_scikit_learns_does(penalty, more, layout):
    X, y, _, weights = sample()
    X, weights = layouts(X)[layout], weights if "class_weight" not in more else None
    ours = s3gd.LogisticRegression(penalty, C=0.3, solver="liblinear", **more, **TIGHT).fit(X, y, weights)
    theirs = linear_model.LogisticRegression(penalty=penalty, C=0.3, solver="liblinear", tol=1e-9, max_iter=100_000,
                                             random_state=0, **more).fit(X, y, weights)
    assert_same(ours, theirs)


SVC = {
    "l2": {"C": 0.5},
    "no intercept": {"C": 0.5, "fit_intercept": False},
    "l1": {"C": 0.1, "penalty": "l1"},
    "balanced": {"C": 0.2, "class_weight": "balanced"},
    "weights of classes": {"C": 0.2, "class_weight": {"ash": 3.0, "birch": 0.4}},
    "intercept scaled": {"C": 0.2, "intercept_scaling": 10.0},
}


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name, weighted", with_and_without_weights(SVC))
def test_linear_svc(name, classes, layout, weighted):
    X, y, _, weights = sample(classes=classes)
    X, weights = layouts(X)[layout], weights if weighted else None
    ours = s3gd.LinearSVC(**SVC[name], **TIGHT).fit(X, y, weights)
    theirs = svm.LinearSVC(**SVC[name], dual=False, tol=1e-9, max_iter=20_000).fit(X, y, weights)
    assert_same(ours, theirs)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("ours, theirs", [
    (s3gd.Ridge(alpha=3.0), linear_model.Ridge(alpha=3.0, tol=1e-12)),
    (s3gd.Lasso(alpha=0.05), linear_model.Lasso(alpha=0.05, tol=1e-14, max_iter=100_000)),
    (s3gd.ElasticNet(alpha=0.1, l1_ratio=0.3), linear_model.ElasticNet(alpha=0.1, l1_ratio=0.3, tol=1e-14, max_iter=100_000)),
], ids=["ridge", "lasso", "elastic net"])
def test_regression(ours, theirs, intercept, layout, weighted):
    X, _, y, weights = sample()
    X, weights = layouts(X)[layout], weights if weighted else None
    ours.set_params(fit_intercept=intercept, **TIGHT).fit(X, y, weights)
    theirs.set_params(fit_intercept=intercept).fit(X, y, weights)
    assert_same(ours, theirs)
    assert np.isscalar(ours.intercept_) and ours.coef_.shape == theirs.coef_.shape
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("loss, penalty, make", [
    ("log_loss", "l2", lambda C, total: reference_logistic(C=C)),
    ("log_loss", "l1", lambda C, total: reference_logistic(1.0, C=C)),
    ("log_loss", "elasticnet", lambda C, total: reference_logistic(0.15, C=C)),
    ("squared_hinge", "l2", lambda C, total: s3gd.LinearSVC(C=C, intercept="free", **TIGHT)),
    ("squared_error", "l2", lambda C, total: linear_model.Ridge(alpha=0.02 * total, tol=1e-12)),
    ("squared_error", "elasticnet",
     lambda C, total: linear_model.ElasticNet(alpha=0.02, l1_ratio=0.15, tol=1e-14, max_iter=100_000)),
], ids=["logistic l2", "logistic l1", "logistic elastic net", "squared hinge", "ridge", "elastic net"])
def test_linear_model_states_the_objective_of_sgd(loss, penalty, make, weighted):
    """mean loss + alpha P is C sum loss + P with C = 1 / (alpha S), S the total weight."""
    X, classes, targets, weights = sample()
    weights = weights if weighted else np.ones(len(X))
    y = targets if loss == "squared_error" else classes
    total = weights.sum()
    ours = s3gd.LinearModel(loss, penalty=penalty, alpha=0.02, **TIGHT).fit(X, y, weights)
    assert_same(ours, make(1 / (0.02 * total), total).fit(X, y, weights))


def test_the_smooth_hinge_approaches_the_hinge():
    X, y, _, _ = sample()
    hinge = svm.LinearSVC(loss="hinge", C=0.1, dual=True, tol=1e-10, max_iter=1_000_000, random_state=0).fit(X, y)
    errors = [np.abs(s3gd.LinearSVC(loss="smooth_hinge", C=0.1, beta=beta, **TIGHT).fit(X, y).coef_ - hinge.coef_).max()
              for beta in (3.0, 30.0, 300.0)]
    assert errors[0] > 5 * errors[1] > 10 * errors[2] and errors[2] < 1e-2


@pytest.mark.parametrize("ours, theirs", [
    (s3gd.LogisticRegression, linear_model.LogisticRegression), (s3gd.LogisticRegressionCV, linear_model.LogisticRegressionCV),
    (s3gd.LinearSVC, svm.LinearSVC), (s3gd.Ridge, linear_model.Ridge), (s3gd.Lasso, linear_model.Lasso),
    (s3gd.ElasticNet, linear_model.ElasticNet), (s3gd.HuberRegressor, linear_model.HuberRegressor),
    (s3gd.PoissonRegressor, linear_model.PoissonRegressor)], ids=lambda c: c.__module__.split(".")[0] + c.__name__)
def test_every_parameter_of_scikit_learn_is_taken_with_its_default(ours, theirs):
    """So that a program goes on after a change of its import. (The classes of LogisticRegressionCV go by softmax.)"""
    parameters = theirs().get_params()
    if ours is s3gd.LogisticRegressionCV:
        parameters.pop("multi_class", None)
    ours(**parameters)._check_parameters()


def test_solvers_of_scikit_learns_ridge_minimise_the_same():
    X, _, y, _ = sample()
    expected = s3gd.Ridge().fit(X, y).coef_
    for solver in ("svd", "cholesky", "lsqr", "sparse_cg", "lbfgs"):
        np.testing.assert_allclose(s3gd.Ridge(solver=solver, max_iter=None, tol=1e-12).fit(X, y).coef_, expected, rtol=1e-5)
