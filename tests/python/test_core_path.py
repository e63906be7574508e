"""_core.paths."""

import numpy as np
import pytest
from core_cases import sample, spec_of
from s3gd import _core

TIGHT = {"tol": 1e-9}


@pytest.mark.parametrize(("task", "classes"), [("binary", 2), ("ovr", 3), ("softmax", 3)])
def test_every_point_of_a_path_is_the_fit_at_its_lambda(task, classes):
    X, codes = sample(classes=classes)
    path = _core.paths(X, codes, spec=spec_of(task, classes, penalty="l1"), options=TIGHT, lambdas=[[0.003, 0.1, 0.03]])
    outputs = 1 if task == "binary" else classes
    assert path["coef"].shape == (1, 3, outputs, 8) and path["intercept"].shape == (1, 3, outputs)
    assert path["relative_gap"].shape == path["passes"].shape == (1, 3) and path["relative_gap"].max() <= TIGHT["tol"]
    for k, strength in enumerate([0.1, 0.03, 0.003]):
        fit = _core.fit(X, codes, spec=spec_of(task, classes, strength, penalty="l1"), options=TIGHT)
        assert path["objective"][0, k] == pytest.approx(fit["summary"]["objective"], rel=1e-7)
        np.testing.assert_allclose(path["coef"][0, k], fit["coef"], atol=1e-3)


@pytest.mark.parametrize(("task", "classes"), [("binary", 2), ("softmax", 3), ("ovr", 3)])
@pytest.mark.parametrize("count", [1, 3])
def test_the_path_of_a_fold_is_that_of_its_rows(task, classes, count):
    X, codes = sample(classes=classes)
    rng = np.random.default_rng(3)
    folds = [rng.permutation(300)[:180] for _ in range(count)]
    lambdas = [[0.1 / (1 + k), 0.01] for k in range(count)]
    spec, more = spec_of(task, classes), {"options": TIGHT}
    together = _core.paths(X, codes, spec=spec, lambdas=lambdas, folds=folds, **more)
    for k, rows in enumerate(folds):
        alone = _core.paths(X[rows], codes[rows], spec=spec, lambdas=[lambdas[k]], **more)
        for name, values in together.items():
            np.testing.assert_array_equal(values[k], alone[name][0], err_msg=name)


@pytest.mark.parametrize(("lambdas", "folds", "words"), [
    ([[]], None, "lambdas is empty"), ([[0.1]] * 2, None, "1 folds and 2 lists"), ([], [], "0 folds and 0 lists"),
    ([[0.1]], [np.arange(9)] * 2, "2 folds and 1 lists"), ([[0.1], [0.1, 0.2]], [np.arange(200)] * 2, "1 and 2 lambdas"),
    ([[0.1]], "five", "no list of index arrays"), ([[0.1]], [np.arange(200.0)], "int64"), ([[0.1]], [np.arange(0)], "row"),
    ([[0.1]], [np.arange(200, 301)], "300")])
def test_wrong_grids_and_folds_are_refused(lambdas, folds, words):
    X, codes = sample()
    with pytest.raises((_core.Error, IndexError), match=words):
        _core.paths(X, codes, spec=spec_of(), lambdas=lambdas, folds=folds)


def test_a_path_that_is_cut_short_says_so():
    X, codes = sample(rows=3000)
    with pytest.raises(_core.Error, match="cut short after . of 3 fits .allow more time"):
        _core.paths(X, codes, spec=spec_of(), options={"seconds": 1e-9}, lambdas=[[0.1, 0.01, 0.001]])
