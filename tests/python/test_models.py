"""Models in files: Python and the program agree, both ways. Also with the oldest scikit-learn."""

import json
import os
import pickle
import subprocess

import numpy as np
import pytest
import s3gd
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import make_classification, make_regression

PROGRAM = os.environ.get("S3GD_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="S3GD_PROGRAM does not name the program")


def sample(classes=3, labels=None, dtype=np.float64):
    X, y = make_classification(500, 8, n_informative=6, n_classes=classes, class_sep=0.7, random_state=classes)
    return X.astype(dtype), y if labels is None else np.array(labels)[y]


def program(*words):
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout


def predicted_by_program(model, X, folder, *more):
    """One line for each row, from rows that keep every bit."""
    file = folder / "rows.npy"
    np.save(file, X)
    return program("predict", model, file, "--precision", "double", "--quiet", "-o", "-", *more).splitlines()


def margins_by_program(model, X, folder):
    return np.array([line.split() for line in predicted_by_program(model, X, folder, "--margin")], dtype=float)


CASES = [
    (s3gd.LogisticRegression(), 2, ["no", "yes"]),
    (s3gd.LogisticRegression(penalty="l1", C=0.1), 3, ["b", "a", "c d"]),
    (s3gd.LogisticRegression(penalty="nuclear", C=0.1), 4, None),
    (s3gd.LogisticRegressionCV(Cs=3), 3, [-1, 0, 7]),
    (s3gd.LinearSVC(), 2, [False, True]),
    (s3gd.LinearSVC(intercept_scaling=3.0), 3, None),
    (s3gd.LinearModel("smooth_hinge", penalty="elasticnet"), 3, [1.0, 2.0, 3.0]),
    (s3gd.LinearModel(multi_class="ovr"), 3, None),
    (s3gd.LinearModel(penalty="l1_l2norm"), 2, None),
]


@pytest.mark.parametrize(("estimator", "classes", "labels"), CASES)
def test_a_saved_classifier_predicts_what_the_estimator_does(estimator, classes, labels, tmp_path):
    X, y = sample(classes, labels)
    model = clone(estimator).fit(X, y)
    model.save(tmp_path / "a.model")
    saved = s3gd.load_model(tmp_path / "a.model")
    assert is_classifier(saved) and saved.classes_.tolist() == model.classes_.tolist()
    assert (saved.coef_ == model.coef_).all() and (saved.intercept_ == model.intercept_).all()
    assert (saved.predict(X) == model.predict(X)).all() and saved.score(X, y) == model.score(X, y)
    np.testing.assert_allclose(saved.decision_function(X), model.decision_function(X), rtol=1e-12, atol=1e-13)
    assert hasattr(saved, "predict_proba") == hasattr(model, "predict_proba")
    if hasattr(saved, "predict_proba"):
        np.testing.assert_allclose(saved.predict_proba(X), model.predict_proba(X), rtol=1e-11, atol=1e-14)
    assert saved.facts_["objective"] == (model.summary_.objective)


@needs_program
@pytest.mark.parametrize(("estimator", "classes", "labels"), CASES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_program_predicts_what_python_does_to_the_last_bit(estimator, classes, labels, dtype, tmp_path):
    X, y = sample(classes, labels, dtype)
    file = tmp_path / "a.model"
    model = clone(estimator).fit(X, y)
    model.save(file)
    saved = s3gd.load_model(file)
    expected = [str(label) for label in saved.predict(X).tolist()]
    assert predicted_by_program(file, X, tmp_path) == expected
    assert (model.predict(X) == saved.predict(X)).all()
    assert (margins_by_program(file, X, tmp_path) == saved.decision_function(X).reshape(len(X), -1)).all()
    if hasattr(saved, "predict_proba") and len(saved.classes_) > 2:
        shares = [line.split() for line in predicted_by_program(file, X, tmp_path, "--proba")]
        assert (np.array(shares, dtype=float) == saved.predict_proba(X)).all()


@needs_program
@pytest.mark.parametrize("train", [
    ["--loss", "logistic"], ["--multiclass", "softmax"], ["--multiclass", "ovr", "--loss", "squared-hinge"],
    ["--loss", "squared-hinge", "--multiclass", "ovr", "--calibrate", "0.3"], ["--scale", "unit-rows"], ["--scale", "standard"]])
def test_python_predicts_what_the_program_does_to_the_last_bit(train, tmp_path):
    X, y = sample(3, ["x", "y", "z"])
    data, file = tmp_path / "rows.s3d", tmp_path / "m.model"
    s3gd.save(data, X, y, feature_names=[f"f{j}" for j in range(8)])
    program("train", data, "--precision", "double", "-o", file, "--quiet", *train)
    saved = s3gd.load_model(file)
    assert saved.feature_names_in_.tolist() == [f"f{j}" for j in range(8)]
    with pytest.warns(UserWarning, match="feature names"):
        labels = saved.predict(X)
    assert labels.tolist() == predicted_by_program(file, X, tmp_path)
    with pytest.warns(UserWarning, match="feature names"):
        margins = saved.decision_function(X)
    assert (margins.reshape(len(X), -1) == margins_by_program(file, X, tmp_path)).all()


def test_a_regression_goes_to_a_file_and_back(tmp_path):
    X, y = make_regression(200, 6, noise=3.0, random_state=0)
    model = s3gd.ElasticNet(alpha=0.1).fit(X, y)
    s3gd.save_model(model, tmp_path / "r.model")
    saved = s3gd.load_model(tmp_path / "r.model")
    assert is_regressor(saved) and saved.intercept_ == model.intercept_ and (saved.coef_ == model.coef_).all()
    np.testing.assert_allclose(saved.predict(X), model.predict(X), rtol=1e-12, atol=1e-12)
    assert saved.score(X, y) == pytest.approx(model.score(X, y), rel=1e-12)
    if PROGRAM:
        assert (np.array(predicted_by_program(tmp_path / "r.model", X, tmp_path), dtype=float) == saved.predict(X)).all()


def test_a_saved_model_is_pickled_cloned_and_saved_again(tmp_path):
    X, y = sample()
    s3gd.LogisticRegression().fit(X, y).save(tmp_path / "a.model")
    saved = s3gd.load_model(tmp_path / "a.model")
    for other in (pickle.loads(pickle.dumps(saved)), clone(saved)):
        assert (other.predict(X) == saved.predict(X)).all()
    saved.save(tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()


@pytest.mark.parametrize(("estimator", "classes"), [
    (s3gd.LogisticRegression(C=0.3), 3), (s3gd.LogisticRegression(l1_ratio=0.4, C=0.3), 2), (s3gd.LinearSVC(C=0.1, intercept="free"), 2),
    (s3gd.Lasso(alpha=0.01), 0)])
def test_fitting_goes_on_from_a_file(estimator, classes, tmp_path):
    """The same objective: nothing is left to do, and the optimum of a fresh fit is the same."""
    X, y = sample(classes) if classes else make_regression(200, 6, noise=3.0, random_state=0)
    model = estimator.set_params(tol=1e-10).fit(X, y)
    model.save(tmp_path / "a.model")
    more = s3gd.load_model(tmp_path / "a.model").to_estimator(tol=1e-10)
    assert (more.predict(X) == model.predict(X)).all()
    more.fit(X, y)
    assert more.summary_.objective == pytest.approx(model.summary_.objective, rel=1e-9)
    np.testing.assert_allclose(more.coef_, model.coef_, rtol=1e-3, atol=1e-4)


def test_every_export_is_written(tmp_path):
    from s3gd import _core

    X, y = sample(2)
    model = s3gd.LogisticRegression().fit(X, y)
    formats = set(_core.export_formats())
    assert {"onnx", "liblinear", "c", "json", "vw"} <= formats
    for name in formats:
        remarks = s3gd.export(model, tmp_path / f"m.{name}", format=name)
        assert (tmp_path / f"m.{name}").stat().st_size > 50 and all(isinstance(line, str) for line in remarks)
    assert json.loads((tmp_path / "m.json").read_text())["outputs"][0]["values"] == model.coef_[0].tolist()
    if PROGRAM:
        model.save(tmp_path / "m.model")
        (tmp_path / "by").mkdir()
        for name in formats:
            program("export", tmp_path / "m.model", "--format", name, "-o", tmp_path / "by" / f"m.{name}", "--quiet")
            assert (tmp_path / "by" / f"m.{name}").read_bytes() == (tmp_path / f"m.{name}").read_bytes()


def test_what_cannot_be_saved_is_said(tmp_path):
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import LogisticRegression

    X, y = sample(2)
    with pytest.raises(NotFittedError):
        s3gd.LogisticRegression().save(tmp_path / "m")
    with pytest.raises(ValueError, match="no estimator of s3gd"):
        s3gd.save_model(LogisticRegression().fit(X, y), tmp_path / "m")
    with pytest.raises(ValueError, match="onxx"):
        s3gd.export(s3gd.LogisticRegression().fit(X, y), tmp_path / "m", format="onxx")
    with pytest.raises(ValueError, match="no-such"):
        s3gd.load_model(tmp_path / "no-such.model")
    (tmp_path / "m").write_text("not a model")
    with pytest.raises(ValueError, match="model"):
        s3gd.load_model(tmp_path / "m")
    saved = s3gd.LogisticRegression().fit(X, y)
    saved.save(tmp_path / "m")
    with pytest.raises(ValueError, match="8 features"):
        s3gd.load_model(tmp_path / "m").predict(X[:, :3])
    with pytest.raises(ValueError, match="NaN"):
        s3gd.load_model(tmp_path / "m").predict(np.full((1, 8), np.nan))
