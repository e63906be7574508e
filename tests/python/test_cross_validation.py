"""Cross-validation with given folds, and LogisticRegressionCV beside scikit-learn's. Also with the oldest scikit-learn."""

import inspect
import warnings

import numpy as np
import pytest
import s3gd
from s3gd import _core
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold

CS = np.logspace(-3, 2, 11)


def theirs(**parameters):
    """scikit-learn's, with the attributes that are new in 1.8 where it has them."""
    if "use_legacy_attributes" in inspect.signature(LogisticRegressionCV).parameters:
        parameters["use_legacy_attributes"] = False
    return LogisticRegressionCV(Cs=CS, tol=1e-8, max_iter=5000, **{"solver": "newton-cg"} | parameters)


def fitted(model, X, y, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, about its own changes
        return model.fit(X, y, **more)


def scores_of(model):
    """folds x Cs: of scikit-learn before 1.8 one table for each class, all the same for softmax."""
    scores = next(iter(model.scores_.values())) if isinstance(model.scores_, dict) else model.scores_
    return np.asarray(scores).reshape(-1, len(CS)) if scores.ndim == 2 else scores[:, 0]


def problem(classes, weighted=False):
    X, y = make_classification(400, 12, n_informative=8, n_classes=classes, class_sep=0.5, flip_y=0.1, random_state=classes)
    weights = np.random.default_rng(0).uniform(0.5, 2, size=len(y)) if weighted else None
    return X, y, weights


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("scoring", "weighted"), [("accuracy", False), ("neg_log_loss", False), ("neg_log_loss", True)])
def test_scores_choice_and_coefficients_are_those_of_sklearn(classes, scoring, weighted):
    X, y, weights = problem(classes, weighted)
    cv = StratifiedKFold(5, shuffle=True, random_state=1)
    ours = s3gd.LogisticRegressionCV(Cs=CS, cv=cv, scoring=scoring, tol=1e-10).fit(X, y, sample_weight=weights)
    other = fitted(theirs(cv=cv, scoring=scoring), X, y, sample_weight=weights)
    assert ours.C_ == pytest.approx(np.ravel(other.C_)[0])
    np.testing.assert_allclose(ours.Cs_, other.Cs_)
    assert ours.scores_.shape == (5, 1, 11)
    if isinstance(other.scores_, np.ndarray):
        assert ours.scores_.shape == other.scores_.shape and ours.coefs_paths_.shape == other.coefs_paths_.shape
        np.testing.assert_allclose(ours.coefs_paths_[..., :12], other.coefs_paths_[..., :12], rtol=2e-3, atol=2e-3)
    one_row = 0 if scoring == "neg_log_loss" else 1.01 / 80  # margins next to zero fall to either side
    np.testing.assert_allclose(ours.scores_[:, 0], scores_of(other), rtol=1e-4, atol=one_row)
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=1e-4, atol=1e-4 * np.abs(other.coef_).max())
    np.testing.assert_allclose(ours.intercept_ - ours.intercept_.mean() * (classes > 2),
                               other.intercept_ - other.intercept_.mean() * (classes > 2), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scoring", [None, "neg_log_loss", "roc_auc"])
def test_the_score_is_by_what_was_asked_for(scoring):
    X, y, weights = problem(2, weighted=True)
    ours = s3gd.LogisticRegressionCV(Cs=CS, cv=3, scoring=scoring, tol=1e-10).fit(X, y)
    other = fitted(theirs(cv=3, scoring=scoring), X, y)
    for weighted in ({}, {"sample_weight": weights}):
        assert ours.score(X, y, **weighted) == pytest.approx(other.score(X, y, **weighted), rel=1e-3)


@pytest.mark.parametrize(("penalty", "ratio"), [("l1", 1.0), ("l2", 0.0)])
def test_a_penalty_may_be_named(penalty, ratio):
    X, y, _ = problem(2)
    named = s3gd.LogisticRegressionCV(Cs=3, penalty=penalty).fit(X, y)
    by_ratio = s3gd.LogisticRegressionCV(Cs=3, l1_ratios=[ratio]).fit(X, y)
    assert named.l1_ratio_ == ratio and (named.coefs_paths_ == by_ratio.coefs_paths_).all()


def test_the_solver_liblinear_penalises_the_intercept():
    X, y, _ = problem(2)
    ours = s3gd.LogisticRegressionCV(Cs=[0.01], solver="liblinear", cv=3, tol=1e-12).fit(X + 1, y)
    alone = s3gd.LogisticRegression(C=0.01, solver="liblinear", tol=1e-12).fit(X + 1, y)
    np.testing.assert_allclose(ours.coef_, alone.coef_, rtol=1e-6)
    train = next(StratifiedKFold(3).split(X, y))[0]
    first = s3gd.LogisticRegression(C=0.01, solver="liblinear", tol=1e-12).fit(X[train] + 1, y[train])
    np.testing.assert_allclose(ours.coefs_paths_[0, 0, 0, 0], np.append(first.coef_, first.intercept_), rtol=1e-4)


def test_l1_ratios_are_chosen_as_sklearn_does():
    X, y, _ = problem(2)
    cv = KFold(3, shuffle=True, random_state=0)
    ours = s3gd.LogisticRegressionCV(Cs=CS, cv=cv, l1_ratios=[0.2, 1.0], scoring="neg_log_loss", tol=1e-10).fit(X, y)
    other = fitted(theirs(cv=cv, l1_ratios=[0.2, 1.0], scoring="neg_log_loss", penalty="elasticnet", solver="saga"), X, y)
    assert (ours.C_, ours.l1_ratio_) == pytest.approx((np.ravel(other.C_)[0], np.ravel(other.l1_ratio_)[0]))
    assert ours.scores_.shape == (3, 2, 11) and ours.n_iter_.shape == (3, 2, 11)
    np.testing.assert_allclose(ours.coef_, other.coef_, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, sparse.csr_matrix])
