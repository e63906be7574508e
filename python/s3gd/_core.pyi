"""The compiled library, as the package's own Python files call it.

Rows are a C-ordered array of float32 or float64 (any distance between rows), or the parts of a CSR matrix whose columns
ascend within each row; they are used where they lie, for reading only. An int32 ``indptr`` is widened, the one copy made.
Options and specifications are checked by name. The interpreter's lock is not held during the work; Ctrl-C ends it.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]
Start: TypeAlias = tuple[Floats, Floats]
Callback: TypeAlias = Callable[[dict[str, Any]], object]

version: str

class Error(ValueError):
    """Input that the library refuses, in one sentence and where there is one with a remedy."""

    code: str  # bad_input, bad_value, idle_option, do_not_go, missing_option
    option: str  # the one it is about, by the library's name; empty: none
    marked: str  # the sentence with marks for options; see _advice.py

class Fit(TypedDict):
    coef: Floats  # outputs x features
    intercept: Floats  # outputs
    summary: dict[str, Any]  # the keys of `s3gd train --json`
    trace: dict[str, Any]  # arrays of equal length; "stage" is a list

def fit(X: Rows, y: Floats, *, sample_weight: Floats | None = None, spec: dict[str, Any],
        options: dict[str, Any] = ..., start: Start | None = None, X_val: Rows | None = None,
        y_val: Floats | None = None, callback: Callback | None = None) -> Fit:
    """Fits a linear model: minimises sum_i q_i psi(w.x_i + b, y_i) + R(w), q_i the weights scaled to sum to 1.

    Parameters
    ----------
    y
        Class codes 0 .. n_classes - 1, each of them there with positive weight, or real targets.
    spec
        The options of ``s3gd list options`` that state the problem, with _ for - in the names; and ``task`` (binary, ovr,
        softmax, regression), ``n_classes``, ``penalty_factor`` (numbers), of softmax the penalties group-lasso and nuclear,
        and ``scale`` (huber: the scale of the errors is found, ``knee`` in units of it, and ``scale`` is in the result).
    options
        Those that steer the run; and ``trace``, ``check`` (default true: look for numbers that are not finite and for CSR
        columns out of order before the work) and ``keep_on_interrupt`` (Ctrl-C returns the model so far, with the status
        "interrupted", instead of raising).
    start
        Where the fit begins: coefficients and intercepts, shaped as those returned.
    callback
        Called in the caller's thread with a row of the trace (one-vs-rest: with each class that is done); ``False`` ends
        the fit with the status "interrupted". What it raises is raised by the fit.
    """

def paths(X: Rows, y: Floats, *, sample_weight: Floats | None = None, spec: dict[str, Any], options: dict[str, Any] = ...,
          lambdas: Sequence[Floats] | Sequence[list[float]], folds: list[NDArray[np.int64]] | None = None) -> dict[str, Any]:
    """One problem at many lambdas, each from where the last one ended: over all rows, or over those of each fold, side by side.

    There is a list of ``lambdas`` for each fold, all of one length; ``spec["lambda"]`` does not count. Returns ``coef`` (folds x
    points x outputs x features), ``intercept`` (folds x points x outputs), ``objective``, ``relative_gap`` and ``passes`` (folds x points),
    lambdas descending.
    """

class Model:
    """What prediction needs of a fit: the library's own, as it is saved in a file."""

    def __new__(cls, coef: Floats, intercept: Floats, *, spec: dict[str, Any], class_names: Sequence[str] = ...,
                feature_names: Sequence[str] = ..., objective: float = 0.0, relative_gap: float = 0.0) -> Model:
        """``spec`` as for `fit`. Two classes have one output, whose positive margin means the second."""
    @staticmethod
    def load(path: str) -> Model:
        """From a file."""
    @staticmethod
    def from_bytes(bytes: bytes) -> Model:
        """From the contents of such a file."""
    def save(self, path: str) -> None:
        """To a file."""
    def export(self, path: str, format: str) -> list[str]:
        """For another program. Returns remarks for people."""
    def facts(self) -> dict[str, Any]:
        """``coef``, ``intercept``, ``class_names``, ``feature_names``, ``link``, ``loss``, ``beta``, ``knee``, ``penalty``, ``lambda``, ``alpha``,
        ``unit_rows``, ``objective``, ``relative_gap``."""
    def margins(self, X: Rows, threads: int = 0) -> Floats:
        """Of each row and output, the bits that ``s3gd predict --margin`` prints."""
    def probabilities(self, X: Rows, threads: int = 0) -> Floats:
        """Of each row and class."""

def export_formats() -> dict[str, str]:
    """What `Model.export` writes, each with a line about it."""

def load(source: str, options: dict[str, Any] = ...) -> dict[str, Any]:
    """Reads a file, a known dataset or generated rows.

    ``options`` are those of ``s3gd list options`` that say how files are read, ``cols`` and ``labels_path``. Returns ``X`` (an
    array, or CSR parts), ``y`` (numbers, or codes of ``class_names``), ``labels`` (none, classes, real), ``class_names``,
    ``sample_weight``, ``feature_names``, ``source``. The arrays are the memory the rows were read into, or the mapped file: read-only.
    """

def save(path: str, X: Rows, y: Floats | None = None, *, sample_weight: Floats | None = None, labels: str = "none",
         class_names: Sequence[str] = ..., feature_names: Sequence[str] = ...) -> None:
    """Writes rows in the format that the extension names."""

def inspect(X: Rows, y: Floats | None = None, *, sample_weight: Floats | None = None, labels: str = "none",
            class_names: Sequence[str] = ..., spec: dict[str, Any] = ...,
            options: dict[str, Any] = ...) -> dict[str, Any]:
    """The facts of ``s3gd inspect --json``.

    ``options`` are ``batch``, ``inner``, ``step``, ``variance``, ``anchors``, ``neighbours``, ``kernel``, ``threads``, ``seed``.
    """

def compare(plan: str, folder: str, callback: Callback | None = None) -> dict[str, Any]:
    """Runs a plan (JSON, docs/compare.md) and writes ``run.json``, tables and pages into ``folder``.

    Returns ``status``, ``runs``, ``planned``, ``failed`` and ``run_file``. A callback is called now and then with ``done``,
    ``of``, ``doing``, ``iteration`` and ``seconds_left``.
    """

def limits(option: str) -> dict[str, float]:
    """What the number of an option may be, by the library's table: ``above`` or ``least``, ``most``."""

def known_datasets() -> list[dict[str, Any]]:
    """The catalogue: name, summary, sizes, homepage, and whether the rows are here."""

def data_path(name: str, part: str = "train") -> str:
    """The file with the rows of a known dataset, ``part`` train or test."""
