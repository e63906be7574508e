"""s3gd's readers and writers as arrays, inspect, and the known datasets."""

import gc
import json
import os
import subprocess

import numpy as np
import pytest
from core_cases import sample
from s3gd import _core, _data, datasets
from scipy import sparse


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["rows.s3d", "rows.svm", "rows.csv", "rows.npz", "rows.svm.zst"])
def test_rows_come_back_as_they_were_written(name, dtype, tmp_path):
    X, codes = sample(rows=50)
    X = X.astype(dtype)
    for rows in (X, sparse.csr_matrix(X)):
        _data.save(tmp_path / name, rows, codes)
        for layout in ("dense", "sparse"):
            data = _data.load(tmp_path / name, dtype=dtype, layout=layout, cols=8)
            assert sparse.issparse(data.X) == (layout == "sparse")
            assert data.X.dtype == dtype and data.y.dtype == np.int64
            assert ((data.X.toarray() if layout == "sparse" else data.X) == X).all()
            assert (data.y == codes).all()


def test_labels_come_back_as_words_whole_or_real_numbers(tmp_path):
    X, _ = sample(rows=4, cols=2)
    for y in (["b", "a", "b", "c"], [3, 1, 1, 2], [0.5, -1.25, 3.0, 7.0]):
        _data.save(tmp_path / "rows.csv", X, y)
        assert _data.load(tmp_path / "rows.csv", dtype=np.float64).y.tolist() == y


def test_names_and_weights_come_back(tmp_path):
    X, codes = sample(rows=10, cols=2)
    weights = np.arange(1.0, 11.0)
    _data.save(tmp_path / "rows.s3d", X, codes, sample_weight=weights, feature_names=["age", "höhe"])
    data = _data.load(tmp_path / "rows.s3d")
    assert data.feature_names == ["age", "höhe"] and (data.sample_weight == weights).all()


