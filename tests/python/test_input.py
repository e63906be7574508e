"""What estimators take, what they refuse and in which words (also with the oldest scikit-learn)."""

import subprocess
import sys

import numpy as np
import pytest
import s3gd
from cases import sample
from scipy import sparse

X, Y, TARGETS, WEIGHTS = sample(classes=3)
CLASSIFIERS = [s3gd.LogisticRegression(), s3gd.LinearSVC(), s3gd.LinearModel(), s3gd.LogisticRegressionCV(Cs=2, cv=2)]
REGRESSORS = [s3gd.Ridge(), s3gd.Lasso(), s3gd.ElasticNet(), s3gd.LinearModel("squared_error"), s3gd.HuberRegressor()]
ALL = CLASSIFIERS + REGRESSORS


def y_for(model):
    return Y if model in CLASSIFIERS else TARGETS


def with_entry(value):
    rows = X.copy()
    rows[3, 2] = value
    return rows


BAD = {
    "NaN": (lambda y: (with_entry(np.nan), y), "NaN"),
    "infinity": (lambda y: (with_entry(np.inf), y), "infinity"),
    "sparse NaN": (lambda y: (sparse.csr_matrix(with_entry(np.nan)), y), "NaN"),
    "one dimension": (lambda y: (X[:, 0], y), "Expected 2D array"),
    "three dimensions": (lambda y: (X[:, :, None], y), "dim 3"),
    "no rows": (lambda y: (X[:0], y[:0]), "0 sample"),
    "no columns": (lambda y: (X[:, :0], y), r"0 feature\(s\)"),
    "complex": (lambda y: (X + 1j, y), "[Cc]omplex data not supported"),
    "words": (lambda y: (np.full(X.shape, "word"), y), "could not convert string to float|convert bytes/strings"),
    "too few labels": (lambda y: (X, y[:-1]), "inconsistent numbers of samples"),
    "labels of two columns": (lambda y: (X, np.column_stack([y, y])), "y should be a 1d array"),
    "no labels": (lambda y: (X, None), "requires y to be passed"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("model", ALL, ids=repr)
def test_bad_rows_and_labels_are_refused_in_scikit_learns_words(model, name):
    make, words = BAD[name]
    with pytest.raises(ValueError, match=words):
        model.fit(*make(y_for(model)))


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_bad_weights_are_refused(model):
    negative, zero = WEIGHTS.copy(), np.zeros_like(WEIGHTS)
    negative[0] = -1
    for weights, words in [(negative, "[Nn]egative"), (zero, "zero"), (WEIGHTS[:-1], "shape"),
                           (np.full(len(X), np.nan), "NaN"), (np.full(len(X), "heavy"), "heavy")]:
        with pytest.raises(ValueError, match=words):
            model.fit(X, y_for(model), sample_weight=weights)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_bad_classes_are_refused(model):
    with pytest.raises(ValueError, match="at least 2 classes.*only one class: .*ash"):
        model.fit(X, np.full(len(X), "ash"))
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, TARGETS)
    with pytest.raises(ValueError, match="No row of the class 'ash' has a positive weight"):
        model.fit(X, Y, sample_weight=(Y != "ash").astype(float))


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_targets_that_are_no_numbers_are_refused(model):
    for bad, words in [(np.nan, "NaN"), (np.inf, "infinity")]:
        y = TARGETS.copy()
        y[5] = bad
        with pytest.raises(ValueError, match=words):
            model.fit(X, y)
    with pytest.raises(ValueError, match="could not convert string|dtype"):
        model.fit(X, Y)


@pytest.mark.parametrize("model, words", [
    (s3gd.LogisticRegression(C=0), "C must be larger than 0; got 0"),
    (s3gd.LogisticRegression(C="one"), "C must be a number; got 'one'"),
    (s3gd.LogisticRegression("l3"), "penalty must be one of .*; got 'l3'"),
    (s3gd.LogisticRegression("elasticnet", l1_ratio=None), "elasticnet needs l1_ratio"),
    (s3gd.LogisticRegression(l1_ratio=2), "l1_ratio must be at most 1; got 2"),
    (s3gd.LogisticRegression(tol=0), "tol must be larger than 0"),
    (s3gd.LogisticRegression(max_iter=0), "max_iter must be at least 1"),
    (s3gd.LogisticRegression(max_iter=np.inf), "max_iter must be at most"),
    (s3gd.LogisticRegression(n_jobs=0), "n_jobs must not be 0"),
    (s3gd.LogisticRegression(n_jobs=1.5), "n_jobs must be a whole number; got 1.5"),
    (s3gd.LogisticRegression(verbose=-1), "verbose must be at least 0"),
    (s3gd.LogisticRegression(verbose="yes"), "verbose must be a number; got 'yes'"),
    (s3gd.LogisticRegression(fit_intercept="yes"), "fit_intercept must be True or False; got 'yes'"),
    (s3gd.LogisticRegression(trace=None), "trace must be True or False; got None"),
    (s3gd.LogisticRegression(solver=None), "solver must be the name of one; got None"),
    (s3gd.LinearModel("squared_hinge", penalty="group"), "'group' is one of softmax and goes with loss='log_loss'"),
    (s3gd.LogisticRegression(solver="newtn"), "no solver 'newtn'"),
    (s3gd.LogisticRegression(solver="liblinear"), "for two classes; got 3.*LinearModel.*intercept='regularised'"),
    (s3gd.LogisticRegression(intercept_scaling=0), "intercept_scaling must be larger than 0"),
    (s3gd.LinearSVC(multi_class="crammer_singer"), "multi_class='ovr'; got 'crammer_singer'"),
    (s3gd.LinearSVC(solver="newtn"), "newtn.*newton"),
    (s3gd.LogisticRegression(class_weight="fair"), "class_weight .* got 'fair'"),
    (s3gd.LogisticRegression(class_weight=5), "class_weight .* got 5"),
    (s3gd.LogisticRegression(class_weight=[1, 2]), r"class_weight .* got \[1, 2\]"),
    (s3gd.LinearSVC(class_weight={"ash": 0.0}), "No row of the class 'ash' has a positive weight"),
    (s3gd.LogisticRegression(class_weight={"elm": 2.0}), r"\['elm'\], of class_weight are not in the data"),
    (s3gd.LinearSVC(loss="hinge"), "smooth_hinge"),
    (s3gd.LinearSVC(intercept="none"), "intercept must be one of"),
    (s3gd.LinearModel(multi_class="softmax", loss="squared_hinge"), "goes with loss='log_loss'"),
    (s3gd.LinearModel(step=-1.0), "step must be larger than 0"),
    (s3gd.LinearModel(alpha=np.inf), "alpha must be at most 1e.300; got inf"),
    (s3gd.LinearModel(batch=2.5), "batch must be a whole number; got 2.5"),
    (s3gd.LinearModel(batch=0), "batch must be at least 1; got 0"),
    (s3gd.LinearModel(anchors="many"), "anchors must be a number; got 'many'"),
    (s3gd.LinearModel(neighbours=0), "neighbours must be at least 1"),
    (s3gd.LinearModel(graph_mode="none"), "graph.mode 'none'"),
    (s3gd.LinearModel(penalty_factor=[1.0, 2.0]), "2.*8"),
    (s3gd.LogisticRegressionCV(penalty="l3"), "penalty must be one of"),
    (s3gd.LogisticRegressionCV(penalty="elasticnet"), "elasticnet needs l1_ratios"),
    (s3gd.LogisticRegressionCV(use_legacy_attributes=True), "use_legacy_attributes=False; got True"),
    (s3gd.LogisticRegressionCV(solver="liblinear", intercept_scaling=2.0), "intercept_scaling is 1"),
    (s3gd.LogisticRegressionCV(Cs=[-1.0]), "Cs must be larger than 0"),
    (s3gd.LogisticRegressionCV(Cs=2.5), "Cs must be a whole number; got 2.5"),
    (s3gd.LogisticRegressionCV(Cs=[1.0, np.inf]), "Cs must be finite.*C=np.inf"),
    (s3gd.LogisticRegressionCV(l1_ratios=[3.0]), "l1_ratios must be at most 1"),
], ids=lambda value: repr(value) if not isinstance(value, str) else "")
def test_bad_parameters_are_refused_in_one_sentence(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y)


@pytest.mark.parametrize("model", [s3gd.Ridge(positive=True), s3gd.Lasso(positive=True), s3gd.ElasticNet(positive=True)], ids=repr)
def test_weights_of_one_sign_are_refused(model):
    with pytest.raises(ValueError, match="positive must be False; got True"):
        model.fit(X, TARGETS)


def test_penalties_of_a_matrix_need_more_than_two_classes():
    two = sample()
    for penalty in ("group", "nuclear"):
        with pytest.raises(ValueError, match="more than two classes"):
            s3gd.LogisticRegression(penalty).fit(two[0], two[1])
    model = s3gd.LogisticRegression("group", C=0.04).fit(X, Y)
    used = (model.coef_ != 0).any(axis=0)
    assert 0 < used.sum() < X.shape[1]  # a feature serves all classes or none
    assert (model.coef_[:, used] != 0).all()
    assert np.linalg.matrix_rank(s3gd.LogisticRegression("nuclear", C=0.018).fit(X, Y).coef_, tol=1e-8) == 1


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_the_layout_of_the_rows_does_not_matter(model):
    y = y_for(model)
    expected = model.fit(X, y).coef_.copy()
    spread = np.zeros((len(X), 2 * X.shape[1]))
    spread[:, ::2] = X
    padded = np.zeros((len(X), X.shape[1] + 3))
    padded[:, :X.shape[1]] = X
    csr = sparse.csr_matrix(X)
    wide = sparse.csr_matrix((csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)), X.shape)
    unsorted = csr.copy()
    for i in range(len(X)):
        row = slice(unsorted.indptr[i], unsorted.indptr[i + 1])
        unsorted.data[row], unsorted.indices[row] = csr.data[row][::-1], csr.indices[row][::-1]
    unsorted.has_sorted_indices = False
    before = unsorted.indices.copy()
    for rows in (np.asfortranarray(X), spread[:, ::2], padded[:, :X.shape[1]], X.tolist(), csr, csr.tocsc(), csr.tocoo(), wide,
                 unsorted, sparse.csr_array(X), X[::-1][::-1]):
        coef = model.fit(rows, y).coef_
        np.testing.assert_allclose(coef, expected, atol=1e-7 * np.abs(expected).max())
    np.testing.assert_array_equal(unsorted.indices, before)  # what is the user's stays as it is


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_float32_and_integers(model):
    y = y_for(model)
    whole = np.round(3 * X)
    expected = model.fit(whole, y).coef_.copy()
    for rows in (whole.astype(np.float32), whole.astype(int), sparse.csr_matrix(whole.astype(np.float32))):
        np.testing.assert_allclose(model.fit(rows, y).coef_, expected, atol=1e-6 * np.abs(expected).max())
    assert model.predict(whole.astype(np.float32)).tolist() == pytest.approx(model.predict(whole).tolist())


