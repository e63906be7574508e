from typing import Any

from numpy.typing import ArrayLike

from ._types import ClassWeight, Floats, Labels, Rows, Weights

def lasso_path(
    X: Rows,
    y: ArrayLike,
    *,
    eps: float = 1e-3,
    n_alphas: int = 100,
    alphas: ArrayLike | int | None = None,
    fit_intercept: bool = False,
    sample_weight: Weights = None,
    tol: float = 1e-4,
    max_iter: int = 1000,
    n_jobs: int | None = None,
) -> Any: ...
def enet_path(
    X: Rows,
    y: ArrayLike,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: int = 100,
    alphas: ArrayLike | int | None = None,
    fit_intercept: bool = False,
    sample_weight: Weights = None,
    tol: float = 1e-4,
    max_iter: int = 1000,
    n_jobs: int | None = None,
) -> Any: ...  # three arrays, four with an intercept
def logistic_path(
    X: Rows,
    y: Labels,
    *,
    Cs: int | ArrayLike = 10,
    l1_ratio: float | None = None,
    fit_intercept: bool = True,
    class_weight: ClassWeight = None,
    sample_weight: Weights = None,
    tol: float = 1e-4,
    max_iter: int = 1000,
    n_jobs: int | None = None,
) -> tuple[Floats, Floats, Floats, Floats]: ...
