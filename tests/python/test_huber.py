"""HuberRegressor minimises what scikit-learn's does, scale included (also with the oldest scikit-learn)."""

import numpy as np
import pytest
import s3gd
from cases import layouts
from s3gd import _core
from sklearn import linear_model
from sklearn.base import clone

TIGHT = {"tol": 1e-12, "max_iter": 1000}


def sample(rows=400, cols=6, seed=0):
    """Targets that follow the rows, a tenth of them far off; and weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)) * (rng.random((rows, cols)) < 0.7)
    y = X @ rng.normal(size=cols) + 2 + 0.3 * rng.normal(size=rows)
    y[::10] += rng.choice([-1, 1], size=len(y[::10])) * 30 * rng.random(len(y[::10]))
    return X, y, rng.integers(0, 4, size=rows).astype(float)


def objective(X, y, s, coef, intercept, sigma, epsilon, alpha):
    z = np.abs(X @ coef + intercept - y) / sigma
    h = np.where(z < epsilon, z**2, 2 * epsilon * z - epsilon**2)
    return s @ (sigma + sigma * h) + alpha * coef @ coef


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("epsilon, alpha", [(1.35, 1e-4), (1.35, 0.0), (1.1, 50.0), (3.0, 1.0)])
def test_coefficients_and_scale_are_those_of_scikit_learn(epsilon, alpha, intercept, layout, weighted):
    X, y, weights = sample()
    weights = weights if weighted else None
    parameters = {"epsilon": epsilon, "alpha": alpha, "fit_intercept": intercept}
    ours = s3gd.HuberRegressor(**parameters, **TIGHT).fit(layouts(X)[layout], y, weights)
    theirs = linear_model.HuberRegressor(**parameters, tol=1e-9, max_iter=10_000).fit(X, y, weights)
    s = np.ones(len(y)) if weights is None else weights
    values = [objective(X, y, s, m.coef_, m.intercept_, m.scale_, epsilon, alpha) for m in (ours, theirs)]
    assert values[0] <= values[1] * (1 + 1e-9)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert ours.scale_ == pytest.approx(theirs.scale_, rel=1e-4)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)
    assert (ours.outliers_ == theirs.outliers_).mean() > 0.99
    assert ours.summary_.objective * s.sum() == pytest.approx(values[0], rel=1e-9)


def hard_cases():
    """Rows where the scale goes to zero, or where any will do."""
    X, y, _ = sample(rows=300, cols=5, seed=1)
    rng = np.random.default_rng(2)
    return {"epsilon 1": (1.0, X, y), "fewer rows than columns": (1.35, rng.normal(size=(20, 50)), rng.normal(size=20)),
            "fewer rows than columns, epsilon 1": (1.0, rng.normal(size=(20, 50)), rng.normal(size=20)),
            "mostly one number": (1.35, X, np.where(rng.random(len(y)) < 0.8, 1.0, -1.0)),
            "two numbers that the rows tell apart": (1.35, X, np.sign(X[:, 0] + 0.1)),
            "an exact fit": (1.35, X, X @ np.arange(5.0) + 1), "one number": (1.35, X, np.full(len(y), 3.0)),
            "zero": (1.35, X, np.zeros(len(y))), "repeated columns": (1.35, np.hstack([X, X]), y)}


@pytest.mark.parametrize("case", hard_cases())
@pytest.mark.parametrize("tol", [1e-5, 1e-9])
def test_where_the_scale_goes_to_zero_the_objective_is_certified_all_the_same(case, tol):
    epsilon, X, y = hard_cases()[case]
    model = s3gd.HuberRegressor(epsilon=epsilon, tol=tol).fit(X, y)
    assert model.summary_.status == "converged" and model.summary_.certificate["relative_gap"] <= tol
    value = objective(X, y, np.ones(len(y)), model.coef_, model.intercept_, model.scale_, epsilon, 1e-4)
    assert value == pytest.approx(model.summary_.objective * len(y), rel=1e-6)
    try:
        theirs = linear_model.HuberRegressor(epsilon=epsilon, tol=1e-9, max_iter=10_000).fit(X, y)
    except ValueError:  # it gives up on some
        return
    assert value <= objective(X, y, np.ones(len(y)), theirs.coef_, theirs.intercept_, theirs.scale_, epsilon, 1e-4) * (1 + 2 * tol)


def test_a_named_solver_finds_the_same():
    X, y, _ = sample()
    found = [s3gd.HuberRegressor(solver=solver, **TIGHT).fit(X, y) for solver in ("auto", "newton", "sampled-newton")]
    for other in found[1:]:
        np.testing.assert_allclose(other.coef_, found[0].coef_, atol=1e-6)
        assert other.scale_ == pytest.approx(found[0].scale_, rel=1e-6)


def test_the_certificate_bounds_the_distance_to_the_optimum():
    X, y, _ = sample(rows=20_000, cols=20, seed=3)
    best = s3gd.HuberRegressor(tol=1e-13, max_iter=10_000).fit(X, y).summary_.objective
    for tol in (1e-2, 1e-4, 1e-6):
        summary = s3gd.HuberRegressor(tol=tol).fit(X, y).summary_
        gap = summary.certificate["relative_gap"]
        assert summary.status == "converged" and gap <= tol
        assert (summary.objective - best) / summary.objective <= gap + 1e-12


def test_a_warm_start_needs_fewer_passes():
    X, y, _ = sample(rows=20_000, cols=20, seed=3)
    model = s3gd.HuberRegressor(warm_start=True, tol=1e-6).fit(X, y)
    passes = model.summary_.passes
    assert model.fit(X, y).summary_.passes < passes


def test_a_saved_model_says_the_knee_that_was_found(tmp_path):
    X, y, _ = sample()
    model = s3gd.HuberRegressor().fit(X, y)
    model.save(tmp_path / "model")
    saved = s3gd.load_model(tmp_path / "model")
    np.testing.assert_array_equal(saved.coef_, model.coef_)
    assert saved.facts_["loss"] == "huber" and saved.facts_["knee"] == pytest.approx(1.35 * model.scale_)
    assert s3gd.export(model, tmp_path / "m.json", format="json") is not None


def test_a_fixed_knee_is_the_linear_models():
    X, y, _ = sample()
    found = s3gd.HuberRegressor(alpha=0.5, **TIGHT).fit(X, y)
    alpha = 2 * 0.5 * found.scale_ / len(y) * 0.5  # (u - y)^2 / 2 there, and alpha ||w||^2 / 2
    fixed = s3gd.LinearModel("huber", alpha=alpha, knee=1.35 * found.scale_, **TIGHT).fit(X, y)
    np.testing.assert_allclose(fixed.coef_, found.coef_, atol=1e-6)
    assert fixed.score(X, y) == pytest.approx(found.score(X, y), abs=1e-6)


@pytest.mark.parametrize("parameters, match", [({"epsilon": 0.9}, "epsilon"), ({"alpha": -1}, "alpha"), ({"tol": 0}, "tol")])
def test_wrong_parameters_are_refused(parameters, match):
    X, y, _ = sample()
    with pytest.raises(ValueError, match=match):
        s3gd.HuberRegressor(**parameters).fit(X, y)


def test_what_it_lacks_is_named():
    X, y, _ = sample()
    with pytest.raises(_core.Error, match="s3gd needs a slope that separates into margin and label, or two classes; the loss huber has"):
        s3gd.LinearModel("huber", solver="s3gd").fit(X, y)
    streamed = clone(s3gd.LinearModel("huber")).partial_fit(X, y)
    assert streamed.summary_.stages[0]["name"] == "sgd"
