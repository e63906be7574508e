"""Linear models on large data, trained by stratified semi-stochastic gradients.

Estimators with scikit-learn's manners over a compiled core: `LogisticRegression`, `LogisticRegressionCV`, `LinearSVC`,
`Ridge`, `Lasso`, `ElasticNet`, `HuberRegressor`, `PoissonRegressor` and `LinearModel`; `lasso_path`, `enet_path` and `logistic_path`. `load`, `save` and
`inspect` read, write and look at data; `save_model`, `load_model` and `export` keep models in files; `datasets` names
what is known; `compare` puts solvers side by side.

scikit-learn is imported when an estimator is first asked for, not before.

Examples
--------
>>> import s3gd
>>> model = s3gd.LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
>>> model.predict([[2.5]])
array([1])
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what __getattr__ below finds
    from . import datasets as datasets
    from ._compare import Comparison as Comparison, compare as compare
    from ._data import Dataset as Dataset, inspect as inspect, load as load, save as save
    from ._model import SavedModel as SavedModel, export as export, load_model as load_model, save_model as save_model
    from ._results import Summary as Summary, Trace as Trace
    from .huber import HuberRegressor as HuberRegressor
    from .linear_model import LinearModel as LinearModel
    from .logistic import LogisticRegression as LogisticRegression
    from .logistic_cv import LogisticRegressionCV as LogisticRegressionCV
    from .path import enet_path as enet_path, lasso_path as lasso_path, logistic_path as logistic_path
    from .poisson import PoissonRegressor as PoissonRegressor
    from .regression import ElasticNet as ElasticNet, Lasso as Lasso, Ridge as Ridge
    from .svm import LinearSVC as LinearSVC

    __version__: str
else:
    _HOLDS = {
        "_compare": ("Comparison", "compare"),
        "_data": ("Dataset", "inspect", "load", "save"),
        "_model": ("SavedModel", "export", "load_model", "save_model"),
        "_results": ("Summary", "Trace"),
        "huber": ("HuberRegressor",),
        "linear_model": ("LinearModel",),
        "logistic": ("LogisticRegression",),
        "logistic_cv": ("LogisticRegressionCV",),
        "path": ("enet_path", "lasso_path", "logistic_path"),
        "poisson": ("PoissonRegressor",),
        "regression": ("ElasticNet", "Lasso", "Ridge"),
        "svm": ("LinearSVC",),
    }
    _HOME = {name: module for module, names in _HOLDS.items() for name in names}

    __all__ = sorted([*_HOME, "datasets"])

    def __getattr__(name):
        from importlib import import_module

        if name == "datasets":
            value = import_module(f"{__name__}.{name}")
        elif name in _HOME:
            value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        elif name == "__version__":
            value = import_module(f"{__name__}._core").version
        else:
            raise AttributeError(f"module 's3gd' has no attribute {name!r}")
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__, "__version__"})