@pytest.mark.parametrize("labels", [[True, False], [-1, 1], [3.0, 7.0], ["yes", "no"], np.array([2, 5], dtype=np.int8)])
def test_labels_of_any_kind_come_back(labels):
    two, codes, _, _ = sample()
    y = np.asarray(labels)[(codes == "ash").astype(int)]
    model = s3gd.LogisticRegression().fit(two, y)
    assert model.classes_.tolist() == sorted(labels)
    assert model.predict(two).dtype == y.dtype and (model.predict(two) == y).mean() > 0.6


def shifted(values):
    """The same numbers at an address that is no multiple of their size."""
    there = np.frombuffer(bytearray(values.nbytes + 1), dtype=values.dtype, offset=1, count=values.size).reshape(values.shape)
    there[...] = values
    assert not there.flags.aligned
    return there


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_that_lie_anywhere_and_fields_of_records(dtype):
    rows = X.astype(dtype)
    records = np.zeros(len(X), dtype=[("tag", "i2"), ("x", dtype, X.shape[1:]), ("y", "f8"), ("w", "f8")])
    records["x"], records["y"], records["w"] = X, TARGETS, WEIGHTS
    csr, moved = sparse.csr_matrix(rows), sparse.csr_matrix(rows)
    moved.data = shifted(csr.data)
    expected = s3gd.Ridge().fit(rows, TARGETS, WEIGHTS)
    for x in (shifted(rows), records["x"], rows.astype(rows.dtype.newbyteorder()), csr, moved):
        model = s3gd.Ridge().fit(x, records["y"], records["w"])
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6)
        np.testing.assert_allclose(model.predict(x), expected.predict(rows), rtol=1e-6)
    np.testing.assert_allclose(s3gd.Ridge().fit(rows, shifted(TARGETS), shifted(WEIGHTS)).coef_, expected.coef_, rtol=1e-6)