def test_a_frame_brings_its_names(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, codes = sample(rows=10, cols=2)
    for columns, names in [(["age", "height"], ["age", "height"]), ([0, 1], [])]:
        _data.save(tmp_path / "rows.s3d", pandas.DataFrame(X, columns=columns), pandas.Series(codes))
        assert _data.load(tmp_path / "rows.s3d").feature_names == names


@pytest.mark.parametrize(("X", "y", "words"), [
    (np.ones((2, 2)) * 1j, [0, 1], "Complex data not supported: X"), (np.ones((2, 2)), [1j, 0], "Complex data not supported: y"),
    (np.ones((4, 2)), np.ones((2, 2)), r"y should be a 1d array.*\(2, 2\)"), ([[{}, 1.0]], [0], "X holds something that is no number"),
    ([["a", "b"]], [0], "could not convert string"), (np.ones(3), [0, 1, 1], "1 dimensions, expected 2"),
    (np.ones((3, 1)), [0, 1], "2.*3|3.*2")])
def test_what_is_no_table_of_numbers_is_refused(X, y, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        _data.save(tmp_path / "rows.s3d", X, y)
    with pytest.raises(ValueError, match=words):
        _data.inspect(X, y)


def test_names_weights_and_formats_that_do_not_fit_are_refused(tmp_path):
    for more, words in [({"feature_names": ["a"]}, "1 names for 8 columns"), ({"sample_weight": -np.ones(50)}, "negative"),
                        ({"sample_weight": np.full(50, np.nan)}, "not finite")]:
        X, codes = sample(rows=50)
        with pytest.raises(ValueError, match=words):
            _data.save(tmp_path / "rows.s3d", X, codes, **more)
    with pytest.raises(ValueError, match="the formats written are libsvm") as caught:
        _data.save(tmp_path / "rows.xyz", X, codes)
    assert "--" not in str(caught.value)


def test_loaded_arrays_outlive_what_loaded_them_and_are_read_only():
    X, y = _data.load("gen:manifold?rows=1000&cols=50", return_X_y=True)
    copy = X.copy()
    gc.collect()
    _data.load("gen:manifold?rows=1000&cols=50&seed=9")
    assert (X == copy).all() and not X.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        X[0, 0] = 1


def test_a_mapped_file_is_not_read_into_memory(tmp_path):
    """The array's address lies inside the mapping of the file."""
    _data.save(tmp_path / "rows.s3d", np.ones((1000, 100), np.float32), np.arange(1000) % 2)
    X = _data.load(tmp_path / "rows.s3d").X
    address = X.__array_interface__["data"][0]
    with open("/proc/self/maps") as maps:
        files = [line.split()[-1] for line in maps
                 if int(line.split("-")[0], 16) <= address < int(line.split("-")[1].split()[0], 16)]
    assert files == [str(tmp_path / "rows.s3d")]


def test_wrong_sources_say_what_is_wrong(tmp_path):
    (tmp_path / "broken.svm").write_text("1 1:2\n1 1:x\n")
    with pytest.raises(ValueError, match="broken.svm:2"):
        _data.load(tmp_path / "broken.svm")
    with pytest.raises(ValueError, match="unknown key of options 'colums'"):
        _data.load("gen:manifold?rows=10&cols=2", colums=3)
    with pytest.raises(ValueError, match="only 1 classes have a name"):
        _core.save(str(tmp_path / "a.svm"), np.ones((2, 1)), np.array([0.0, 1.0]), labels="classes", class_names=["a"])


def test_inspect_counts_what_is_there():
    X = np.array([[1.0, 0, 5], [0, 2, 5], [3, 4, 5]])
    facts = _data.inspect(X, ["yes", "no", "no"])
    assert (facts["rows"], facts["cols"], facts["nonzeros"]) == (3, 3, 7)
    assert facts["classes"] == [{"label": "no", "rows": 2}, {"label": "yes", "rows": 1}]
    assert facts["values"]["constant_columns"] == 1
    norms = [row["norm"] for row in facts["row_norms"]]
    assert norms[0] == pytest.approx(np.sqrt(26)) and norms[-1] == pytest.approx(np.sqrt(50))
    assert facts["theory"]["L"] == pytest.approx(0.25 * (50 + 1))
    assert "rows               3" in repr(facts)
    assert _data.inspect(sparse.csr_matrix(X), ["yes", "no", "no"])["theory"]["L"] == pytest.approx(12.75)


def test_inspect_of_real_labels_is_of_the_squared_loss_and_without_labels_of_the_rows_alone():
    X, _ = sample()
    assert "(w.x_i + b - y_i)^2" in _data.inspect(X, X[:, 0] * 0.37)["theory"]["objective"]
    assert _data.inspect(X)["theory"] is None
    assert "label" in _data.inspect(X, np.zeros(len(X)), loss="logistic")["theory"]["problem"]
    assert _data.inspect(X, X[:, 0] > 0, variance=True, anchors=20)["theory"]["variance_ratios"]["sgd"] == pytest.approx(1)


@pytest.mark.skipif("S3GD_PROGRAM" not in os.environ, reason="the program was not built")
def test_inspect_says_what_the_program_says(tmp_path):
    X, codes = sample(classes=3)
    _data.save(tmp_path / "rows.s3d", X, codes)
    command = [os.environ["S3GD_PROGRAM"], "inspect", tmp_path / "rows.s3d", "--json"]
    said = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    facts = json.loads(json.dumps(_data.inspect(tmp_path / "rows.s3d")), parse_constant=lambda word: None)
    differing = {"source", "seconds", "peak_memory_bytes", "checksum", "memory_bytes"}
    assert {key: facts[key] for key in facts if key not in differing} == {
        key: said[key] for key in said if key not in differing}


def test_known_datasets_are_found_where_they_lie(tmp_path, monkeypatch):
    (tmp_path / "ijcnn1").mkdir()
    X, codes = sample(rows=20)
    _data.save(tmp_path / "ijcnn1" / "train.svm", X, codes)
    monkeypatch.setenv("S3GD_DATA", str(tmp_path))
    assert "ijcnn1" in datasets.names(here=True)
    assert datasets.path("ijcnn1") == str(tmp_path / "ijcnn1" / "train.svm")
    assert datasets.load("ijcnn1", cols=8).X.shape == (20, 8)
    assert datasets.describe("ijcnn1")["cols"] == 22
    with pytest.raises(ValueError, match="no rows for tests"):
        datasets.path("ijcnn1", "test")
    with pytest.raises(ValueError, match="did you mean 'ijcnn1'"):
        datasets.path("ijcn1")
