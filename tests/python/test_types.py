"""The types say what the package does: mypy reads a user's program, and stubtest compares stubs with what is there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import s3gd

pytest.importorskip("mypy", reason="mypy is not installed: tools/setup python")

PACKAGE = Path(s3gd.__path__[0]).parent
PROGRAM = """
from pathlib import Path

import numpy as np
import s3gd

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 3))
y = (X[:, 0] > 0).astype(int)

model = s3gd.LogisticRegression(C=0.5, penalty="l1").fit(X, y)
status: str = model.summary_.status
advice: list[str] = model.summary_.advice
probabilities = model.predict_proba(X)
first: float = float(probabilities[0, 0])
accuracy: float = model.score(X, y)
last: float = float(model.trace_.train_objective[-1])
chosen: float = s3gd.LogisticRegressionCV(Cs=4, cv=[(np.arange(60), np.arange(60, 100))]).fit(X, y).C_
intercept: float = s3gd.Ridge(alpha=2.0).fit(X, X[:, 0]).intercept_


def watch(row: dict[str, object]) -> bool:
    return True


s3gd.LinearModel("smooth_hinge", solver="s3gd").fit(X, y, callback=watch)
Cs, coefs, intercepts, gaps = s3gd.logistic_path(X, y, Cs=[0.1, 1.0])
names: list[str] = s3gd.datasets.names(here=True)
data = s3gd.load("gen:manifold?rows=20&cols=3")
shape: tuple[int, ...] = data.X.shape
pair = s3gd.load("gen:manifold?rows=20&cols=3", return_X_y=True)
rows = pair[0]
s3gd.save_model(model, "a.model")
labels = s3gd.load_model("a.model").predict(X)
table = s3gd.compare(X, y, ["sgd"]).table()
version: str = s3gd.__version__
passes: int = s3gd.LinearSVC(solver="auto").fit(X, y).n_iter_
first_passes: int = int(s3gd.LogisticRegression(solver="liblinear", dual=False).fit(X, y).n_iter_[0])
s3gd.Ridge(max_iter=None, solver="cholesky", copy_X=False).set_fit_request(sample_weight=True)
alphas = s3gd.lasso_path(X, X[:, 0], alphas=5)[0]
rows_by_path = s3gd.inspect(Path("rows.csv"))["rows"]
"""
MISTAKES = {
    "s3gd.LogisticRegression(c=0.5)": "Unexpected keyword argument",
    "s3gd.LogisticRegression().fit([[0.0]])": "Missing positional argument",
    "s3gd.Ridge(alpha='strong')": "incompatible type",
    "s3gd.LogisticRegresion()": "has no attribute",
    "s3gd.LogisticRegression().summary_.status + 1": "Unsupported operand",
    "s3gd.Ridge().predict_proba([[0.0]])": "has no attribute",
    "s3gd.HuberRegressor(patience=3)": "Unexpected keyword argument",
    "s3gd.Ridge(1.0, True)": "Too many positional arguments",
    "s3gd.LogisticRegression().fit([[0.0]], [1], [1], None, None, 5)": "incompatible type",
    "s3gd.Lasso(alpha=1.0, l1_ratio=0.5)": "Unexpected keyword argument",
    "s3gd.LinearModel().predict_proba([[0.0]]).nothing": "has no attribute",
    **{f"s3gd.{name}.nothing": "has no attribute" for name in (
        "LinearSVC().n_iter_", "LogisticRegressionCV().C_", "LogisticRegressionCV().scores_", "LogisticRegressionCV().n_iter_",
        "LogisticRegression().n_iter_", "LogisticRegression().C", "HuberRegressor().outliers_", "Ridge().max_iter",
        "Ridge().intercept_", "LogisticRegression().intercept_", "LinearModel().classes_", "load_model('a').coef_",
        "load_model('a').predict([[1.0]])", "compare([[1.0]], [1.0]).folder", "load('a').y")},
}


# What nanobind makes is no function to stubtest: test_package.py compares the arguments of _core instead. The bases stand in
# for scikit-learn's; a loss or penalty may be a property that a class replaces by a word.
ALLOWED = """
s3gd\\._core\\..*
s3gd\\._types\\.(BaseEstimator|ClassifierMixin|RegressorMixin)
s3gd\\._base\\.LinearBase\\._(loss|penalty|l1_ratio)
s3gd\\._validation\\.validate_data-redefinition
"""


def mypy(words, folder):
    environment = os.environ | {"MYPYPATH": str(PACKAGE), "MYPY_CACHE_DIR": str(folder / "cache")}
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, env=environment, cwd=folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("types")


def test_a_program_of_a_user_is_right_by_strict_rules(folder):
    (folder / "program.py").write_text(PROGRAM)
    ended = mypy(["mypy", "--strict", "program.py"], folder)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_mistakes_are_seen(folder):
    lines = "\n".join(["import s3gd", *MISTAKES])
    (folder / "mistakes.py").write_text(lines + "\n")
    found = mypy(["mypy", "--strict", "mistakes.py"], folder).stdout.splitlines()
    for number, words in enumerate(MISTAKES.values(), 2):
        assert any(line.startswith(f"mistakes.py:{number}:") and words in line for line in found), (number, found)


def test_stubs_and_package_agree(folder):
    (folder / "config").write_text("[mypy]\nignore_missing_imports = true\n")  # scikit-learn has no types
    (folder / "allowed").write_text(ALLOWED)
    words = ["--ignore-missing-stub", "--mypy-config-file", "config", "--allowlist", "allowed"]
    ended = mypy(["mypy.stubtest", "s3gd", *words], folder)
    assert ended.returncode == 0, ended.stdout + ended.stderr