def test_memory_maps_and_read_only_arrays(tmp_path):
    for dtype in (np.float32, np.float64):
        np.save(tmp_path / "rows.npy", X.astype(dtype))
        mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
        model = s3gd.LogisticRegression().fit(mapped, Y)
        np.testing.assert_array_equal(model.coef_, s3gd.LogisticRegression().fit(X.astype(dtype), Y).coef_)


def test_data_frames_give_names():
    pandas = pytest.importorskip("pandas")
    names = [f"feature {j}" for j in range(X.shape[1])]
    frame = pandas.DataFrame(X, columns=names)
    model = s3gd.LogisticRegression().fit(frame, pandas.Series(Y))
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.coef_, s3gd.LogisticRegression().fit(X, Y).coef_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[names[::-1]])


def test_sparse_indices_out_of_range_are_refused():
    broken = sparse.csr_matrix(X)
    broken.indices = broken.indices.copy()
    broken.indices[-1] = X.shape[1] + 5
    for rows in ({"X": broken, "y": Y}, {"X": X, "y": Y, "X_val": broken, "y_val": Y}):
        with pytest.raises(ValueError, match="column|indices"):
            s3gd.LogisticRegression().fit(**rows)


MEMORY = """
import resource, sys
import numpy as np
from scipy import sparse
import s3gd
from s3gd import linear_model  # everything is imported before memory is looked at
rows, cols = 120_000, 100
y = (np.arange(rows) % 2).astype(int)
if sys.argv[1] == "dense":
    X = np.random.default_rng(0).random((rows, cols), dtype=np.float32)
    size = X.nbytes
else:
    rng = np.random.default_rng(0)
    columns = np.tile(np.arange(0, 1000, 10), rows).astype(np.int64)
    X = sparse.csr_matrix((rng.random(len(columns), dtype=np.float32), columns,
                           np.arange(0, len(columns) + 1, 100, dtype=np.int64)), (rows, 1000))
    size = X.data.nbytes + X.indices.nbytes
model = s3gd.LinearModel(solver="sgd", max_iter=1, tol=1.0, n_jobs=1)
model.fit(X[:100].copy(), y[:100])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.fit(X, y)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / size)
"""


