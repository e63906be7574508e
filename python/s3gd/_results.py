"""What a fit says about itself: `Summary` (how it ended) and `Trace` (how it went)."""

import html
from collections.abc import KeysView, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ._types import Floats


def _seconds(value):
    if value < 1e-3:
        return f"{value * 1e6:.0f} us"
    if value < 1:
        return f"{value * 1e3:.3g} ms"
    return f"{value:.3g} s"


def _cell(value):
    return "" if value != value else f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


class _Named:
    """Values by name: each is an attribute, and an element."""

    _what: ClassVar[str]

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"the {self._what} {name!r}") from None

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            raise KeyError(f"the {self._what} {name!r}; it has {', '.join(self._values)}")
        return self._values[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def to_dict(self) -> dict[str, Any]:
        """All of them as a plain dictionary."""
        return dict(self._values)


class Summary(_Named):
    """How a fit ended: status, certificate, stages, seconds and advice.

    The keys are those of ``s3gd train --json``; each is an attribute, and ``summary["key"]`` works as well.

    Attributes
    ----------
    status : str
        ``"converged"``, ``"early_stopped"``, ``"out_of_passes"``, ``"out_of_time"``, ``"interrupted"`` or
        ``"diverged"``.
    objective : float
        The value of the objective of `formula` at the parameters found.
    certificate : dict
        ``kind`` (``"duality_gap"`` or ``"prox_gradient"``), ``primal``, ``dual`` and ``relative_gap``: how far from
        the optimum the parameters are at most, relatively.
    formula : str
        The objective with its numbers, as the library minimises it.
    stages : list of dict
        ``name``, ``seconds``, ``iterations`` and ``ended`` (why) of each stage.
    seconds : dict
        Wall-clock seconds by part: ``graph``, ``solve``, ``evaluate``, ``total``.
    validation : dict
        With `X_val`: ``rows``, and the mean ``loss`` over them without the penalty (each class against the rest: the sum).
    advice : list of str
        What is off with the data or the parameters, and what to do about it.

    Examples
    --------
    >>> from s3gd import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> model.summary_.status
    'converged'
    >>> model.summary_["certificate"]["relative_gap"] <= model.tol
    True
    """

    status: str
    objective: float
    certificate: dict[str, Any]
    formula: str
    stages: list[dict[str, Any]]
    seconds: dict[str, float]
    passes: float
    iterations: int
    advice: list[str]

    _what = "summary has no"

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def keys(self) -> KeysView[str]:
        """Names of what is known about the fit."""
        return self._values.keys()

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.status == "converged"

    def _certificate_text(self):
        gap = self.certificate["relative_gap"]
        if gap == float("inf"):
            return "none: the distance to the optimum is not known"
        if self.certificate["kind"] == "prox_gradient":
            return f"prox-gradient norm {gap:.2g}"
        return f"within {gap:.2g} of the optimum, relatively (duality gap)"

    def _lines(self):
        stages = [f"{s['name']} {_seconds(s['seconds'])} ({s['ended']})" for s in self.stages]
        parts = ", ".join(f"{name} {_seconds(self.seconds[name])}" for name in ("graph", "solve", "evaluate"))
        return [("status", self.status), ("minimised", self.formula), ("objective", f"{self.objective:.9g}"),
                ("certificate", self._certificate_text()), *([("stages", ", then ".join(stages))] if stages else []),
                ("passes", f"{self.passes:.4g} in {self.iterations} iterations"),
                ("time", f"{_seconds(self.seconds['total'])} ({parts})"), *(("advice", text) for text in self.advice)]

    def __str__(self):
        return "\n".join(f"{name:<12} {text}" for name, text in self._lines())

    def __repr__(self):
        return f"<s3gd.Summary: {self.status}, {self._certificate_text()}>"

    def _repr_html_(self):
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                       f"<td style='text-align:left'>{html.escape(str(text))}</td></tr>" for name, text in self._lines())
        return f"<table>{rows}</table>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and self._values == other._values

    __hash__ = None  # type: ignore[assignment]


class Trace(_Named):
    """How a fit went: columns of equal length, one entry for each time the run was looked at.

    Columns are ``iteration``, ``passes``, ``cpu_seconds``, ``wall_seconds``, ``train_objective``, ``test_objective`` (the
    objective on `X_val`), ``gap``, ``step``, ``correlation``, ``variance_ratio`` and ``stage``; each is an attribute, and
    ``trace["column"]`` works as well. What was not measured is NaN. Clocks stand still while the run is looked at.

    Examples
    --------
    >>> from s3gd import LinearModel
    >>> model = LinearModel(trace=True).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> bool(model.trace_.train_objective[-1] <= model.trace_.train_objective[0])
    True
    """

    iteration: NDArray[Any]
    passes: Floats
    cpu_seconds: Floats
    wall_seconds: Floats
    train_objective: Floats
    test_objective: Floats
    gap: Floats
    step: Floats
    correlation: Floats
    variance_ratio: Floats
    stage: NDArray[Any]

    _what = "trace has no column"

    def __init__(self, columns: Mapping[str, Any]) -> None:
        super().__init__({name: np.asarray(column) for name, column in columns.items()})

    def __len__(self) -> int:
        return len(next(iter(self._values.values()), ()))

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._values)

    def to_pandas(self) -> Any:
        """The trace as a `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self._values)

    def plot(self, x: str = "passes", y: str | Sequence[str] | None = None, ax: Any = None) -> Any:
        """Draw the run with matplotlib.

        Parameters
        ----------
        x : str, default="passes"
            Column of the horizontal axis: also ``"cpu_seconds"``, ``"wall_seconds"`` or ``"iteration"``.
        y : str or list of str, optional
            Columns to draw; by default ``train_objective`` and, where it was measured, ``test_objective``.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib.axes.Axes
        """
        if y is None:
            measured = np.isfinite(self.test_objective).any()
            y = ["train_objective", "test_objective"] if measured else ["train_objective"]
        y = [y] if isinstance(y, str) else list(y)
        across, curves = self[x], {name: self[name] for name in y}
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        for name, curve in curves.items():
            ax.plot(across, curve, marker=".", label=name.replace("_", " "))
        if "gap" in y:
            ax.set_yscale("log")
        ax.set_xlabel(x.replace("_", " "))
        ax.set_ylabel("objective" if all("objective" in name for name in y) else ", ".join(y).replace("_", " "))
        ax.legend()
        return ax

    def _repr_html_(self):
        """In a notebook: a table of the first and the last rows."""
        count = len(self)
        shown = list(range(count)) if count <= 12 else [*range(6), None, *range(count - 6, count)]
        rows = ["".join(f"<th>{html.escape(name.replace('_', ' '))}</th>" for name in self._values)]
        rows += ["".join(f"<td>{'..' if i is None else html.escape(_cell(column[i]))}</td>" for column in self._values.values())
                 for i in shown]
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def __repr__(self):
        return f"<s3gd.Trace: {len(self)} rows of {', '.join(self._values)}>"
