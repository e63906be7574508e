#!/usr/bin/env python3
"""The L1 path against glmnet on the same grid: the largest difference of objectives, and times, one line a set.

    build/peers/venv/bin/python bench/path/against_glmnet.py PROGRAM [--sets a9a,ijcnn1] [--loss logistic|squared]

PROGRAM is the built s3gd. Both get the same rows (double for glmnet, which takes nothing else), intercept free, nothing
standardised, one thread; processor time of the path alone. Each takes the loosest of its tolerances, a factor of ten
apart, whose objectives are all within --accuracy (1e-6) of the best anybody has found there; that one is timed, in turns.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.sparse
from glmnet import ElasticNet, LogitNet

SCALED = {"a9a": "none", "ijcnn1": "none", "20newsgroups": "none"}
TOLERANCES = [10.0 ** -k for k in range(3, 13)]


def rows_of(program, name, folder):
    path = os.path.join(folder, "rows.npz")
    subprocess.run([program, "convert", name, path, "--scale", SCALED.get(name, "max-abs"), "--quiet"], check=True)
    archive = np.load(path, allow_pickle=False)
    labels = archive["y"].astype(float)
    x = scipy.sparse.load_npz(path) if "indptr" in archive else archive[[k for k in "Xx" if k in archive][0]]
    return path, x, labels


class Objective:
    """mean loss + lambda ||w||_1 in double."""

    def __init__(self, x, y, loss):
        self.x = x.astype(np.float64)
        self.y, self.loss = y, loss

    def __call__(self, w, intercept, lam):
        margins = self.x @ w + intercept
        if self.loss == "squared":
            return np.mean((margins - self.y) ** 2) + lam * np.abs(w).sum()
        return np.mean(np.logaddexp(0, -self.y * margins)) + lam * np.abs(w).sum()


def ours(program, path, loss, positive, lambdas, tol, cols):
    command = [program, "path", path, "--penalty", "l1", "--loss", loss, "--lambda", ",".join(map(repr, lambdas)),
               "--tol", repr(tol), "--json", "--weights", "--quiet", "--threads", "1"]
    if loss != "squared":
        command += ["--binary", positive]
    result = json.loads(subprocess.run(command, capture_output=True).stdout)
    weights = []
    for point in result["points"]:
        w = np.zeros(cols)
        w[point["weights"]["columns"]] = point["weights"]["values"]
        weights.append((w, point["intercept"]))
    return result["cpu_seconds"], weights


def glmnet(x, y, loss, lambdas, tol):
    settings = dict(alpha=1, standardize=False, fit_intercept=True, n_splits=0, tol=tol, max_iter=10 ** 7)
    if loss == "squared":
        model = ElasticNet(lambda_path=[lam / 2 for lam in lambdas], **settings)
    else:
        model = LogitNet(lambda_path=lambdas, **settings)
    started = time.process_time()
    model.fit(x, y)
    seconds = time.process_time() - started
    coefficients = np.squeeze(model.coef_path_)
    intercepts = np.ravel(model.intercept_path_)
    return seconds, [(coefficients[:, k], intercepts[k]) for k in range(coefficients.shape[1])]


def loosest(fit, judge, best, lambdas, accuracy):
    """The first tolerance good enough at every lambda, and how good it is."""
    for tol in TOLERANCES:
        _, weights = fit(tol)
        if len(weights) < len(lambdas):
            continue
        values = np.array([judge(w, b, lam) for (w, b), lam in zip(weights, lambdas)])
        worst = np.max(values / best - 1)
        if worst <= accuracy:
            return tol, worst
    return None, worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--sets", default="a9a,ijcnn1,20newsgroups,covtype-93k")
    parser.add_argument("--loss", default="logistic")
    parser.add_argument("--lambdas", default="50")
    parser.add_argument("--accuracy", type=float, default=1e-6)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    loss = arguments.loss
    for name in arguments.sets.split(","):
        with tempfile.TemporaryDirectory() as folder:
            path, x, labels = rows_of(arguments.program, name, folder)
            values, counts = np.unique(labels, return_counts=True)
            positive = values[np.argmax(counts)]
            y = labels if loss == "squared" else np.where(labels == positive, 1.0, -1.0)
            grid = [arguments.program, "path", path, "--penalty", "l1", "--loss", loss, "--lambdas", arguments.lambdas,
                    "--tol", "1e-10", "--json", "--weights", "--quiet", "--threads", "1"]
            if loss != "squared":
                grid += ["--binary", "%g" % positive]
            exact = json.loads(subprocess.run(grid, capture_output=True, check=True).stdout)
            lambdas = [point["lambda"] for point in exact["points"]][1:]  # the first is the null model
            judge = Objective(x, y, loss)
            best = np.array([point["objective"] for point in exact["points"]][1:])
            matrix = scipy.sparse.csc_matrix(x.astype(np.float64)) if scipy.sparse.issparse(x) else np.asfortranarray(
                x.astype(np.float64))
            us = lambda tol: ours(arguments.program, path, loss, "%g" % positive, lambdas, tol, x.shape[1])
            them = lambda tol: glmnet(matrix, y, loss, lambdas, tol)
            our_tol, our_worst = loosest(us, judge, best, lambdas, arguments.accuracy)
            their_tol, their_worst = loosest(them, judge, best, lambdas, arguments.accuracy)
            if our_tol is None or their_tol is None:
                print(f"{name:14} {loss}: not reached, ours {our_worst:.1e}, glmnet {their_worst:.1e}")
                continue
            times = [(us(our_tol)[0], them(their_tol)[0]) for _ in range(arguments.rounds)]
            ours_s, theirs_s = (statistics.median(column) for column in zip(*times))
            print(f"{name:14} {loss}: ours {ours_s:.3f} s (tol {our_tol:.0e}, off by {our_worst:.0e}), glmnet "
                  f"{theirs_s:.3f} s (tol {their_tol:.0e}, off by {their_worst:.0e}): {theirs_s / ours_s:.2f} times faster",
                  flush=True)


if __name__ == "__main__":
    main()
