from typing import Any

from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

from ._base import LinearBase
from ._types import Callback, ClassWeight, Floats, Labels, RandomState, Request, Rows, Weights

PENALTIES: tuple[str | None, ...]

class LinearModel(LinearBase):
    loss: str
    penalty: str | None
    alpha: float
    l1_ratio: float
    beta: float
    knee: float
    penalty_factor: ArrayLike | None
    fit_intercept: bool
    intercept: str
    multi_class: str
    solver: str
    step: float | str
    batch: int
    inner: int | None
    anchors: int | None
    neighbours: int | None
    graph_mode: str
    control: str
    max_iter: int
    tol: float
    class_weight: ClassWeight
    warm_start: bool
    random_state: RandomState
    n_jobs: int | None
    verbose: int
    trace: bool
    trace_gradients: bool
    max_seconds: float | None
    patience: int | None
    keep_on_interrupt: bool
    def __init__(
        self,
        loss: str = "log_loss",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float = 0.15,
        beta: float = 10.0,
        knee: float = 1.0,
        penalty_factor: ArrayLike | None = None,
        fit_intercept: bool = True,
        intercept: str = "free",
        multi_class: str = "auto",
        solver: str = "auto",
        step: float | str = "auto",
        batch: int = 10,
        inner: int | None = None,
        anchors: int | None = None,
        neighbours: int | None = None,
        graph_mode: str = "streaming",
        control: str = "adaptive",
        max_iter: int = 1000,
        tol: float = 0.0001,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        trace: bool = False,
        trace_gradients: bool = False,
        max_seconds: float | None = None,
        patience: int | None = None,
        keep_on_interrupt: bool = False,
    ) -> None: ...
    classes_: NDArray[Any]
    intercept_: Any  # an array, or a regressor's number
    n_iter_: Any
    def fit(
        self,
        X: Rows,
        y: Labels,
        sample_weight: Weights = None,
        X_val: Rows | None = None,
        y_val: Labels | None = None,
        callback: Callback | None = None,
    ) -> Self: ...
    def partial_fit(self, X: Rows, y: Labels, classes: Labels | None = None, sample_weight: Weights = None) -> Self: ...
    def predict(self, X: Rows) -> NDArray[Any]: ...
    def score(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float: ...
    def set_fit_request(
        self, *, X_val: Request = ..., callback: Request = ..., sample_weight: Request = ..., y_val: Request = ...
    ) -> Self: ...
    def set_score_request(self, *, sample_weight: Request = ...) -> Self: ...
    def decision_function(self, X: Rows) -> Floats: ...
    def predict_proba(self, X: Rows) -> Floats: ...
    def predict_log_proba(self, X: Rows) -> Floats: ...
