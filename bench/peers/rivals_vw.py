"""Vowpal Wabbit: online (with its adaptive, normalised steps) and L-BFGS, reading its own binary cache.

It has no interface to a matrix in memory: the cache is written outside the clock, reading it is inside.
"""
import tempfile
from pathlib import Path

import numpy as np

from rivals import COUNTS, Rival

MOST_STORED = 2e6  # non-zeros beyond which writing its text takes longer than all the rest together
_folder = None
_caches = {}


def text_of(inputs):
    x, y = inputs.x("csr32"), inputs.y64
    for i in range(inputs.n):
        begin, end = x.indptr[i], x.indptr[i + 1]
        pairs = " ".join(f"{j}:{v:.9g}" for j, v in zip(x.indices[begin:end].tolist(), x.data[begin:end].tolist()))
        yield f"{int(y[i])} | {pairs}\n"


def cache_of(inputs):
    """The rows as text, and the arguments common to all runs: written once per set."""
    global _folder
    key = id(inputs.data)
    if key not in _caches:
        _folder = _folder or tempfile.TemporaryDirectory(prefix="peers-vw-")
        path = Path(_folder.name) / f"{key}.txt"
        with open(path, "w") as file:
            file.writelines(text_of(inputs))
        _caches[key] = path
    return _caches[key]


def weights_in(model, d):
    w = np.zeros(d)
    for line in model.read_text().splitlines():
        index, colon, value = line.partition(":")
        if colon and index.isdigit() and int(index) < d:
            w[int(index)] = float(value.split()[0])
    return w


def fit(inputs, layout, effort, seed, extra):
    from vowpalwabbit import Workspace
    path = cache_of(inputs)
    bits = max(10, int(np.ceil(np.log2(inputs.d + 1))))
    strength = 2 * inputs.lam * (inputs.n if "--bfgs" in extra else 1)
    workspace = Workspace(f"-d {path} --cache_file {path}.cache --passes {effort} --loss_function logistic --noconstant "
                          f"-b {bits} --l2 {strength:.9g} --holdout_off --random_seed {seed + 1} --quiet --predict_only_model "
                          f"--readable_model {path.with_suffix('.model')} {extra}")
    workspace.finish()  # writes the model, the decay by l2 multiplied in: before, the weights are without it
    return weights_in(path.with_suffix(".model"), inputs.d)


FEW = tuple(c for c in COUNTS if c <= 60)
RIVALS = [
    Rival("vw", "vowpalwabbit", lambda *args: fit(*args, extra=""), layouts=("csr32",), efforts=FEW, stochastic=True,
          most_stored=MOST_STORED),
    Rival("vw-sgd", "vowpalwabbit", lambda *args: fit(*args, extra="--sgd -l 0.5 --power_t 0.5"), layouts=("csr32",),
          efforts=FEW, stochastic=True, most_stored=MOST_STORED),
    Rival("vw-bfgs", "vowpalwabbit", lambda *args: fit(*args, extra="--bfgs --termination 0"), layouts=("csr32",),
          efforts=tuple(c for c in COUNTS if 3 <= c <= 130), most_stored=MOST_STORED),
]
