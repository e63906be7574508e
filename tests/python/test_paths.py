"""Paths over the strength of a penalty (also with the oldest scikit-learn)."""

import numpy as np
import pytest
import s3gd
from cases import layouts, sample
from sklearn import linear_model

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
X, Y, TARGETS, WEIGHTS = sample()


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("l1_ratio", [0.3, 1.0])
def test_enet_path_is_scikit_learns(l1_ratio, layout):
    rows = layouts(X)[layout]
    alphas = [0.3, 1.0, 0.1, 0.03]
    ours = s3gd.enet_path(rows, TARGETS, l1_ratio=l1_ratio, alphas=alphas, tol=1e-12)
    theirs = linear_model.enet_path(rows, TARGETS, l1_ratio=l1_ratio, alphas=alphas, tol=1e-12, max_iter=100_000)
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-4 * np.abs(theirs[1]).max())
    assert ours[1].shape == theirs[1].shape and (ours[2] >= 0).all() and ours[2].max() < 1e-9


def test_the_grid_begins_where_all_weights_are_zero():
    alphas, coefs, _ = s3gd.lasso_path(X, TARGETS, n_alphas=20, eps=1e-2, tol=1e-10)
    expected = linear_model.lasso_path(X, TARGETS, n_alphas=20, eps=1e-2)[0]
    np.testing.assert_allclose(alphas, expected, rtol=1e-12)
    assert (coefs[:, 0] == 0).all() and (coefs[:, 1] != 0).any() and (np.diff((coefs != 0).sum(axis=0)) >= -1).all()


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["even", "weighted"])
def test_a_path_with_intercept_is_that_of_single_fits(weights):
    alphas, coefs, gaps, intercepts = s3gd.enet_path(X, TARGETS, l1_ratio=0.7, n_alphas=6, fit_intercept=True,
                                                     sample_weight=weights, tol=1e-12)
    for k, alpha in enumerate(alphas):
        single = s3gd.ElasticNet(alpha, l1_ratio=0.7, tol=1e-12).fit(X, TARGETS, weights)
        np.testing.assert_allclose(coefs[:, k], single.coef_, atol=1e-5)
        assert intercepts[k] == pytest.approx(single.intercept_, abs=1e-5)
    assert np.abs(coefs[:, 0]).max() < 1e-12


@pytest.mark.parametrize("l1_ratio", [None, 0.5, 1.0])
@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_path_is_that_of_single_fits(classes, l1_ratio):
    rows, y, _, weights = sample(classes=classes)
    Cs, coefs, intercepts, gaps = s3gd.logistic_path(rows, y, Cs=[1.0, 0.03, 0.2], l1_ratio=l1_ratio, sample_weight=weights,
                                                     class_weight="balanced", tol=1e-11)
    assert Cs.tolist() == [0.03, 0.2, 1.0] and gaps.max() <= 1e-11
    for k, C in enumerate(Cs):
        single = s3gd.LogisticRegression(C=C, l1_ratio=l1_ratio, class_weight="balanced", tol=1e-11).fit(rows, y, weights)
        np.testing.assert_allclose(coefs[k], single.coef_, atol=1e-4 * np.abs(single.coef_).max() + 1e-8)
        np.testing.assert_allclose(intercepts[k], single.intercept_, atol=1e-4)
    assert len(s3gd.logistic_path(rows, y, Cs=3)[0]) == 3


def test_wrong_requests_are_refused():
    for wrong, words in [({"l1_ratio": 0.0}, "l1_ratio must be larger than 0"), ({"eps": 0}, "eps must be larger than 0"),
                         ({"n_alphas": 0}, "n_alphas must be at least 1"), ({"n_alphas": 2.5}, "n_alphas must be a whole number")]:
        with pytest.raises(ValueError, match=words):
            s3gd.enet_path(X, TARGETS, **wrong)
    with pytest.raises(ValueError, match="could not convert string to float"):
        s3gd.enet_path(X, np.full(len(X), "a"))
    with pytest.raises(ValueError, match="Cs must be larger than 0"):
        s3gd.logistic_path(X, Y, Cs=[-1.0])


def test_strengths_of_a_path():
    X, y, targets, _ = sample()
    alphas, coefs, _ = s3gd.lasso_path(X, targets, alphas=7)
    expected = s3gd.lasso_path(X, targets, n_alphas=7)
    assert (alphas == expected[0]).all() and (coefs == expected[1]).all()
    zero = s3gd.lasso_path(X, 0 * targets, n_alphas=3)[1]
    assert zero.shape == (X.shape[1], 3) and not zero.any()  # at any strength
    twice = s3gd.lasso_path(X, targets, alphas=[0.1, 0.01, 0.1])
    assert twice[0].tolist() == [0.1, 0.1, 0.01] and twice[1].shape == (X.shape[1], 3) and twice[2].shape == (3,)
    assert (twice[1][:, 0] == twice[1][:, 1]).all() and (twice[1][:, 1] != twice[1][:, 2]).any()
    for alphas in ([0.1, 0.0], [-1.0]):
        with pytest.raises(ValueError, match="alphas must be larger than 0"):
            s3gd.lasso_path(X, targets, alphas=alphas)
    for Cs, words in [([], "one at least"), ([0.0, 1.0], "larger than 0"), ([np.inf], "must be finite")]:
        with pytest.raises(ValueError, match=words):
            s3gd.logistic_path(X, y, Cs=Cs)
