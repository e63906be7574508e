"""Ctrl-C, other signals, and several fits in one process."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from core_cases import sample, spec_of
from s3gd import _core

# A fit that would take for ever (a stochastic one: exact ones end by themselves). Says when it has begun (or is about to,
# where nobody watches), and what becomes of it.
PROGRAM = """
import signal, sys, threading, time
import numpy as np
from s3gd import _core

task, keep, where = sys.argv[1], sys.argv[2] == "keep", sys.argv[3]
rng = np.random.default_rng(0)
X = rng.normal(size=(100000, 20))
y = np.digitize(X[:, 0] + rng.normal(size=len(X)), [0] if task == "binary" else [-0.5, 0.5]).astype(float)
spec = {"task": task, "n_classes": 2 if task == "binary" else 3, "lambda": 1e-9}
options = {"tol": 0.0, "passes": 1e9, "solver": sys.argv[4], "keep_on_interrupt": keep}

watched = task != "ovr" and where == "main"
rows = []

def watch(row):
    rows.append(row)
    if len(rows) == 5:
        print("begun", flush=True)

def fit():
    fit = _core.fit(X, y, spec=spec, options=options, callback=watch if watched else None)
    print(fit["summary"]["status"], bool(np.isfinite(fit["coef"]).all()), bool((fit["coef"] != 0).any()), flush=True)

if not watched:
    print("begun", flush=True)
try:
    if where == "main":
        fit()
    else:
        thread = threading.Thread(target=fit, daemon=True)
        thread.start()
        while thread.is_alive():
            time.sleep(0.05)
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
"""


def interrupted(task, keep="raise", where="main", solver="auto"):
    """How the program ended after Ctrl-C, and what it printed."""
    command = [sys.executable, "-c", PROGRAM, task, keep, where, solver]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, rest


@pytest.mark.parametrize(("task", "solver"), [("binary", "s3gd"), ("ovr", "sgd"), ("softmax", "s3gd")])
def test_ctrl_c_raises_keyboard_interrupt(task, solver):
    assert interrupted(task, solver=solver) == (0, "KeyboardInterrupt\n")


@pytest.mark.parametrize(("task", "solver"), [("binary", "s3gd"), ("softmax", "s3gd")])
def test_ctrl_c_can_keep_the_model_so_far(task, solver):
    assert interrupted(task, "keep", solver=solver) == (0, "interrupted True True\n")


def test_ctrl_c_while_another_thread_fits_reaches_the_main_thread_and_the_process_ends():
    assert interrupted("binary", where="thread", solver="sgd") == (0, "KeyboardInterrupt\n")


def test_what_a_signal_handler_raises_ends_the_fit():
    def ring(number, frame):
        raise TimeoutError("rung")

    X, codes = sample(rows=2000)
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError, match="rung"):
            _core.fit(X, codes, spec=spec_of(), options={"tol": 0.0, "passes": 1e9, "solver": "sgd"})
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_callback_can_end_one_of_two_fits_and_the_other_goes_on():
    X, codes = sample(rows=3000)
    alone = _core.fit(X, codes, spec=spec_of(), options={"passes": 30, "tol": 0.0, "solver": "s3gd"})
    results = {}

    def cut():
        while "whole" not in results:
            fit = _core.fit(X, codes, spec=spec_of(), options={"passes": 1e6, "tol": 0.0, "solver": "sgd"},
                            callback=lambda row: False)
            results["cut"] = fit["summary"]["status"]

    other = threading.Thread(target=cut)
    other.start()
    results["whole"] = _core.fit(X, codes, spec=spec_of(), options={"passes": 30, "tol": 0.0, "solver": "s3gd"})
    other.join()
    assert results["cut"] == "interrupted"
    assert (results["whole"]["coef"] == alone["coef"]).all()


def test_fits_in_several_threads_give_the_bits_of_fits_one_by_one():
    cases = [("binary", 2), ("ovr", 3), ("softmax", 4), ("binary", 2)]
    samples = [sample(rows=4000, classes=classes, seed=k) for k, (_, classes) in enumerate(cases)]

    def fit(k):
        (X, codes), (task, classes) = samples[k], cases[k]
        return _core.fit(X, codes, spec=spec_of(task, classes), options={"threads": 2})["coef"]

    expected = [fit(k) for k in range(4)]
    found = [[] for _ in cases]

    def work(k):
        for _ in range(5):
            found[k].append(fit(k))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, many in zip(expected, found, strict=True):
        assert len(many) == 5 and all((one == other).all() for other in many)


def test_the_lock_of_the_interpreter_is_free_during_a_fit():
    X, codes = sample(rows=20000)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    began = time.perf_counter()
    _core.fit(X, codes, spec=spec_of(), options={"tol": 0.0, "passes": 1e9, "seconds": 0.5, "solver": "sgd"})
    ended = time.perf_counter()
    done.set()
    ticker.join()
    assert sum(began < at < ended for at in ticks) > 20


def test_a_fork_after_a_fit_can_fit():
    X, codes = sample(rows=20000)
    expected = _core.fit(X, codes, spec=spec_of(), options={"threads": 2})["coef"]
    child = os.fork()
    if child == 0:
        same = (_core.fit(X, codes, spec=spec_of(), options={"threads": 2})["coef"] == expected).all()
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_the_threads_of_numpy_are_left_alone():
    from threadpoolctl import threadpool_info

    def of_numpy():
        return [pool["num_threads"] for pool in threadpool_info() if "numpy" in pool["filepath"]]

    before = of_numpy()
    X, codes = sample(rows=3000, classes=5)
    _core.fit(X, codes, spec=spec_of("softmax", 5), options={"solver": "s3gd", "graph_mode": "full"})
    assert of_numpy() == before and np.dot(X.T, X).shape == (8, 8)


# Daemon threads that are in a fit when Python ends: waiting for the work, telling a callback, or coming back for the lock.
LEFT_BEHIND = """
import sys, threading, time
import numpy as np
from s3gd import _core

