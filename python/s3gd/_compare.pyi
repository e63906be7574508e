import pathlib
from collections.abc import Sequence
from typing import Any

from ._types import Callback, Labels, Path, Rows

class Comparison:
    run: dict[str, Any]
    folder: pathlib.Path
    def __init__(self, folder: Path, temporary: bool = False) -> None: ...
    def table(self) -> list[dict[str, Any]]: ...
    def plot(self, x: str = "cpu_seconds", y: str = "objective", ax: Any = None) -> Any: ...
    def report(self, path: Path) -> Path: ...

def compare(
    X: Rows,
    y: Labels,
    solvers: Sequence[str] = ("sgd", "svrg", "s3gd"),
    *,
    X_test: Rows | None = None,
    y_test: Labels | None = None,
    steps: Sequence[float | str] | None = None,
    trials: int = 2,
    folder: Path | None = None,
    name: str = "data",
    callback: Callback | None = None,
    **protocol: Any,
) -> Comparison: ...
