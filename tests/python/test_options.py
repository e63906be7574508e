"""The table of options: what it says does nothing is refused by the compiled core, for every solver and kind of problem."""

import json
import os
import subprocess

import numpy as np
import pytest

from s3gd import _core

PROGRAM = os.environ.get("S3GD_PROGRAM")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="the program was not built")
X = np.random.default_rng(0).standard_normal((60, 4))
KINDS = {"binary": (X @ [1, 2, 0, 1] > 0), "ovr": np.arange(60) % 3, "softmax": np.arange(60) % 3, "regression": X @ [1, 2, 0, 1]}


def listed(what):
    done = subprocess.run([PROGRAM, "list", what, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)[what]


def fit(task, spec=None, options=None):
    y = np.asarray(KINDS[task], dtype=np.float64)
    spec = {"task": task, "n_classes": 2 if task == "binary" else 3, **(spec or {})}
    return _core.fit(X, y, spec=spec, options={"passes": 2.0, "tol": 0.5, **(options or {})})


def refusal(task, spec=None, options=None):
    with pytest.raises(_core.Error) as refused:
        fit(task, spec, options)
    return refused.value


def value(row):
    if not row["takes"]:
        return True
    if row["choices"]:
        return next(word for word in row["choices"] if word != row["default"])
    if row["name"] == "penalty-factor":
        return [1.0, 2.0, 1.0, 2.0]
    return {"N": 3, "X": 0.25, "T0": 7.0, "STEP": 0.5}.get(row["takes"], "word")


def key(row):
    return row["name"].replace("-", "_")


def solves(task, solver):
    try:
        fit(task, options={"solver": solver})
    except _core.Error:
        return False
    return True


@pytest.mark.parametrize("task", ["binary", "ovr", "softmax", "regression"])
def test_an_option_that_does_nothing_for_a_solver_is_refused(task):
    suited = [row["name"] for row in listed("solvers") if solves(task, row["name"])]
    assert len(suited) >= 10
    checked = 0
    for row in listed("options"):
        good = row["decided_by"].get("softmax" if task == "softmax" else "solver")
        for solver in suited if good is not None and row["python"] else []:
            if solver not in good:
                said = refusal(task, options={"solver": solver, key(row): value(row)})
                assert (said.code, said.option) == ("idle_option", row["name"]), said
                checked += 1
    assert checked > 30


def test_an_option_that_does_nothing_for_a_loss_or_a_penalty_is_refused():
    table = listed("options")
    losses, penalties = ([row["name"] for row in listed(what)] for what in ("losses", "penalties"))
    for row in table:
        for by, names in (("loss", losses), ("penalty", penalties)):
            good = row["decided_by"].get(by)
            for word in names if good and row["python"] else []:
                if word in good or word in ("softmax", "group", "nuclear"):
                    continue
                task = "regression" if word in ("squared", "huber", "poisson") else "binary"
                said = refusal(task, spec={by: word, key(row): value(row)})
                assert (said.code, said.option) == ("idle_option", row["name"]), said
    for penalty in ("l2", "l1", "group-lasso", "nuclear", "none"):
        said = refusal("softmax", spec={"penalty": penalty, "lambda": 0.0 if penalty == "none" else 0.1, "alpha": 0.25})
        assert (said.code, said.option) == ("idle_option", "alpha"), said


def test_an_option_that_needs_another_is_refused_without_it():
    for row in listed("options"):
        if row["python"] and row["decided_by"].keys() & {"validate", "checkpoint", "early-stop"}:
            said = refusal("binary", options={key(row): value(row)})
            assert (said.code, said.option) == ("idle_option", row["name"]), said


def test_options_that_are_the_programs_alone_are_refused():
    for row in listed("options"):
        if not row["python"]:
            for where in ("spec", "options"):
                said = refusal("binary", **{where: {key(row): value(row)}})
                assert row["name"] == "scale" or (said.code, said.option) == ("idle_option", row["name"]), said
