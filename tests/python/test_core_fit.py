"""_core.fit: the minimiser of the stated objective, whatever the layout of the rows. Also with the oldest scikit-learn."""

import threading

import numpy as np
import pytest
from core_cases import csr_parts, loss_gradient, sample, softmax_gradient, softmax_loss, spec_of
from s3gd import _core

TIGHT = {"tol": 1e-12, "passes": 1000, "threads": 1}
UNEVEN = np.random.default_rng(5).uniform(0.1, 3.0, size=300)


def shares(weights, rows):
    return np.full(rows, 1 / rows) if weights is None else weights / weights.sum()


@pytest.mark.parametrize("weights", [None, UNEVEN])
@pytest.mark.parametrize("loss", ["logistic", "squared", "squared-hinge", "smooth-hinge"])
def test_the_gradient_is_zero_at_a_binary_fit(loss, weights):
    X, codes = sample()
    fit = _core.fit(X, codes, sample_weight=weights, spec=spec_of(loss=loss), options=TIGHT)
    coef, intercept = fit["coef"][0], fit["intercept"][0]
    by_weights, by_intercept = loss_gradient(X, 2 * codes - 1, shares(weights, len(X)), coef, intercept, loss)
    assert fit["summary"]["status"] == "converged"
    assert np.abs(coef).max() > 0.1
    np.testing.assert_allclose(by_weights + 2 * 1e-2 * coef, 0, atol=1e-7)
    assert abs(by_intercept) < 1e-7


def test_the_gradient_is_zero_at_a_regression():
    X, _ = sample()
    y = X @ np.arange(8.0) + 3 + np.random.default_rng(1).normal(size=len(X))
    fit = _core.fit(X, y, spec=spec_of("regression"), options=TIGHT)
    by_weights, by_intercept = loss_gradient(X, y, shares(None, len(X)), fit["coef"][0], fit["intercept"][0], "squared")
    np.testing.assert_allclose(by_weights + 2 * 1e-2 * fit["coef"][0], 0, atol=1e-6)
    assert abs(by_intercept) < 1e-6


def test_each_class_of_one_vs_rest_has_a_gradient_of_zero():
    X, codes = sample(classes=3)
    fit = _core.fit(X, codes, spec=spec_of("ovr", 3), options=TIGHT)
    assert fit["coef"].shape == (3, 8) and fit["intercept"].shape == (3,)
    for k in range(3):
        y = np.where(codes == k, 1.0, -1.0)
        by_weights, by_intercept = loss_gradient(X, y, shares(None, 300), fit["coef"][k], fit["intercept"][k], "logistic")
        np.testing.assert_allclose(by_weights + 2 * 1e-2 * fit["coef"][k], 0, atol=1e-7)
        assert abs(by_intercept) < 1e-7


@pytest.mark.parametrize("weights", [None, UNEVEN])
def test_softmax_has_a_gradient_of_zero(weights):
    X, codes = sample(classes=4)
    fit = _core.fit(X, codes, sample_weight=weights, spec=spec_of("softmax", 4), options=TIGHT)
    by_weights, by_intercept = softmax_gradient(X, codes, shares(weights, 300), fit["coef"], fit["intercept"])
    np.testing.assert_allclose(by_weights + 2 * 1e-2 * fit["coef"], 0, atol=1e-6)
    np.testing.assert_allclose(by_intercept, 0, atol=1e-6)
    if weights is None:
        value = softmax_loss(X, codes, fit["coef"], fit["intercept"]) + 1e-2 * (fit["coef"] ** 2).sum()
        assert fit["summary"]["objective"] == pytest.approx(value, rel=1e-9)


def test_an_l1_fit_meets_its_optimality_conditions():
    X, codes = sample(cols=20)
    coef = (fit := _core.fit(X, codes, spec=spec_of(penalty="l1", strength=0.03), options=TIGHT))["coef"][0]
    gradient, _ = loss_gradient(X, 2 * codes - 1, shares(None, 300), coef, fit["intercept"][0], "logistic")
    used = coef != 0
    assert 0 < used.sum() < 20
    np.testing.assert_allclose(gradient[used], -0.03 * np.sign(coef[used]), atol=1e-7)
    assert np.abs(gradient[~used]).max() <= 0.03 + 1e-7


