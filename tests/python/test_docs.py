"""Every example of the docstrings and of the pages about Python runs."""

import doctest
import importlib
import pkgutil
import re
import warnings
from pathlib import Path

import pytest
import s3gd

SOURCE = Path(__file__).resolve().parents[2]
MODULES = ["s3gd"] + [f"s3gd.{module.name}" for module in pkgutil.iter_modules(s3gd.__path__) if module.name != "_core"]
PUBLIC = ["LogisticRegression", "LogisticRegressionCV", "LinearSVC", "Ridge", "Lasso", "ElasticNet", "HuberRegressor", "PoissonRegressor",
          "LinearModel", "lasso_path", "enet_path", "logistic_path", "Summary", "Trace", "load", "save", "inspect"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_everything_public_has_an_example(name):
    assert ">>> " in getattr(s3gd, name).__doc__


@pytest.mark.parametrize("name", PUBLIC[:9])
def test_every_parameter_and_public_method_is_described(name):
    estimator = getattr(s3gd, name)
    parameters = estimator.__doc__.split("Parameters\n    ---")[1].split("Attributes\n    ---")[0]
    for parameter in estimator().get_params():
        assert re.search(rf"^    (\w+, )*{parameter}(, \w+)* :", parameters, re.MULTILINE), parameter
    for method in ("fit", "predict", "score", "sparsify", "densify"):
        assert getattr(estimator, method).__doc__, method


@pytest.mark.parametrize("page", ["docs/python.md", "docs/tutorial.md", "README.md"])
def test_every_block_of_a_page_runs_after_the_one_before(page, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    blocks = BLOCK.findall((SOURCE / page).read_text())
    assert blocks
    names = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"{page}, block {number}", "exec"), names)  # noqa: S102
    if page == "docs/tutorial.md":
        kept = set(names["kept"])
        assert {"complaints", "returns", "months", "orders"} <= kept  # what the made-up customers leave for
        assert (names["chosen"].predict(names["X_test"]) == names["y_test"]).mean() > 0.75
        assert (tmp_path / "customers.png").stat().st_size > 10_000
