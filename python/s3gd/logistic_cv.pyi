from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._classifier import ClassifierBase, ProbabilityMixin
from ._types import Callback, ClassWeight, Floats, Labels, RandomState, Request, Rows, Weights

class LogisticRegressionCV(ProbabilityMixin, ClassifierBase):
    Cs: int | ArrayLike
    l1_ratios: ArrayLike | str | None
    penalty: str
    fit_intercept: bool
    cv: Any
    scoring: str | Callable[..., float] | None
    refit: bool
    tol: float
    max_iter: int
    class_weight: ClassWeight
    solver: str
    dual: object
    intercept_scaling: float
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    trace: bool
    max_seconds: float | None
    patience: int | None
    keep_on_interrupt: bool
    use_legacy_attributes: bool | str
    C_: float
    l1_ratio_: float
    Cs_: Floats
    l1_ratios_: Floats
    scores_: Floats
    coefs_paths_: Floats
    n_iter_: NDArray[Any]
    def __init__(
        self,
        *,
        Cs: int | ArrayLike = 10,
        l1_ratios: ArrayLike | str | None = None,
        penalty: str = "auto",
        fit_intercept: bool = True,
        cv: Any = None,
        scoring: str | Callable[..., float] | None = None,
        refit: bool = True,
        tol: float = 0.0001,
        max_iter: int = 1000,
        class_weight: ClassWeight = None,
        solver: str = "auto",
        dual: object = False,
        intercept_scaling: float = 1.0,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        trace: bool = False,
        max_seconds: float | None = None,
        patience: int | None = None,
        keep_on_interrupt: bool = False,
        use_legacy_attributes: bool | str = False,
    ) -> None: ...
    def fit(
        self,
        X: Rows,
        y: Labels,
        sample_weight: Weights = None,
        X_val: Rows | None = None,
        y_val: Labels | None = None,
        callback: Callback | None = None,
    ) -> Self: ...
    def set_fit_request(
        self, *, X_val: Request = ..., callback: Request = ..., sample_weight: Request = ..., y_val: Request = ...
    ) -> Self: ...
    def score(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float: ...

def given(value: Any) -> Any: ...
def require_strengths(Cs: Floats) -> None: ...
def row_numbers(rows: ArrayLike, n_rows: int) -> Any: ...
