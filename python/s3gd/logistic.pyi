from typing import Any

from numpy.typing import NDArray

from ._classifier import FittedAtOnce, ProbabilityMixin
from ._scaled_intercept import ScaledIntercept
from ._types import ClassWeight, RandomState

class LogisticRegression(ProbabilityMixin, ScaledIntercept, FittedAtOnce):
    penalty: str | None
    C: float
    l1_ratio: float | None
    tol: float
    max_iter: int
    fit_intercept: bool
    class_weight: ClassWeight
    solver: str
    multi_class: str
    dual: object
    intercept_scaling: float
    warm_start: bool
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    trace: bool
    max_seconds: float | None
    patience: int | None
    keep_on_interrupt: bool
    n_iter_: NDArray[Any]
    def __init__(
        self,
        penalty: str | None = "auto",
        *,
        C: float = 1.0,
        l1_ratio: float | None = None,
        tol: float = 0.0001,
        max_iter: int = 1000,
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        solver: str = "auto",
        multi_class: str = "auto",
        dual: object = False,
        intercept_scaling: float = 1.0,
        warm_start: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        trace: bool = False,
        max_seconds: float | None = None,
        patience: int | None = None,
        keep_on_interrupt: bool = False,
    ) -> None: ...


def penalty_by_ratio(l1_ratio: float | None) -> str: ...
def check_l1_ratio(l1_ratio: float | None, needed: bool) -> None: ...
