"""_core.path and _core.cross_validate."""

import numpy as np
import pytest
from core_cases import sample, spec_of
from s3gd import _core

TIGHT = {"tol": 1e-9}


@pytest.mark.parametrize(("task", "classes"), [("binary", 2), ("ovr", 3), ("softmax", 3)])
def test_every_point_of_a_path_is_the_fit_at_its_lambda(task, classes):
    X, codes = sample(classes=classes)
    path = _core.path(X, codes, spec=spec_of(task, classes, penalty="l1"), options=TIGHT, lambdas=[0.003, 0.1, 0.03])
    assert path["lambdas"].tolist() == [0.1, 0.03, 0.003]
    outputs = 1 if task == "binary" else classes
    assert path["coef"].shape == (3, outputs, 8) and path["intercept"].shape == (3, outputs)
    assert path["status"] == "converged" and path["point_status"] == ["converged"] * 3
    for k, strength in enumerate(path["lambdas"]):
        fit = _core.fit(X, codes, spec=spec_of(task, classes, strength, penalty="l1"), options=TIGHT)
        assert path["objective"][k] == pytest.approx(fit["summary"]["objective"], rel=1e-7)
        np.testing.assert_allclose(path["coef"][k], fit["coef"], atol=1e-3)
        assert path["nonzeros"][k] == np.count_nonzero(path["coef"][k])


def test_a_grid_begins_where_the_weights_are_zero():
    X, _ = sample()
    y = X @ np.arange(8.0)
    path = _core.path(X, y, spec=spec_of("regression", penalty="l1"), count=10, ratio=1e-2)
    assert len(path["lambdas"]) == 10 and path["lambdas"][-1] == pytest.approx(1e-2 * path["lambdas"][0])
    assert np.abs(path["coef"][0]).max() < 1e-6 and path["nonzeros"][-1] > 3


def test_a_callback_ends_a_path():
    X, codes = sample()
    rows = []

    def watch(row):
        rows.append(row["lambda"])
        return len(rows) < 4

    path = _core.path(X, codes, spec=spec_of(), callback=watch)
    assert path["status"] == "interrupted" and rows == path["lambdas"].tolist() and len(rows) == 4


@pytest.mark.parametrize(("task", "classes", "metric"), [("binary", 2, "log-loss"), ("softmax", 3, "accuracy")])
def test_cross_validation_chooses_by_the_mean_score(task, classes, metric):
    X, codes = sample(classes=classes)
    run = _core.cross_validate(X, codes, spec=spec_of(task, classes), count=8, folds=4, metric=metric)
    means = run["scores"].mean(axis=1)
    assert run["scores"].shape == (8, 4) and run["metric"] == metric
    assert run["best"] == (means.argmax() if run["higher_is_better"] else means.argmin())
    assert run["one_standard_error"] <= run["best"]
    assert run["higher_is_better"] == (metric == "accuracy")


def test_what_a_callback_of_a_cross_validation_raises_is_raised():
    def fail(row):
        raise LookupError(f"{row['done']} of {row['of']}")

    X, codes = sample()
    with pytest.raises(LookupError, match="1 of 18"):
        _core.cross_validate(X, codes, spec=spec_of(), count=3, folds=5, callback=fail)


def test_wrong_grids_and_metrics_are_refused():
    X, codes = sample()
    with pytest.raises(_core.Error, match="lambdas is empty"):
        _core.path(X, codes, spec=spec_of(), lambdas=[])
    with pytest.raises(_core.Error, match="unknown metric 'accurcy'"):
        _core.cross_validate(X, codes, spec=spec_of(), metric="accurcy")
    with pytest.raises(_core.Error, match="folds"):
        _core.cross_validate(X, codes, spec=spec_of(), folds=1)
