#!/usr/bin/env python3
"""What an estimator costs beside the call of the core it makes: PYTHONPATH=build/release/python estimators.py

Processor milliseconds, medians of fits in turn: the whole `fit`, the call of `_core.fit` within it, and what scikit-learn's own
`validate_data` takes of the rest (without a look for NaN, which the core does). The bar: 1 ms plus 5 % over the core.
"""
import statistics
import time

import numpy as np
import s3gd
from s3gd import _base, _core
from s3gd._validation import checked_rows

SIZES = [(100, 5), (3000, 20), (3000, 20, "words"), (50000, 100), (200000, 200)]
ESTIMATORS = {"LogisticRegression": s3gd.LogisticRegression, "LinearSVC": s3gd.LinearSVC, "Ridge": s3gd.Ridge}


class Watched:
    """The core with a clock on `fit`."""

    def __init__(self):
        self.seconds = 0.0

    def __getattr__(self, name):
        return getattr(_core, name)

    def fit(self, *arguments, **options):
        began = time.process_time()
        try:
            return _core.fit(*arguments, **options)
        finally:
            self.seconds = time.process_time() - began


def make(rows, cols, labels="numbers"):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, cols)).astype(np.float32)
    y = (X @ rng.normal(size=cols) + 3 * rng.normal(size=rows) > 0).astype(int)
    return X, y if labels == "numbers" else np.where(y > 0, "yes", "no")


def milliseconds(call):
    began = time.process_time()
    call()
    return 1e3 * (time.process_time() - began)


def main():
    core = _base._core = Watched()
    print("estimator rows cols labels | fit ms | core ms | overhead ms | of it validate_data ms | above 1 ms + 5 %?")
    for size in SIZES:
        X, y = make(*size)
        for name, kind in ESTIMATORS.items():
            if name == "Ridge" and y.dtype.kind == "U":
                continue
            whole, within, checks = [], [], []
            for _ in range(60 if size[0] < 10000 else 9):
                model = kind(n_jobs=1)
                whole.append(milliseconds(lambda: model.fit(X, y)))
                within.append(1e3 * core.seconds)
                checks.append(milliseconds(lambda: checked_rows(model, X, y, reset=True, finite=False)))
            fit, own, check = map(statistics.median, (whole, within, checks))
            more = statistics.median(a - b for a, b in zip(whole, within))
            print(f"{name} {size[0]} {size[1]} {size[2] if len(size) > 2 else 'numbers'} | {fit:.3f} | {own:.3f} | {more:.3f} | "
                  f"{check:.3f} | {'yes' if more > 1 + 0.05 * own else 'no'}", flush=True)


if __name__ == "__main__":
    main()
