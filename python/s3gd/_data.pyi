from dataclasses import dataclass, field
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._types import Path, Rows, Weights

@dataclass
class Dataset:
    X: Any
    y: NDArray[Any] | None = None
    sample_weight: NDArray[Any] | None = None
    feature_names: list[str] = field(default_factory=list)
    source: str = ""

class Inspection(dict[str, Any]): ...

@overload
def load(
    source: Path, *, dtype: DTypeLike = ..., layout: str = "auto", return_X_y: Literal[False] = False, **options: Any
) -> Dataset: ...
@overload
def load(
    source: Path, *, dtype: DTypeLike = ..., layout: str = "auto", return_X_y: Literal[True], **options: Any
) -> tuple[Any, NDArray[Any] | None]: ...
def save(
    path: Path,
    X: Rows,
    y: ArrayLike | None = None,
    *,
    sample_weight: Weights = None,
    feature_names: ArrayLike | None = None,
) -> None: ...
def inspect(
    X: Rows,
    y: ArrayLike | None = None,
    *,
    sample_weight: Weights = None,
    loss: str | None = None,
    penalty: str = "l2",
    lambda_: float = 1e-3,
    alpha: float = 0.5,
    intercept: str = "free",
    variance: bool = False,
    **options: Any,
) -> Inspection: ...
def core_rows(X: Rows) -> Any: ...
def core_labels(y: ArrayLike | None) -> tuple[str, NDArray[Any] | None, list[str]]: ...
def core_numbers(values: ArrayLike) -> NDArray[Any]: ...
