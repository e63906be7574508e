"""s3gd.compare: solvers side by side on arrays."""

import json

import numpy as np
import pytest
import s3gd
from core_cases import sample

PROTOCOL = {"steps": ["1x"], "trials": 2, "iterations": 600, "tail": 100}


@pytest.fixture(scope="module")
def result():
    X, codes = sample(rows=400, cols=5)
    return s3gd.compare(X, codes, ["sgd", "s3gd:anchors=10,label=ten anchors", "auto"], lambda_=1e-2, **PROTOCOL)


def test_every_solver_is_in_the_table_and_the_optimum_is_below_all(result):
    rows = result.table()
    assert sorted(row["solver"] for row in rows) == ["auto", "sgd", "ten anchors"]
    optimum = result.run["datasets"][0]["optimum"]
    assert all(row["objective"] >= optimum * (1 - 1e-6) for row in rows)
    assert result.run["protocol"]["lambda"] == 1e-2 and result.run["protocol"]["trials"] == 2
    assert "ten anchors" in repr(result)


@pytest.mark.parametrize(("x", "y"), [("cpu_seconds", "objective"), ("passes", "test_objective")])
def test_a_plot_has_a_curve_for_each_solver(result, x, y):
    ax = result.plot(x=x, y=y)
    assert sorted(line.get_label() for line in ax.get_lines()) == ["auto", "sgd", "ten anchors"]
    for line in ax.get_lines():
        assert len(line.get_xdata()) > 1 and np.isfinite(line.get_ydata()).all()
    first = ax.get_lines()[0].get_ydata()
    assert first[-1] < first[0]


def test_the_report_is_one_page(result, tmp_path):
    page = (result.report(tmp_path / "page.html")).read_text()
    assert page.lower().startswith("<!doctype html>") and "ten anchors" in page


def test_a_folder_keeps_its_files_and_test_rows_are_used(tmp_path):
    X, codes = sample(rows=300, cols=4)
    s3gd.compare(X[:200], codes[:200], ["sgd"], X_test=X[200:], y_test=codes[200:], folder=tmp_path, **PROTOCOL)
    run = json.loads((tmp_path / "run.json").read_text())
    assert run["datasets"][0]["rows"] == 200 and run["datasets"][0]["test_rows"] == 100


def test_a_callback_sees_progress_and_what_it_raises_is_raised():
    X, codes = sample(rows=200, cols=3)

    def fail(row):
        raise LookupError(row["doing"])

    with pytest.raises(LookupError):
        s3gd.compare(X, codes, ["sgd"], callback=fail, **PROTOCOL)
    with pytest.raises(ValueError, match="s4gd"):
        s3gd.compare(X, codes, ["s4gd"], **PROTOCOL)


def test_what_cannot_be_compared_or_drawn_is_refused():
    X, codes = sample(rows=200, cols=3)
    with pytest.raises(ValueError, match="go together"):
        s3gd.compare(X, codes, ["sgd"], X_test=X, **PROTOCOL)
    result = s3gd.compare(X, codes, "sgd", **PROTOCOL)
    assert [row["solver"] for row in result.table()] == ["sgd"]
    with pytest.raises(ValueError, match="x is one of cpu_seconds.*got 'hours'"):
        result.plot(x="hours")
    with pytest.raises(ValueError, match="no correlation to draw.*gradients=True"):
        result.plot(y="correlation")
