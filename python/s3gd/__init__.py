"""Linear models on large data, trained by stratified semi-stochastic gradients.

Estimators with scikit-learn's manners over a compiled core: `LogisticRegression`, `LogisticRegressionCV`, `LinearSVC`,
`Ridge`, `Lasso`, `ElasticNet` and `LinearModel`; `lasso_path`, `enet_path` and `logistic_path`.

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
    "LinearModel": "linear_model",
    "lasso_path": "path",
    "enet_path": "path",
    "logistic_path": "path",
    "Summary": "_results",
    "Trace": "_results",
}

__all__ = sorted(_HOME)


def __getattr__(name):
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 's3gd' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_HOME))
