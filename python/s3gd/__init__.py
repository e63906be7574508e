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

_HOME = {
    "LogisticRegression": "logistic",
    "LogisticRegressionCV": "logistic_cv",
    "LinearSVC": "svm",
    "Ridge": "regression",
    "Lasso": "regression",
    "ElasticNet": "regression",
    "HuberRegressor": "huber",
    "PoissonRegressor": "poisson",
    "LinearModel": "linear_model",
    "lasso_path": "path",
    "enet_path": "path",
    "logistic_path": "path",
    "load": "_data",
    "save": "_data",
    "inspect": "_data",
    "Dataset": "_data",
    "save_model": "_model",
    "load_model": "_model",
    "export": "_model",
    "SavedModel": "_model",
    "compare": "_compare",
    "Comparison": "_compare",
    "Summary": "_results",
    "Trace": "_results",
}

_MODULES = ("datasets",)

__all__ = sorted([*_HOME, *_MODULES])


def __getattr__(name):
    from importlib import import_module

    if name in _MODULES:
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
    return sorted({*globals(), *_HOME, *_MODULES, "__version__"})
