from typing import Any

from ._types import Rows

class ScaledIntercept:
    intercept_scaling: float

def with_constant(X: Rows, value: float) -> Any: ...
