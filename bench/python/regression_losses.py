#!/usr/bin/env python3
"""HuberRegressor and PoissonRegressor beside scikit-learn's: PYTHONPATH=build/release/python regression_losses.py [--data FOLDER]

Each set is fitted by both in turn, --rounds times, at tight tolerances; medians of processor seconds, so that a busy machine does
not matter. The sets are the first --rows rows of FOLDER/NAME/train.svm.zst. The target is the label, for Poisson less the smallest
one, a count; with Huber also the column with the fewest equal values, unless more than half of every column is one number. `scaled`
divides columns by their deviation. Then come by how much scikit-learn's objective is above ours, over ours, and the largest
difference of coefficients (in units of a column's deviation, over the largest coefficient), that of margins (root of the mean square,
over their deviation), last how either ended. Generated sets come first; without --data they are all.

HuberRegressor ends where the objective changes by less than scipy's ftol, 2.2e-9 of itself, which none of its parameters changes.
With --to-the-end scipy is given ftol 0, any number of evaluations and 50 past steps in its place: it goes on until its gradient is below
tol 1e-7, --iterations are used up, or its search finds no smaller number. That is where its optimum is, not what its users get.
"""
import argparse
import contextlib
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
import s3gd
from scipy import optimize, sparse
from scipy.special import xlogy
from sklearn import linear_model
from sklearn.linear_model import _huber
SETS = ["webspam-500", "a9a", "ijcnn1", "covtype-93k", "enron-spam-unigram", "fer2013-hog256", "adbench-cover10", "diabetes130",
        "kddcup99-10pct", "mnist", "20newsgroups", "cifar10-hog800"]


def generated(rows, cols, loss, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols))
    u = X @ rng.normal(size=cols) / np.sqrt(cols)
    if loss == "poisson":
        return X, rng.poisson(np.exp(u + 1)).astype(float)
    return X, u + 0.3 * rng.standard_t(1.5, size=rows)


def shared(folder, name):
    data = s3gd.load(str(Path(folder) / name / "train.svm.zst"))
    X = data.X.astype(np.float64)
    return X, np.asarray(data.y, dtype=float)


def with_column(X):
    """The rows without the column that is the target, and the target; None where there is no such column."""
    some = X[:5000].toarray() if sparse.issparse(X) else X[:5000]
    shares = [np.unique(column, return_counts=True)[1].max() / len(column) for column in some.T]
    best = int(np.argmin(shares))
    if shares[best] > 0.5:
        return None
    others = np.delete(np.arange(X.shape[1]), best)
    target = X[:, [best]].toarray()[:, 0] if sparse.issparse(X) else X[:, best]
    return (X[:, others].tocsr() if sparse.issparse(X) else np.ascontiguousarray(X[:, others])), target.astype(float)


def deviations(X):
    if not sparse.issparse(X):
        found = X.std(axis=0)
    else:
        mean = np.asarray(X.mean(axis=0)).ravel()
        found = np.sqrt(np.maximum(np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2, 0))
    return np.where(found > 0, found, 1.0)


def scaled(X):
    factor = 1 / deviations(X)
    return (X @ sparse.diags(factor)).tocsr() if sparse.issparse(X) else X * factor


def margin(model, X):
    return X @ model.coef_ + model.intercept_


def objective(loss, X, y, model, parameters):
    u = margin(model, X)
    if loss == "poisson":
        with np.errstate(over="ignore"):
            return np.mean(np.exp(u) - y * u + xlogy(y, y) - y) + parameters["alpha"] / 2 * model.coef_ @ model.coef_
    epsilon, sigma = 1.35, model.scale_
    z = np.abs(u - y) / sigma
    h = np.where(z < epsilon, z**2, 2 * epsilon * z - epsilon**2)
    return np.mean(sigma + sigma * h) + parameters["alpha"] / len(y) * model.coef_ @ model.coef_


def minimize_to_the_end(*args, options, **others):
    """scipy's, with a search that finds no smaller number being an end like any other."""
    result = optimize.minimize(*args, options=options | {"ftol": 0, "maxfun": 10**9, "maxcor": 50}, **others)
    result.status = min(result.status, 1)
    return result


@contextlib.contextmanager
def scipy_to_the_end():
    _huber.optimize = argparse.Namespace(minimize=minimize_to_the_end)
    try:
        yield
    finally:
        _huber.optimize = optimize


