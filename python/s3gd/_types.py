"""Types that several stubs share. scikit-learn has none of its own, so that what it returns is Any."""

from collections.abc import Callable
from os import PathLike
from typing import Any, TypeAlias

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
