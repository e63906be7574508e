"""Regularisation paths: one problem at many strengths of its penalty, each fitted from where the last one ended."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array, check_X_y

from ._data import core_numbers
from ._objective import multiplier_of_alpha
from ._types import ClassWeight, Floats, Labels, Rows, Weights
from ._validation import checked_weights, require_number, require_whole
from .logistic import LogisticRegression
from .logistic_cv import grid_of
from .regression import ElasticNet


def lasso_path(X: Rows, y: ArrayLike, *, eps: float = 1e-3, n_alphas: int = 100, alphas: ArrayLike | int | None = None,
               fit_intercept: bool = False, sample_weight: Weights = None, tol: float = 1e-4, max_iter: int = 1000,
               n_jobs: int | None = None) -> Any:
    """Lasso at many values of alpha; `enet_path` with ``l1_ratio=1``, whose other parameters and results it has.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from s3gd import lasso_path
    >>> X, y = make_regression(n_features=10, n_informative=3, random_state=0)
    >>> alphas, coefs, gaps = lasso_path(X, y, n_alphas=5)
    >>> [int(n) for n in (coefs != 0).sum(axis=0)]
    [0, 3, 3, 3, 3]
    """
    return enet_path(X, y, l1_ratio=1.0, eps=eps, n_alphas=n_alphas, alphas=alphas, fit_intercept=fit_intercept,
                     sample_weight=sample_weight, tol=tol, max_iter=max_iter, n_jobs=n_jobs)


def enet_path(X: Rows, y: ArrayLike, *, l1_ratio: float = 0.5, eps: float = 1e-3, n_alphas: int = 100,
              alphas: ArrayLike | int | None = None, fit_intercept: bool = False, sample_weight: Weights = None,
              tol: float = 1e-4, max_iter: int = 1000, n_jobs: int | None = None) -> Any:
    """Elastic net at many values of alpha, from strong to weak.

    The objective is that of `ElasticNet`. As in scikit-learn's function there is no intercept unless it is asked for.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Targets.
    l1_ratio : float, default=0.5
        Share of the 1-norm, above 0 unless `alphas` are given.
    eps : float, default=1e-3
        The smallest alpha over the largest, which is the smallest at which all weights are zero.
    n_alphas : int, default=100
        Their number.
    alphas : array-like or int, optional
        Their values, instead of a grid; or as in scikit-learn from 1.9 on their number, instead of `n_alphas`.
    fit_intercept : bool, default=False
        Whether there is an intercept.
    sample_weight : array-like of shape (n_samples,), optional
        The weight of each row.
    tol, max_iter, n_jobs :
        See `LogisticRegression`; for each alpha.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Descending.
    coefs : ndarray of shape (n_features, n_alphas)
    dual_gaps : ndarray of shape (n_alphas,)
        How far above its minimum the objective is at most.
    intercepts : ndarray of shape (n_alphas,)
        Only with ``fit_intercept=True``.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from s3gd import enet_path
    >>> X, y = make_regression(n_features=10, n_informative=3, random_state=0)
    >>> alphas, coefs, gaps = enet_path(X, y, l1_ratio=0.8, n_alphas=20)
    >>> coefs.shape
    (10, 20)
    """
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True)
    y = core_numbers(y)
    weights = checked_weights(sample_weight, X)
    if alphas is None or np.ndim(alphas) == 0:
        count = n_alphas if alphas is None else alphas
        alphas = _alpha_grid(X, y, weights, l1_ratio, fit_intercept, eps, count)
    alphas = np.sort(check_array(alphas, ensure_2d=False, dtype=np.float64))[::-1]
    require_number("alphas", float(alphas.min()), above=0)
    model = ElasticNet(l1_ratio=l1_ratio, fit_intercept=fit_intercept, tol=tol, max_iter=max_iter, n_jobs=n_jobs)
    model._check_parameters()
    path = model._along(X, y, weights, [[multiplier_of_alpha(alpha, model._loss) for alpha in alphas]])
    coefs = np.ascontiguousarray(path["coef"][0, :, 0].T)
    gaps = path["relative_gap"][0] * np.abs(path["objective"][0]) / 2  # the library's squared loss has no one half
    return (alphas, coefs, gaps, path["intercept"][0, :, 0]) if fit_intercept else (alphas, coefs, gaps)


def logistic_path(X: Rows, y: Labels, *, Cs: int | ArrayLike = 10, l1_ratio: float | None = None, fit_intercept: bool = True,
                  class_weight: ClassWeight = None, sample_weight: Weights = None, tol: float = 1e-4, max_iter: int = 1000,
                  n_jobs: int | None = None) -> tuple[Floats, Floats, Floats, Floats]:
    """Logistic regression at many values of C, from strong to weak penalties.

    The objective is that of `LogisticRegression`, with softmax for more than two classes.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        The class of each row.
    Cs : int or array-like, default=10
        The values, or their number on a logarithmic grid from 1e-4 to 1e4.
    l1_ratio : float, optional
        None or 0 is l2, 1 is l1, between is the elastic net.
    fit_intercept, class_weight, sample_weight, tol, max_iter, n_jobs :
        See `LogisticRegression`.

    Returns
    -------
    Cs : ndarray of shape (n_cs,)
        Ascending.
    coefs : ndarray of shape (n_cs, n_outputs, n_features)
        One output for two classes, else one for each class.
    intercepts : ndarray of shape (n_cs, n_outputs)
    relative_gaps : ndarray of shape (n_cs,)
        How far above its minimum the objective is at most, relatively.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s3gd import logistic_path
    >>> X, y = load_iris(return_X_y=True)
    >>> Cs, coefs, intercepts, gaps = logistic_path(X, y, Cs=[0.1, 1.0], l1_ratio=1)
    >>> coefs.shape
    (2, 3, 4)
    """
    grid = grid_of(Cs)
    model = LogisticRegression(C=grid.max(), l1_ratio=l1_ratio, fit_intercept=fit_intercept, tol=tol, max_iter=max_iter,
                               class_weight=class_weight, n_jobs=n_jobs)
    X, codes, weights, _ = model._checked(X, y, sample_weight)
    path = model._along_Cs(X, codes, weights, grid)
    return grid, path["coef"][0], path["intercept"][0], path["relative_gap"][0]


def _alpha_grid(X, y, weights, l1_ratio, fit_intercept, eps, n_alphas):
    require_number("l1_ratio", l1_ratio, above=0, most=1)
    require_number("eps", eps, above=0, most=1)
    require_whole("n_alphas", n_alphas, least=1)
    shares = np.full(X.shape[0], 1.0 / X.shape[0]) if weights is None else weights / weights.sum()
    rest = y - shares @ y if fit_intercept else y
    largest = np.abs(X.T @ (shares * rest)).max() / l1_ratio * (1 + 1e-13)  # rounding must let no weight in
    if largest == 0:  # all weights are zero at any strength
        return np.full(int(n_alphas), np.finfo(np.float64).resolution)
    return largest * np.logspace(0, np.log10(eps), int(n_alphas))