def contenders(loss, parameters, dense, most):
    if loss == "huber":
        return {"s3gd": s3gd.HuberRegressor(tol=1e-10, max_iter=10_000, **parameters),
                "lbfgs": linear_model.HuberRegressor(tol=1e-7, max_iter=most, **parameters)}
    found = {"s3gd": s3gd.PoissonRegressor(tol=1e-10, max_iter=10_000, **parameters),
             "lbfgs": linear_model.PoissonRegressor(tol=1e-7, max_iter=most, **parameters)}
    if dense:
        found["newton-cholesky"] = linear_model.PoissonRegressor(solver="newton-cholesky", tol=1e-7, max_iter=1000, **parameters)
    return found


def seconds(model, X, y):
    began = time.process_time()
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            model.fit(X, y)
        model.gave_up = any("failed" in str(one.message) or "ABNORMAL" in str(one.message) for one in warned)
    except ValueError:  # scikit-learn's, where its search fails
        model.coef_ = np.full(X.shape[1], np.nan)
        model.intercept_ = model.scale_ = np.nan
        model.gave_up = True
    return time.process_time() - began


def ended(model):
    if model.gave_up:
        return "its search failed"
    return "most iterations" if np.max(model.n_iter_) >= model.max_iter else "converged"


def compare(title, loss, X, y, arguments):
    parameters = {"alpha": arguments.alpha or (1e-4 if loss == "huber" else 1e-3)}
    models = contenders(loss, parameters, not sparse.issparse(X), arguments.iterations)
    times = {name: [] for name in models}
    for _ in range(arguments.rounds):
        for name, model in models.items():
            times[name].append(seconds(model, X, y))
    ours, spread = models["s3gd"], deviations(X)
    own, value = statistics.median(times["s3gd"]), objective(loss, X, y, models["s3gd"], parameters)
    for name, model in models.items():
        if name == "s3gd":
            continue
        theirs = statistics.median(times[name])
        apart = np.abs((model.coef_ - ours.coef_) * spread).max() / max(1e-300, np.abs(ours.coef_ * spread).max())
        predicted = np.sqrt(np.mean((margin(model, X) - margin(ours, X))**2)) / margin(ours, X).std()
        worse = (objective(loss, X, y, model, parameters) - value) / abs(value)
        print(f"| {title} | {loss} | {X.shape[0]} x {X.shape[1]} | {name} | {theirs:.3f} | {own:.3f} | {theirs / own:.1f} | {worse:.1e} "
              f"| {apart:.1e} | {predicted:.1e} | {ended(model)} | {ours.summary_.status}, sigma {getattr(ours, 'scale_', np.nan):.1e} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data")
    parser.add_argument("--sets", nargs="*", default=["generated", *SETS])
    parser.add_argument("--losses", nargs="*", default=["huber", "poisson"])
    parser.add_argument("--alpha", type=float, help="the penalty; for Huber 1e-4, for Poisson 1e-3 unless given")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--iterations", type=int, default=5000, help="at most, of scikit-learn's")
    parser.add_argument("--to-the-end", action="store_true", help="HuberRegressor does not stop at scipy's ftol")
    arguments = parser.parse_args()
    with scipy_to_the_end() if arguments.to_the_end else contextlib.nullcontext():
        run(arguments)


def run(arguments):
    print("| set | loss | size | scikit-learn's solver | theirs s | ours s | ratio | their objective above ours | coefficients apart | margins apart | theirs | ours |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for loss in arguments.losses if "generated" in arguments.sets else []:
        for rows, cols in ((500, 5), (20_000, 20), (100_000, 100)):
            compare("generated", loss, *generated(rows, cols, loss), arguments)
    for name in SETS if arguments.data else []:
        if name not in arguments.sets:
            continue
        rows, labels = (part[:arguments.rows] for part in shared(arguments.data, name))
        for loss in arguments.losses:
            problems = {name: (rows, labels if loss == "huber" else labels - labels.min())}
            if loss == "huber" and (column := with_column(rows)):
                problems[name + ", column"] = column
            for title, (X, y) in problems.items():
                compare(title, loss, X, y, arguments)
                compare(title + ", scaled", loss, scaled(X), y, arguments)


if __name__ == "__main__":
    main()