def test_a_factor_of_zero_leaves_a_feature_without_penalty():
    X, codes = sample()
    factors = np.array([0.0] + 7 * [5.0])
    fit = _core.fit(X, codes, spec=spec_of(penalty_factor=factors), options=TIGHT)
    gradient, _ = loss_gradient(X, 2 * codes - 1, shares(None, 300), fit["coef"][0], fit["intercept"][0], "logistic")
    np.testing.assert_allclose(gradient + 2 * 1e-2 * factors * fit["coef"][0], 0, atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_give_the_fit_of_dense_ones(dtype, index):
    X, codes = sample()
    X = X.astype(dtype).astype(np.float64)  # the same numbers for both
    dense = _core.fit(X.astype(dtype), codes, spec=spec_of(), options=TIGHT)
    thin = _core.fit(csr_parts(X, dtype, index), codes, spec=spec_of(), options=TIGHT)
    np.testing.assert_allclose(thin["coef"], dense["coef"], atol=1e-5)


def test_rows_apart_read_only_and_mapped_give_the_same_bits(tmp_path):
    X, codes = sample()
    expected = _core.fit(X, codes, spec=spec_of())
    wide = np.full((300, 20), np.nan)
    wide[:, :8] = X
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    frozen = X.copy()
    frozen.flags.writeable = False
    for rows in (wide[:, :8], mapped, frozen):
        fit = _core.fit(rows, codes, spec=spec_of())
        assert (fit["coef"] == expected["coef"]).all() and (fit["intercept"] == expected["intercept"]).all()


@pytest.mark.parametrize(("task", "classes"), [("binary", 2), ("ovr", 3), ("softmax", 3)])
def test_a_fit_that_starts_at_the_solution_stays_there(task, classes):
    X, codes = sample(classes=classes)
    first = _core.fit(X, codes, spec=spec_of(task, classes), options={"tol": 1e-10})
    start = first["coef"], first["intercept"]
    again = _core.fit(X, codes, spec=spec_of(task, classes), options={"tol": 1e-8}, start=start)
    assert again["summary"]["iterations"] < first["summary"]["iterations"]
    np.testing.assert_allclose(again["coef"], first["coef"], atol=1e-6)


def test_the_trace_has_columns_of_one_length_and_ends_at_the_objective():
    X, codes = sample()
    fit = _core.fit(X, codes, spec=spec_of(), options={"trace": True}, X_val=X[:100], y_val=codes[:100])
    trace = fit["trace"]
    assert len({len(column) for column in trace.values()}) == 1 and len(trace["iteration"]) > 1
    assert min(trace["train_objective"]) == pytest.approx(fit["summary"]["objective"], rel=1e-3)
    assert np.isfinite(trace["test_objective"]).all()
    assert all(isinstance(stage, str) for stage in trace["stage"])


def test_the_summary_has_the_mean_loss_over_validation_rows():
    X, codes = sample()
    one_class = codes == 1
    for rows in (slice(0, 100), one_class):
        fit = _core.fit(X, codes, spec=spec_of(), X_val=X[rows], y_val=codes[rows])
        margins = (2 * codes[rows] - 1) * (X[rows] @ fit["coef"][0] + fit["intercept"][0])
        assert fit["summary"]["validation"]["rows"] == len(margins)
        assert fit["summary"]["validation"]["loss"] == pytest.approx(np.log1p(np.exp(-margins)).mean(), rel=1e-12)
    assert "validation" not in _core.fit(X, codes, spec=spec_of())["summary"]


def test_a_callback_is_called_in_its_own_thread_and_can_end_the_fit():
    X, codes = sample()
    seen = []

    def watch(row):
        seen.append((threading.get_ident(), row["train_objective"]))
        return len(seen) < 3

    fit = _core.fit(X, codes, spec=spec_of(), options={"tol": 1e-12}, callback=watch)
    assert [who for who, _ in seen] == [threading.get_ident()] * 3
    assert fit["summary"]["status"] == "interrupted"
    assert fit["summary"]["objective"] <= seen[0][1]


def test_one_vs_rest_calls_back_with_each_class():
    X, codes = sample(classes=5)
    seen = []
    _core.fit(X, codes, spec=spec_of("ovr", 5), callback=seen.append)
    assert sorted(row["class"] for row in seen) == [0, 1, 2, 3, 4]


def test_what_a_callback_raises_is_raised_by_the_fit():
    def fail(row):
        raise LookupError("from the callback")

    X, codes = sample(classes=3)
    for task in ("ovr", "softmax"):
        with pytest.raises(LookupError, match="from the callback"):
            _core.fit(X, codes, spec=spec_of(task, 3), callback=fail)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(("task", "classes"), [("binary", 2), ("ovr", 4), ("softmax", 4)])
def test_the_number_of_threads_changes_no_bit(task, classes, threads):
    X, codes = sample(rows=9000, classes=classes)
    one = _core.fit(X, codes, spec=spec_of(task, classes), options={"threads": 1})
    more = _core.fit(X, codes, spec=spec_of(task, classes), options={"threads": threads})
    assert (one["coef"] == more["coef"]).all() and (one["intercept"] == more["intercept"]).all()


@pytest.mark.parametrize(("task", "classes"), [("binary", 2), ("softmax", 4), ("ovr", 4)])
@pytest.mark.parametrize("there", [[0], [1], [0, 1]])
def test_rows_for_validation_may_lack_classes(task, classes, there):
    X, codes = sample(classes=classes)
    kept = np.isin(codes, there)
    fit = _core.fit(X, codes, spec=spec_of(task, classes), X_val=X[kept], y_val=codes[kept])
    assert (fit["coef"] == _core.fit(X, codes, spec=spec_of(task, classes))["coef"]).all()
    if task == "softmax":
        penalty = 1e-2 * (fit["coef"] ** 2).sum()
        expected = softmax_loss(X[kept], codes[kept], fit["coef"], fit["intercept"]) + penalty
        assert fit["trace"]["test_objective"][-1] == pytest.approx(expected, rel=1e-9)
    elif task == "binary":
        margins = np.where(codes[kept] > 0, 1, -1) * (X[kept] @ fit["coef"][0] + fit["intercept"][0])
        expected = np.log1p(np.exp(-margins)).mean() + 1e-2 * (fit["coef"] ** 2).sum()
        assert fit["trace"]["test_objective"][-1] == pytest.approx(expected, rel=1e-9)