X = np.random.default_rng(0).normal(size=(20000, 10))
y = (X[:, 0] > 0).astype(float)
options = {"tol": 0.0, "passes": 1e9, "solver": "sgd", "trace_every": 20}
begun = threading.Event()

def told(row):
    begun.set()
    if sys.argv[1] == "slow":
        time.sleep(0.05)

def fit():
    if sys.argv[1] == "short":
        while True:
            _core.fit(X[:500], y[:500], spec={"lambda": 1e-3}, callback=told)
    _core.fit(X, y, spec={"lambda": 1e-3}, options=options, callback=None if sys.argv[1] == "silent" else told)

for _ in range(3):
    threading.Thread(target=fit, daemon=True).start()
begun.wait(0.5 if sys.argv[1] == "silent" else 60)
time.sleep(0.1)
print("over")
"""


@pytest.mark.parametrize("how", ["silent", "quick", "slow", "short"])
def test_python_ends_quietly_while_daemon_threads_fit(how):
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", LEFT_BEHIND, how], capture_output=True, text=True, timeout=60)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "over\n", "")


IN_FOLDS = """
import numpy as np
from s3gd import _core

rng = np.random.default_rng(0)
X = rng.normal(size=(100000, 20))
y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(float)
print("begun", flush=True)
try:
    _core.paths(X, y, spec={"lambda": 1.0}, options={"tol": 0.0, "passes": 1e9, "solver": "sgd"},
                folds=[np.arange(50000), np.arange(50000, 100000)], lambdas=[[0.1, 1e-9]] * 2)
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
"""


def test_ctrl_c_ends_the_fits_of_a_cross_validation():
    process = subprocess.Popen([sys.executable, "-c", IN_FOLDS], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "KeyboardInterrupt\n"
    finally:
        process.kill()
