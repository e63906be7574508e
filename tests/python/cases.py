"""Rows and labels for the tests of the estimators."""

import inspect

import numpy as np
from scipy import sparse
from sklearn import linear_model


def sample(rows=240, cols=8, classes=2, seed=0):
    """Rows with many zeros, classes that overlap, real targets and uneven weights (some of them 0)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)) * (rng.random((rows, cols)) < 0.7)
    codes = (X @ rng.normal(size=(cols, classes)) + 1.5 * rng.gumbel(size=(rows, classes))).argmax(axis=1)
    targets = X @ (rng.normal(size=cols) * (rng.random(cols) < 0.6)) + 2.0 + 0.5 * rng.normal(size=rows)
    weights = rng.uniform(0.2, 3.0, size=rows) * (rng.random(rows) < 0.9)
    return X, np.array(["ash", "birch", "cedar", "daphne"])[codes], targets, weights


def layouts(X):
    return {"dense": X, "csr": sparse.csr_matrix(X)}


def reference_logistic(l1_ratio=0.0, C=1.0, **more):
    """scikit-learn's logistic regression at a tight tolerance, whichever way its version states the penalty."""
    smooth = l1_ratio == 0 or C == np.inf
    solver = {"solver": "newton-cg", "tol": 1e-12, "max_iter": 5000} if smooth else \
             {"solver": "saga", "tol": 1e-11, "max_iter": 500_000, "random_state": 0}
    if inspect.signature(linear_model.LogisticRegression).parameters["penalty"].default == "deprecated":
        return linear_model.LogisticRegression(C=C, l1_ratio=l1_ratio, **solver, **more)
    if C == np.inf:
        return linear_model.LogisticRegression(penalty=None, **solver, **more)
    penalty = {0.0: "l2", 1.0: "l1"}.get(l1_ratio, "elasticnet")
    ratio = {"l1_ratio": l1_ratio} if penalty == "elasticnet" else {}
    return linear_model.LogisticRegression(penalty=penalty, C=C, **ratio, **solver, **more)
