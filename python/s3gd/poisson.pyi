from ._types import RandomState
from .regression import RegressorBase

class PoissonRegressor(RegressorBase):
    alpha: float
    fit_intercept: bool
    solver: str
    max_iter: int
    tol: float
    warm_start: bool
    verbose: int
    random_state: RandomState
    n_jobs: int | None
    trace: bool
    max_seconds: float | None
    patience: int | None
    keep_on_interrupt: bool
    def __init__(
        self,
        *,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        max_iter: int = 100,
        tol: float = 0.0001,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        trace: bool = False,
        max_seconds: float | None = None,
        patience: int | None = None,
        keep_on_interrupt: bool = False,
    ) -> None: ...
