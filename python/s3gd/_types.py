"""Types that annotations share.

scikit-learn has none: its bases would be Any to a type checker, and a mistake in the name of a method of ours would not be
seen. Those here stand in for them where types are checked.
"""

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows: TypeAlias = Any  # an array, a list of lists, a data frame or a SciPy sparse matrix
Labels: TypeAlias = ArrayLike
Floats: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = ArrayLike | None
ClassWeight: TypeAlias = dict[Any, float] | str | None
RandomState: TypeAlias = int | np.random.RandomState | None
Callback: TypeAlias = Callable[[dict[str, Any]], object]
Path: TypeAlias = str | PathLike[str]
Request: TypeAlias = bool | str | None  # whether metadata is passed on, or its name

if TYPE_CHECKING:
    from typing_extensions import Self as Self

    class BaseEstimator:
        coef_: Any  # an array, or after sparsify() a sparse matrix
        intercept_: Any
        n_features_in_: int
        feature_names_in_: NDArray[Any]

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...

    class ClassifierMixin:
        classes_: NDArray[Any]
        intercept_: Floats

        def score(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float: ...
        def set_score_request(self, *, sample_weight: Request = ...) -> Self: ...

    class RegressorMixin:
        intercept_: float

        def score(self, X: Rows, y: Labels, sample_weight: Weights = None) -> float: ...
        def set_score_request(self, *, sample_weight: Request = ...) -> Self: ...
else:
    Self = Any
