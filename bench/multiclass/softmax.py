#!/usr/bin/env python3
"""Softmax on one set: ours against scikit-learn's lbfgs and saga, time to a given relative suboptimality.

    cmake --preset bench && cmake --build --preset bench --target bench_softmax
    build/peers/venv/bin/python bench/multiclass/softmax.py --data FILE.svm.zst [--rounds 3] [--out results.json]

Columns are scaled by their largest value, intercepts are free, lambda ||W||^2 is scikit-learn's C = 1/(2 n lambda). The
optimum comes from a certified run of ours and is checked by an objective of its own here. A rival is run with growing numbers
of iterations until its weights are good enough; the time of the first run that is counts, from matrix to weights. It may
have rows dense or sparse, in single or double precision: the fastest combination counts. Rounds are interleaved, the
median is told, in processor time of all threads (other programs disturb it less) and wall time.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import scipy.sparse

ITERATIONS = [2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 60, 75, 90, 110, 135, 165, 200, 250, 300, 370, 450,
              550, 680, 830, 1000, 1250, 1500, 2000, 2500, 3000, 4000]


def read(path):
    """Labels and rows of a LIBSVM file, compressed by zstd or not."""
    text = subprocess.run(["zstd", "-dc", path] if path.endswith(".zst") else ["cat", path], check=True,
                          capture_output=True).stdout
    labels, values, columns, starts = [], [], [], [0]
    for line in text.splitlines():
        parts = line.split()
        labels.append(float(parts[0]))
        for pair in parts[1:]:
            column, value = pair.split(b":")
            columns.append(int(column))
            values.append(float(value))
        starts.append(len(columns))
    columns = np.array(columns)
    columns -= columns.min()
    return np.array(labels), scipy.sparse.csr_matrix((np.array(values), columns, starts))


class Judge:
    def __init__(self, x, labels, lam):
        self.x, self.lam = x.astype(np.float64), lam
        self.y = np.searchsorted(np.unique(labels), labels)

    def __call__(self, weights, intercepts):
        u = self.x @ weights.T + intercepts
        top = u.max(axis=1, keepdims=True)
        lse = top[:, 0] + np.log(np.exp(u - top).sum(axis=1))
        return float(np.mean(lse - u[np.arange(len(u)), self.y]) + self.lam * np.sum(weights * weights))


def ours(program, data, lam, tol, rounds):
    answer = subprocess.run([program, data, repr(lam), repr(tol), "threads=2", f"rounds={rounds}"], check=True,
                            capture_output=True, text=True).stdout
    return [json.loads(line) for line in answer.splitlines()]


def sklearn_run(rows, labels, lam, solver, iterations):
    from sklearn.linear_model import LogisticRegression
    model = LogisticRegression(C=1 / (2 * len(labels) * lam), solver=solver, max_iter=iterations, tol=1e-14,
                               random_state=0)
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(rows, labels)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "w": model.coef_,
            "b": model.intercept_, "iterations": iterations}


def time_to(rows, labels, lam, solver, target, judge, patience):
    """The first number of iterations that is enough, and its time; None when patience (seconds) runs out."""
    for iterations in ITERATIONS:
        run = sklearn_run(rows, labels, lam, solver, iterations)
        if judge(run["w"], run["b"]) <= target:
            return run
        if run["wall"] > patience:
            return None
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--program", default="build/bench/bench/bench_softmax")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--patience", type=float, default=120)
    parser.add_argument("--lambdas", default="1e-3,1/n")
    parser.add_argument("--accuracies", default="1e-3,1e-6")
    parser.add_argument("--solvers", default="lbfgs,saga")
    parser.add_argument("--layouts", default="csr64,csr32,dense64,dense32")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    labels, sparse = read(arguments.data)
    largest = np.maximum(abs(sparse).max(axis=0).toarray().ravel(), 1e-300)
    sparse = (sparse @ scipy.sparse.diags(1 / largest)).tocsr()
    layouts = {name: sparse.astype(np.float32 if name.endswith("32") else np.float64)
               for name in arguments.layouts.split(",")}
    layouts = {name: rows.toarray() if name.startswith("dense") else rows for name, rows in layouts.items()}
    results = []
    for name in arguments.lambdas.split(","):
        lam = 1 / len(labels) if name == "1/n" else float(name)
        judge = Judge(sparse, labels, lam)
        best = ours(arguments.program, arguments.data, lam, 1e-10, 1)[0]["objective"]
        for accuracy in map(float, arguments.accuracies.split(",")):
            target = best * (1 + accuracy)
            mine = ours(arguments.program, arguments.data, lam, accuracy, arguments.rounds)
            entry = {"lambda": name, "accuracy": accuracy, "optimum": best,
                     "ours": {clock: statistics.median(run[clock] for run in mine) for clock in ("wall", "cpu")},
                     "ours_suboptimality": mine[0]["objective"] / best - 1, "rivals": {}}
            for solver in arguments.solvers.split(","):
                for layout, rows in layouts.items():
                    run = time_to(rows, labels, lam, solver, target, judge, arguments.patience)
                    again = [run] if run is None else [run] + [sklearn_run(rows, labels, lam, solver, run["iterations"])
                                                               for _ in range(arguments.rounds - 1)]
                    told = None if run is None else {
                        "iterations": run["iterations"],
                        **{clock: statistics.median(r[clock] for r in again) for clock in ("wall", "cpu")}}
                    entry["rivals"][f"{solver}-{layout}"] = told
                    print(name, accuracy, solver, layout, told, "ours", entry["ours"], file=sys.stderr, flush=True)
            results.append(entry)
            for clock in ("wall", "cpu"):
                for solver in arguments.solvers.split(","):
                    reached = [r[clock] for k, r in entry["rivals"].items() if r and k.startswith(solver)]
                    ratio = min(reached) / entry["ours"][clock] if reached else float("inf")
                    print(f"lambda {name} to {accuracy:g}: {clock} ours {entry['ours'][clock]:.3f} s, {solver} "
                          f"{min(reached) if reached else float('inf'):.3f} s, {ratio:.1f} times", flush=True)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")
    main()
