"""Values that are not finite: where the first pass of a fit looks at them on its way, none is missed, wherever it is."""

import numpy as np
import pytest
from core_cases import spec_of
from s3gd import _core

BAD = [np.nan, np.inf, -np.inf]


def problem(rows, cols, dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)).astype(dtype)
    y = (X @ rng.normal(size=cols) + 2 * rng.normal(size=rows) > 0).astype(np.float64)
    return X, y


# The last of these shapes begins with samples of the rows, the second has more columns than fit a sample.
@pytest.mark.parametrize(("rows", "cols"), [(300, 4), (400, 300), (2000, 7), (30000, 12)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_bad_value_is_found_wherever_it_is(rows, cols, dtype):
    X, y = problem(rows, cols, dtype)
    rng = np.random.default_rng(1)
    places = [(0, 0), (rows - 1, cols - 1), *zip(rng.integers(rows, size=6), rng.integers(cols, size=6))]
    for k, (row, col) in enumerate(places):
        value, X[row, col] = X[row, col], BAD[k % 3]
        with pytest.raises(_core.Error, match=f"row {row} holds a value that is not finite"):
            _core.fit(X, y, spec=spec_of())
        X[row, col] = value
    assert _core.fit(X, y, spec=spec_of())["summary"]["status"] == "converged"


@pytest.mark.parametrize("loss", ["logistic", "squared", "squared-hinge", "smooth-hinge", "huber", "poisson"])
@pytest.mark.parametrize("penalty", ["l2", "none", "l1", "elastic-net"])
@pytest.mark.parametrize("intercept", ["free", "none"])
def test_of_every_problem(loss, penalty, intercept):
    X, y = problem(8000, 6)
    spec = spec_of("regression" if loss in ("squared", "huber", "poisson") else "binary", penalty=penalty, loss=loss, intercept=intercept,
                   strength=0.0 if penalty == "none" else 1e-2)
    for value in BAD:
        X[7321, 3] = value
        with pytest.raises(_core.Error, match="row 7321 holds"):
            _core.fit(X, y, spec=spec)
        with pytest.raises(_core.Error, match="row 7321 holds"):
            _core.fit(X, y, spec=spec, start=(np.ones((1, 6)), np.zeros(1)))


@pytest.mark.parametrize("options", [
    {"passes": 0.01}, {"iterations": 1}, {"seconds": 1e-6}, {"trace": True}, {"solver": "newton"}, {"solver": "sgd", "passes": 0.01},
    {"solver": "s3gd", "passes": 0.1}, {"solver": "is-sgd", "iterations": 1}, {"solver": "lbfgs"}, {"solver": "saga", "passes": 0.1}])
def test_also_in_rows_that_a_short_run_never_comes_to(options):
    X, y = problem(20000, 5)
    for row in (1, 9999, 19999):
        X[row, 4] = np.nan
        with pytest.raises(_core.Error, match=f"row {row} holds"):
            _core.fit(X, y, spec=spec_of(), options=options)
        X[row, 4] = 0


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_also_in_rows_without_weight_and_in_rows_for_validation(weight):
    X, y = problem(5000, 5)
    weights = np.ones(5000)
    weights[321] = weight
    other, y_other = problem(50, 5, seed=2)
    other[17, 2] = np.nan
    with pytest.raises(_core.Error, match="row 17 holds"):
        _core.fit(X, y, spec=spec_of(), X_val=other, y_val=y_other)
    X[321, 0] = np.inf
    with pytest.raises(_core.Error, match="row 321 holds"):
        _core.fit(X, y, spec=spec_of(), sample_weight=weights)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_so_large_that_margins_overflow_are_not_called_infinite(dtype):
    X, y = problem(3000, 5, dtype)
    X[:, 2] = np.where(y > 0, np.finfo(dtype).max, -np.finfo(dtype).max) / 2
    _core.fit(X, y, spec=spec_of(), options={"passes": 20})


def test_the_look_on_the_way_changes_no_bit():
    X, y = problem(20000, 10)
    looked, trusted = (_core.fit(X, y, spec=spec_of(), options={"check": check}) for check in (True, False))
    assert (looked["coef"] == trusted["coef"]).all() and looked["summary"]["objective"] == trusted["summary"]["objective"]
