from numpy.typing import NDArray
import numpy as np
from typing_extensions import Self

from ._types import Labels, RandomState, Request, Rows, Weights
from .regression import RegressorBase

class HuberRegressor(RegressorBase):
    epsilon: float
    max_iter: int
    alpha: float
    warm_start: bool
    fit_intercept: bool
    tol: float
    solver: str
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    trace: bool
    max_seconds: float | None
    keep_on_interrupt: bool
    scale_: float
    outliers_: NDArray[np.bool_]
    def __init__(
        self,
        *,
        epsilon: float = 1.35,
        max_iter: int = 100,
        alpha: float = 0.0001,
        warm_start: bool = False,
        fit_intercept: bool = True,
        tol: float = 1e-05,
        solver: str = "auto",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        trace: bool = False,
        max_seconds: float | None = None,
        keep_on_interrupt: bool = False,
    ) -> None: ...
    def fit(self, X: Rows, y: Labels, sample_weight: Weights = None) -> Self: ...  # type: ignore[override]
    def set_fit_request(self, *, sample_weight: Request = ...) -> Self: ...  # type: ignore[override]
