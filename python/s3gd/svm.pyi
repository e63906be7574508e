from ._classifier import FittedAtOnce
from ._scaled_intercept import ScaledIntercept
from ._types import ClassWeight, RandomState

class LinearSVC(ScaledIntercept, FittedAtOnce):
    penalty: str | None
    loss: str
    dual: bool | str
    tol: float
    C: float
    beta: float
    multi_class: str
    fit_intercept: bool
    intercept: str
    intercept_scaling: float
    class_weight: ClassWeight
    verbose: int
    random_state: RandomState
    max_iter: int
    solver: str
    warm_start: bool
    n_jobs: int | None
    trace: bool
    max_seconds: float | None
    patience: int | None
    keep_on_interrupt: bool
    n_iter_: int
    def __init__(
        self,
        penalty: str | None = "l2",
        loss: str = "squared_hinge",
        *,
        dual: bool | str = "auto",
        tol: float = 0.0001,
        C: float = 1.0,
        beta: float = 10.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept: str = "regularised",
        intercept_scaling: float = 1.0,
        class_weight: ClassWeight = None,
        verbose: int = 0,
        random_state: RandomState = None,
        max_iter: int = 1000,
        solver: str = "auto",
        warm_start: bool = False,
        n_jobs: int | None = None,
        trace: bool = False,
        max_seconds: float | None = None,
        patience: int | None = None,
        keep_on_interrupt: bool = False,
    ) -> None: ...
