"""Rows that come in parts (also with the oldest scikit-learn)."""

import numpy as np
import pytest
import s3gd
from cases import layouts, sample

X, Y, TARGETS, WEIGHTS = sample(rows=4000, cols=10)
X3, Y3, _, _ = sample(rows=4000, cols=10, classes=3)


def stream(model, rows, y, size, **first):
    for begin in range(0, rows.shape[0], size):
        model.partial_fit(rows[begin:begin + size], y[begin:begin + size], **first)
    return model


@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("model", [s3gd.LogisticRegression(), s3gd.LinearSVC(C=0.1), s3gd.LinearModel("smooth_hinge", alpha=1e-3),
                                   s3gd.LinearModel(solver="sgd", alpha=1e-3)], ids=repr)
@pytest.mark.parametrize("rows, y", [(X, Y), (X3, Y3)], ids=["two", "three"])
def test_a_stream_of_rows_ends_near_the_fit_to_all(rows, y, model, layout):
    rows = layouts(rows)[layout]
    best = type(model)(**{**model.get_params(), "solver": "auto"}).fit(rows, y).score(rows, y)
    streamed = stream(type(model)(**model.get_params()), rows, y, 200, classes=np.unique(y))
    assert streamed.summary_.iterations >= 20  # the pass is spent on steps
    assert streamed.score(rows, y) > best - 0.03
    assert streamed.weight_seen_ == pytest.approx(len(y), rel=1e-6)


@pytest.mark.parametrize("model", [s3gd.Ridge(), s3gd.Lasso(alpha=1e-3), s3gd.ElasticNet(alpha=1e-3),
                                   s3gd.LinearModel("squared_error"), s3gd.LinearModel("huber")], ids=repr)
def test_a_stream_of_targets_ends_near_the_fit_to_all(model):
    best = type(model)(**model.get_params()).fit(X, TARGETS).score(X, TARGETS)
    assert stream(model, X, TARGETS, 200).score(X, TARGETS) > best - 0.05


def test_the_penalty_is_weighed_against_all_rows_seen():
    """Many small parts: C multiplies the sum over all of them, or the penalty would hold the weights near zero."""
    fitted = s3gd.LogisticRegression(C=0.01).fit(X, Y)
    streamed = stream(s3gd.LogisticRegression(C=0.01), X, Y, 20, classes=np.unique(Y))
    assert np.linalg.norm(streamed.coef_) > 0.7 * np.linalg.norm(fitted.coef_)


def test_parts_that_lack_a_class():
    order = np.argsort(Y3[:300], kind="stable")  # parts of a single class each
    model = stream(s3gd.LogisticRegression(), X3[:300][order], Y3[:300][order], 30, classes=np.unique(Y3))
    assert model.coef_.shape == (3, 10) and np.isfinite(model.coef_).all()
    with pytest.raises(ValueError, match="'elm', which is not among the classes"):
        model.partial_fit(X3[:1], ["elm"])
    with pytest.raises(ValueError, match="not the same as on the first call"):
        model.partial_fit(X3[:1], Y3[:1], classes=["ash", "elm"])
    with pytest.raises(ValueError, match="at least 2 classes"):
        s3gd.LogisticRegression().partial_fit(X3[:1], Y3[:1])


@pytest.mark.parametrize("labels", [[0, 1], np.array([0, 1], dtype=object), np.array(["ash", 1], dtype=object), ["0", "1"]], ids=repr)
def test_labels_of_another_kind_are_refused(labels):
    for classes in (Y[:50], Y[:50].astype(object)):
        model = s3gd.LogisticRegression().partial_fit(X[:50], classes)
        with pytest.raises(ValueError, match="not among the classes|of another kind than the classes"):
            model.partial_fit(X[:2], labels)


def test_partial_fit_goes_on_from_a_fit():
    model = s3gd.LogisticRegression().fit(X[:2000], Y[:2000])
    before = model.score(X, Y)
    model.partial_fit(X[2000:], Y[2000:])
    assert model.weight_seen_ == 4000 and model.score(X, Y) > before - 0.03
    assert model.n_iter_[0] >= 1


def test_weights_count():
    light = np.where(Y == "ash", 1e-6, 1.0)
    model = s3gd.LogisticRegression().partial_fit(X, Y, sample_weight=light)
    assert (model.predict(X) == "birch").mean() > 0.95
    balanced = s3gd.LogisticRegression(class_weight={"ash": 1e-6}).partial_fit(X, Y)
    assert (balanced.predict(X) == "birch").mean() > 0.95
