from typing import Any, ClassVar

from numpy.typing import NDArray
from typing_extensions import Self

from ._results import Summary, Trace
from ._types import Path

class LinearBase:
    coef_: Any  # an array, or after sparsify() a sparse matrix
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    summary_: Summary
    trace_: Trace
    weight_seen_: float
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def get_metadata_routing(self) -> Any: ...
    def save(self, path: Path) -> None: ...
    def sparsify(self) -> Self: ...
    def densify(self) -> Self: ...
