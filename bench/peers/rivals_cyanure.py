"""Cyanure: auto, miso, qning-miso, svrg, qning-svrg (and its L1 solvers), float32 and float64."""
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rivals import COUNTS, L1_LOGISTIC, L1_SQUARED, L2_LOGISTIC, Rival

warnings.filterwarnings("ignore", category=ConvergenceWarning)


def fit(inputs, layout, effort, seed, solver):
    from cyanure.estimators import Classifier, Regression
    strength = 2 * inputs.lam if inputs.penalty == "l2" else inputs.lam
    settings = dict(penalty=inputs.penalty, fit_intercept=False, tol=1e-14, solver=solver, random_state=seed,
                    max_iter=effort, verbose=False, n_threads=inputs.threads,
                    duality_gap_interval=effort,  # a look at its gap costs a pass: one at the end
                    safe=False)                   # no checks of the input: faster
    x, y = inputs.x(layout), inputs.y(layout)
    if inputs.loss == "squared":
        model = Regression(lambda_1=strength / 2, **settings)
    else:
        model = Classifier(loss="logistic", lambda_1=strength, **settings)
    model._binary_problem = True  # what those checks would have found
    return np.ravel(model.fit(x, y).coef_)


def variant(solver, bits, problems=(L2_LOGISTIC,)):
    return Rival(f"cyanure-{solver}-{bits}", "cyanure",
                 lambda *args: fit(*args, solver=solver),
                 layouts=(f"c{bits}", f"csr{bits}"), stochastic=True, efforts=tuple(c for c in COUNTS if 2 <= c <= 1000),
                 problems=problems)


EVERY = (L2_LOGISTIC, L1_LOGISTIC, L1_SQUARED)
RIVALS = [variant(solver, bits, EVERY if solver in ("auto", "svrg", "qning-svrg") else (L2_LOGISTIC,))
          for bits in (32, 64) for solver in ("auto", "miso", "qning-miso", "svrg", "qning-svrg")]
