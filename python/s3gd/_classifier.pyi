from typing import Any

from numpy.typing import NDArray
from typing_extensions import Self

from ._base import LinearBase
from ._types import Callback, Floats, Labels, Request, Rows, Weights

class ClassifierBase(LinearBase):
    classes_: NDArray[Any]
    intercept_: Floats
    def decision_function(self, X: Rows) -> Floats: ...
    def predict(self, X: Rows) -> NDArray[Any]: ...
    def score(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float: ...
    def set_score_request(self, *, sample_weight: Request = ...) -> Self: ...

class FittedAtOnce(ClassifierBase):
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
    def partial_fit(self, X: Rows, y: Labels, classes: Labels | None = None, sample_weight: Weights = None) -> Self: ...

class ProbabilityMixin:
    def predict_proba(self, X: Rows) -> Floats: ...
    def predict_log_proba(self, X: Rows) -> Floats: ...
