from typing_extensions import Self

from ._base import LinearBase
from ._types import Callback, Floats, Labels, RandomState, Request, Rows, Weights

class RegressorBase(LinearBase):
    intercept_: float
    n_iter_: int
    def fit(
        self,
        X: Rows,
        y: Labels,
        sample_weight: Weights = None,
        X_val: Rows | None = None,
        y_val: Labels | None = None,
        callback: Callback | None = None,
    ) -> Self: ...
    def predict(self, X: Rows) -> Floats: ...
    def score(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float: ...
    def set_fit_request(
        self, *, X_val: Request = ..., callback: Request = ..., sample_weight: Request = ..., y_val: Request = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: Request = ...) -> Self: ...

class StreamedRegressor(RegressorBase):
    def partial_fit(self, X: Rows, y: Labels, sample_weight: Weights = None) -> Self: ...

class Ridge(StreamedRegressor):
    alpha: float
    fit_intercept: bool
    max_iter: int | None
    tol: float
    solver: str
    random_state: RandomState
    warm_start: bool
    n_jobs: int | None
    verbose: int
    trace: bool
    max_seconds: float | None
    patience: int | None
    keep_on_interrupt: bool
    copy_X: bool
    positive: bool
    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int | None = 1000,
        tol: float = 0.0001,
        solver: str = "auto",
        random_state: RandomState = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        trace: bool = False,
        max_seconds: float | None = None,
        patience: int | None = None,
        keep_on_interrupt: bool = False,
        copy_X: bool = True,
        positive: bool = False,
    ) -> None: ...

class ElasticNet(StreamedRegressor):
    alpha: float
    l1_ratio: float
    fit_intercept: bool
    max_iter: int
    tol: float
    solver: str
    random_state: RandomState
    warm_start: bool
    n_jobs: int | None
    verbose: int
    trace: bool
    max_seconds: float | None
    patience: int | None
    keep_on_interrupt: bool
    precompute: object
    copy_X: bool
    positive: bool
    selection: str
    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        solver: str = "auto",
        random_state: RandomState = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        trace: bool = False,
        max_seconds: float | None = None,
        patience: int | None = None,
        keep_on_interrupt: bool = False,
        precompute: object = False,
        copy_X: bool = True,
        positive: bool = False,
        selection: str = "cyclic",
    ) -> None: ...

class Lasso(StreamedRegressor):
    alpha: float
    fit_intercept: bool
    max_iter: int
    tol: float
    solver: str
    random_state: RandomState
    warm_start: bool
    n_jobs: int | None
    verbose: int
    trace: bool
    max_seconds: float | None
    patience: int | None
    keep_on_interrupt: bool
    precompute: object
    copy_X: bool
    positive: bool
    selection: str
    def __init__(
        self,
        alpha: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 0.0001,
        solver: str = "auto",
        random_state: RandomState = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        trace: bool = False,
        max_seconds: float | None = None,
        patience: int | None = None,
        keep_on_interrupt: bool = False,
        precompute: object = False,
        copy_X: bool = True,
        positive: bool = False,
        selection: str = "cyclic",
    ) -> None: ...
