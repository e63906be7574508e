"""Samples, and the objective written plainly in NumPy, for the tests of _core."""

import numpy as np
from scipy import sparse
from scipy.special import expit, logsumexp, softmax


def sample(rows=300, cols=8, classes=2, seed=0):
    """Rows, and class codes that depend on them but are not separable."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)) * (rng.random((rows, cols)) < 0.7)
    scores = X @ rng.normal(size=(cols, classes)) + 1.5 * rng.gumbel(size=(rows, classes))
    return X, scores.argmax(axis=1).astype(np.float64)


def csr_parts(X, dtype=np.float64, index=np.int32):
    matrix = sparse.csr_matrix(X.astype(dtype))
    return matrix.data, matrix.indices.astype(index), matrix.indptr.astype(index), X.shape[1]


def spec_of(task="binary", classes=2, strength=1e-2, **more):
    return {"task": task, "n_classes": classes, "lambda": strength} | more


SLOPES = {
    "logistic": lambda u, y: -y * expit(-y * u),
    "squared": lambda u, y: 2 * (u - y),
    "squared-hinge": lambda u, y: -y * np.maximum(0, 1 - y * u),
    "smooth-hinge": lambda u, y: -y * expit(-10 * (y * u - 1)),
}


def loss_gradient(X, y, q, coef, intercept, loss):
    """Of sum_i q_i psi(w.x_i + b, y_i): by the weights and by the intercept."""
    slopes = q * SLOPES[loss](X @ coef + intercept, y)
    return X.T @ slopes, slopes.sum()


def softmax_gradient(X, codes, q, coef, intercept):
    probabilities = softmax(X @ coef.T + intercept, axis=1)
    slopes = q[:, None] * (probabilities - np.eye(len(intercept))[codes.astype(int)])
    return slopes.T @ X, slopes.sum(axis=0)


def softmax_loss(X, codes, coef, intercept):
    scores = X @ coef.T + intercept
    return np.mean(logsumexp(scores, axis=1) - scores[np.arange(len(X)), codes.astype(int)])
