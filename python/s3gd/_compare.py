"""`compare`: several solvers on the same rows, by the protocol of ``s3gd compare``."""

import json
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._data import save
from ._types import Callback, Labels, Path, Rows

_ACROSS = {
    "cpu_seconds": "processor time [s], what comes before the first step included",
    "wall_seconds": "time [s], what comes before the first step included",
    "passes": "passes over the rows",
    "iteration": "iterations",
}
_UP = {
    "objective": "objective above the optimum, relatively",
    "test_objective": "objective on the test rows",
    "correlation": "correlation with the exact gradient",
    "variance_ratio": "variance over that of SGD",
}


class Comparison:
    """What `compare` found.

    Attributes
    ----------
    run : dict
        Everything, as in ``run.json`` (docs/compare.md): protocol, machine, every run with its points, verdicts.
    folder : pathlib.Path
        Where the files are. A temporary one goes with this object.
    """

    def __init__(self, folder: Path, temporary: bool = False) -> None:
        self.folder = pathlib.Path(folder)
        if temporary:
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.run: dict[str, Any] = json.loads((self.folder / "run.json").read_text())

    def table(self) -> list[dict[str, Any]]:
        """One dict for each solver, the first to reach the target before the others: solver, step, seconds, objective."""
        rows = []
        chosen = {entry["label"]: entry for entry in self.run["chosen"]}
        verdict = next(v for v in self.run["verdicts"] if v["with_graph"])
        for place in verdict["order"]:
            label = place["label"]
            runs = self._runs(label)
            rows.append({"solver": label, "step": chosen.get(label, {}).get("step"), "seconds": place["median_seconds"],
                         "objective": _median([run["objective"] for run in runs])})
        return rows

    def __repr__(self):
        lines = [f"{'solver':<24} {'step':>10} {'seconds':>10} {'objective':>12}"]
        for row in self.table():
            cells = [_text(row[key]) for key in ("step", "seconds", "objective")]
            lines.append(f"{row['solver']:<24} {cells[0]:>10} {cells[1]:>10} {cells[2]:>12}")
        return "\n".join(lines)

    def _runs(self, label):
        steps = [entry["step"] for entry in self.run["chosen"] if entry["label"] == label]
        return [run for run in self.run["runs"]
                if run["label"] == label and (not steps or steps[0] is None or run["step"] == steps[0])]

    def plot(self, x: str = "cpu_seconds", y: str = "objective", ax: Any = None) -> Any:
        """Draws one curve for each solver at the step that was chosen for it: the median over the trials.

        Parameters
        ----------
        x : {"cpu_seconds", "wall_seconds", "passes", "iteration"}
        y : {"objective", "test_objective", "correlation", "variance_ratio"}
            The objective is drawn as its relative distance from the optimum.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
        """
        for name, value, choices in (("x", x, _ACROSS), ("y", y, _UP)):
            if value not in choices:
                raise ValueError(f"{name} is one of {', '.join(choices)}; got {value!r}.")
        curves = {label: [run["points"] for run in self._runs(label) if run["points"].get(y)]
                  for label in dict.fromkeys(run["label"] for run in self.run["runs"])}
        if not any(curves.values()):
            raise ValueError(f"There is no {y} to draw: compare(.., gradients=True) measures correlation and variance_ratio.")
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        optimum = self.run["datasets"][0]["optimum"]
        for label, points in curves.items():
            if not points:
                continue
            length = min(len(point[x]) for point in points)
            across = np.median([_numbers(point[x][:length]) for point in points], axis=0)
            up = np.median([_numbers(point[y][:length]) for point in points], axis=0)
            if y == "objective":
                up = np.maximum((up - optimum) / abs(optimum), 1e-16)
            ax.plot(across, up, label=label)
        if y == "objective":
            ax.set_yscale("log")
        ax.set_xlabel(_ACROSS[x])
        ax.set_ylabel(_UP[y])
        ax.legend()
        return ax

    def report(self, path: Path) -> Path:
        """Writes the interactive page, one file that needs nothing else, and returns its path."""
        return shutil.copyfile(self.folder / "report.html", path)


def _numbers(values):
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _median(values):
    known = [value for value in values if value is not None]
    return float(np.median(known)) if known else None


def _text(value):
    return "-" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)


def compare(X: Rows, y: Labels, solvers: Sequence[str] = ("sgd", "svrg", "s3gd"), *, X_test: Rows | None = None,
            y_test: Labels | None = None, steps: Sequence[float | str] | None = None, trials: int = 2,
            folder: Path | None = None, name: str = "data", callback: Callback | None = None, **protocol: Any) -> Comparison:
    """Runs several solvers on the same rows and says who was first.

    Parameters
    ----------
    X, y
        Rows and labels. More than two classes: the largest against the rest.
    solvers : sequence of str, or one str
        Names, or variants such as ``"s3gd:anchors=50,label=fifty anchors"``; "auto" and exact solvers take part too.
    X_test, y_test : optional
        Rows the objective is also measured on; by default a fifth of the rows is held out.
    steps : sequence, optional
        Numbers, "auto", "2x" (twice 1/L of the data) or "decay:STEP,T0". By default the paper's four.
    trials : int
        Seeds.
    folder : path, optional
        Where all files go (see docs/compare.md), and from where a run that was cut off goes on.
    callback : callable, optional
        Called now and then with a dict (``done``, ``of``, ``doing``); returning False ends the comparison.
    **protocol
        Further keys of a plan, with _ for -: ``iterations``, ``tail``, ``loss``, ``penalty``, ``lambda_``, ``scale``,
        ``batch``, ``seed``, ``gradients`` ... Without ``iterations`` a quick run is made.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import s3gd
    >>> data = s3gd.load("gen:manifold?rows=300&cols=4")
    >>> result = s3gd.compare(data.X, data.y, ["sgd", "s3gd"], steps=["1x"], trials=1, iterations=400, tail=100)
    >>> sorted(row["solver"] for row in result.table())
    ['s3gd', 'sgd']
    """
    solvers = [solvers] if isinstance(solvers, str) else list(solvers)
    if (X_test is None) != (y_test is None):
        raise ValueError("X_test and y_test go together: give both, or neither.")
    plan = {key.rstrip("_").replace("_", "-"): value for key, value in protocol.items()}
    if "iterations" not in plan:
        plan.setdefault("quick", True)
    temporary = folder is None
    place = pathlib.Path(tempfile.mkdtemp(prefix="s3gd-compare-") if folder is None else folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
        entry = {"data": str(place / "rows.s3d"), "name": name}
        save(entry["data"], X, y)
        if X_test is not None:
            entry["test"] = str(place / "test_rows.s3d")
            save(entry["test"], X_test, y_test)
        plan |= {"title": f"{', '.join(solvers)} on {name}", "datasets": [entry], "solvers": solvers, "trials": trials}
        if steps is not None:
            plan["steps"] = list(steps)
        _core.compare(json.dumps(plan), str(place), callback)
        return Comparison(place, temporary)
    except BaseException:
        if temporary:
            shutil.rmtree(place, ignore_errors=True)
        raise