@pytest.mark.parametrize("layout", ["dense", "csr"])
def test_float32_rows_are_not_copied(layout):
    """Peak memory grows by a part of the rows only: labels, weights and what scikit-learn's check for NaN needs."""
    grown = float(subprocess.run([sys.executable, "-c", MEMORY, layout], check=True, capture_output=True, text=True).stdout)
    assert grown < 0.5


def test_import_is_quick_to_its_feet():
    """Neither scikit-learn nor SciPy is imported before an estimator is asked for."""
    code = "import sys, s3gd; print([m for m in ('sklearn', 'scipy', 'pandas', 'matplotlib') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert told.strip() == "[]"
    code = "import s3gd; print(s3gd.Ridge, 'Ridge' in dir(s3gd)); s3gd.Rigde"
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "True" in failed.stdout and "has no attribute 'Rigde'" in failed.stderr


@pytest.mark.parametrize("y", [np.array([5, 3, 3, 9, 5]), np.array([2, -7, 2, 2]), np.array([True, False, True]),
                               np.array([200, 3, 200], dtype=np.uint8), np.array([0, 10**6, 0]), np.array([1.0, 3.0, 1.0]),
                               np.array([-128, 127, 0], dtype=np.int8), np.array([2**63, 2**63 + 1], dtype=np.uint64)], ids=repr)
def test_classes_are_numbered_as_by_sorting(y):
    from s3gd._validation import checked_classes

    classes, codes = checked_classes(y)
    expected, numbers = np.unique(y, return_inverse=True)
    assert classes.dtype == y.dtype and classes.tolist() == expected.tolist() and codes.tolist() == numbers.tolist()


def test_what_the_library_refuses_is_said_with_the_names_of_python():
    X, y = np.eye(6), [0, 1] * 3
    with pytest.raises(ValueError, match="dual needs sparse rows; these 6 x 6 rows are dense.*use solver='auto', 'active-set', 'newton'") as caught:
        s3gd.LinearModel(solver="dual", penalty="l1").fit(X, y)
    assert "--" not in str(caught.value) and caught.value.code == "do_not_go" and caught.value.option == "solver"
    for model, words in ((s3gd.LinearModel(solver="newton", batch=3), "batch changes nothing with solver='newton'"),
                         (s3gd.LinearModel(beta=3.0), "beta changes nothing with loss='logistic'")):
        with pytest.raises(ValueError, match=words) as caught:
            model.fit(X, y)
        assert caught.value.code == "idle_option"
    with pytest.raises(ValueError, match="y_val contains the class 7"):
        s3gd.LogisticRegression().fit(X, y, X_val=X[:1], y_val=[7])
    with pytest.raises(ValueError, match="one at least"):
        s3gd.LogisticRegressionCV(Cs=[]).fit(X, y)
