"""PoissonRegressor minimises what scikit-learn's does (also with the oldest scikit-learn)."""

import warnings

import numpy as np
import pytest
import s3gd
from cases import layouts
from s3gd import _core
from sklearn import linear_model
from sklearn.metrics import d2_tweedie_score

TIGHT = {"tol": 1e-12, "max_iter": 1000}


def sample(rows=400, cols=6, seed=0, size=1.0):
    """Counts that follow the rows, and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)) * (rng.random((rows, cols)) < 0.7)
    y = rng.poisson(size * np.exp(X @ rng.normal(size=cols) * 0.5)).astype(float)
    return X, y, rng.integers(0, 4, size=rows).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha, size", [(1.0, 1.0), (1e-3, 1.0), (0.0, 1.0), (0.1, 1e4), (10.0, 1e-2)])
def test_coefficients_are_those_of_scikit_learn(alpha, size, intercept, layout, weighted):
    X, y, weights = sample(size=size)
    weights = weights if weighted else None
    ours = s3gd.PoissonRegressor(alpha=alpha, fit_intercept=intercept, **TIGHT).fit(layouts(X)[layout], y, weights)
    theirs = linear_model.PoissonRegressor(alpha=alpha, fit_intercept=intercept, solver="newton-cholesky", tol=1e-10,
                                           max_iter=1000).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-3)
    assert ours.score(X, y, weights) == pytest.approx(theirs.score(X, y, weights), abs=1e-6)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_rows_on_any_scale(scale):
    X, y, _ = sample(rows=1000)
    alpha = 1e-3 * scale**2
    ours = s3gd.PoissonRegressor(alpha=alpha, **TIGHT).fit(X * scale, y)
    np.testing.assert_allclose(ours.coef_ * scale, s3gd.PoissonRegressor(alpha=1e-3, **TIGHT).fit(X, y).coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("penalty", ["l1", "elasticnet", None])
@pytest.mark.parametrize("solver", ["auto", "newton"])
def test_other_penalties_are_certified(penalty, solver):
    X, y, weights = sample()
    model = s3gd.LinearModel("poisson", penalty=penalty, alpha=0.3, l1_ratio=0.8, solver=solver, tol=1e-9).fit(X, y, weights)
    assert model.summary_.status == "converged"
    slopes = X.T @ (weights / weights.sum() * (np.exp(X @ model.coef_ + model.intercept_) - y))
    l1, l2 = {"l1": (0.3, 0.0), "elasticnet": (0.3 * 0.8, 0.3 * 0.2), None: (0.0, 0.0)}[penalty]
    at_zero = model.coef_ == 0
    assert at_zero.any() == (penalty is not None)
    assert (np.abs(slopes[at_zero]) <= l1 + 1e-6).all()
    np.testing.assert_allclose((slopes + l2 * model.coef_ + l1 * np.sign(model.coef_))[~at_zero], 0, atol=1e-4)


def test_predictions_scores_and_saved_models_have_the_log_link(tmp_path):
    X, y, weights = sample()
    model = s3gd.PoissonRegressor(alpha=0.1).fit(X, y)
    np.testing.assert_allclose(model.predict(X), np.exp(X @ model.coef_ + model.intercept_))
    assert model.score(X, y, weights) == pytest.approx(d2_tweedie_score(y, model.predict(X), sample_weight=weights, power=1))
    model.save(tmp_path / "model")
    saved = s3gd.load_model(tmp_path / "model")
    assert saved.score(X, y) == pytest.approx(model.score(X, y), rel=1e-12)
    np.testing.assert_allclose(saved.predict(X), model.predict(X), rtol=1e-12)
    assert saved.facts_["link"] == "log"
    again = saved.to_estimator(tol=1e-6).fit(X, y)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=0.05)
    with pytest.raises(_core.Error, match="predicts exp"):
        s3gd.export(model, tmp_path / "m", format="liblinear")


@pytest.mark.parametrize("y, match", [([0.0, -1.0, 2.0], "row 1 is -1.*takes counts"), ([0.0, 0.0, 0.0], "all labels are 0"),
                                      ([0.0, 1e200, 2.0], "takes counts from 0 to 1e100")])
def test_targets_that_are_no_counts_are_refused(y, match):
    with pytest.raises(ValueError, match=match):
        s3gd.PoissonRegressor().fit([[0.0], [1.0], [2.0]], y)


def test_what_it_lacks_is_named():
    X, y, _ = sample()
    with pytest.raises(_core.Error, match="the automatic step of saga needs a bounded curvature; the loss poisson has none"):
        s3gd.LinearModel("poisson", solver="saga").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_steps = s3gd.LinearModel("poisson", alpha=0.1, solver="saga", step=1e-2, max_iter=50, tol=1e-3).fit(X, y)
    np.testing.assert_allclose(by_steps.coef_, s3gd.LinearModel("poisson", alpha=0.1).fit(X, y).coef_, atol=0.02)


def test_steps_that_overflow_end_in_a_fit():
    """The first Newton step goes to margins of thousands: exp of them is no double."""
    X = np.arange(40.0).reshape(-1, 1)
    y = np.where(np.arange(40) > 35, 1e9, 0.0)
    for solver in ("auto", "newton", "lbfgs"):
        model = s3gd.PoissonRegressor(alpha=1e-6, solver=solver, max_iter=2000).fit(X, y)
        assert np.isfinite(model.coef_).all() and np.isfinite(model.summary_.objective)
        assert model.summary_.status == "converged"