def test_a_number_a_splitter_and_lists_of_rows_are_the_same_folds(layout):
    X, y, _ = problem(3)
    X = layout(X)
    splitter = StratifiedKFold(4)
    lists = list(splitter.split(X, y))
    masks = [(np.isin(np.arange(400), train), np.isin(np.arange(400), test)) for train, test in lists]
    plain = [(train.tolist(), test.tolist()) for train, test in lists]
    from_the_end = [(train - 400, test.astype(np.int32)) for train, test in lists]
    fits = [s3gd.LogisticRegressionCV(Cs=3, cv=cv).fit(X, y) for cv in (4, splitter, lists, iter(lists), masks, plain, from_the_end)]
    for fit in fits[1:]:
        assert (fit.scores_ == fits[0].scores_).all() and (fit.coefs_paths_ == fits[0].coefs_paths_).all()
        assert (fit.coef_ == fits[0].coef_).all()


def test_folds_may_overlap_and_leave_rows_out():
    X, y, weights = problem(2, weighted=True)
    cv = ShuffleSplit(3, train_size=0.3, test_size=0.2, random_state=0)
    model = s3gd.LogisticRegressionCV(Cs=[0.1, 1.0], cv=cv, tol=1e-10).fit(X, y, sample_weight=weights)
    for fold, (train, test) in enumerate(cv.split(X, y)):
        for c, C in enumerate([0.1, 1.0]):
            alone = s3gd.LogisticRegression(C=C, tol=1e-10).fit(X[train], y[train], sample_weight=weights[train])
            np.testing.assert_allclose(model.coefs_paths_[fold, 0, c, :, :12], alone.coef_, rtol=1e-4, atol=1e-5)
            assert model.scores_[fold, 0, c] == pytest.approx(alone.score(X[test], y[test], sample_weight=weights[test]), abs=0.02)


def test_rows_are_not_copied_in_python_for_the_fits(monkeypatch):
    seen = {}
    real = _core.paths

    def watched(X, y, **more):
        seen["X"], seen["folds"] = X, more["folds"]
        return real(X, y, **more)

    monkeypatch.setattr(_core, "paths", watched)
    X, y, _ = problem(2)
    s3gd.LogisticRegressionCV(Cs=2, cv=3).fit(X, y)
    assert np.shares_memory(seen["X"], X) and [len(rows) for rows in seen["folds"]] == [266, 267, 267]


def test_folds_that_cannot_be_used_are_refused():
    X, y, _ = problem(2)
    with pytest.raises(ValueError, match="no training rows of the class 1"):
        s3gd.LogisticRegressionCV(cv=[(np.flatnonzero(y == 0), np.arange(10))]).fit(X, y)
    with pytest.raises((ValueError, IndexError), match="400"):
        s3gd.LogisticRegressionCV(cv=[(np.arange(401), np.arange(10))]).fit(X, y)
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        s3gd.LogisticRegressionCV().fit(X, y)
