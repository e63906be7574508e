"""scikit-learn: LogisticRegression by each of its solvers, SGDClassifier plain and averaged, Lasso."""
import math
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LogisticRegression, SGDClassifier

from rivals import COUNTS, L1_LOGISTIC, L1_SQUARED, L2_LOGISTIC, TOLERANCES, Rival

warnings.filterwarnings("ignore", category=ConvergenceWarning)
warnings.filterwarnings("ignore", category=FutureWarning)
WIDEST_HESSIAN = 5000  # columns: it factorises a dense matrix of this side
NEVER = 1e-14  # a tolerance that does not end a run before its iterations do
FEW = tuple(c for c in COUNTS if c <= 60)


def logistic(inputs, layout, effort, seed, solver):
    l1 = inputs.penalty == "l1"
    cost = 1 / (inputs.n * inputs.lam) if l1 else 1 / (2 * inputs.n * inputs.lam)
    by_tolerance = solver == "liblinear"
    model = LogisticRegression(C=cost, solver=solver, fit_intercept=False, l1_ratio=1.0 if l1 else 0.0,
                               max_iter=5000 if by_tolerance else effort, tol=effort if by_tolerance else NEVER,
                               random_state=seed)
    return model.fit(inputs.x(layout), inputs.y(layout)).coef_[0]


def sgd(inputs, layout, effort, seed, average, rate, step):
    model = SGDClassifier(loss="log_loss", penalty="l2", alpha=2 * inputs.lam, fit_intercept=False, max_iter=effort,
                          tol=None, shuffle=True, random_state=seed, learning_rate=rate, eta0=step,
                          average=inputs.n if average == "last" else average)
    return model.fit(inputs.x(layout), inputs.y(layout)).coef_[0]


def lasso(inputs, layout, effort, seed):
    model = Lasso(alpha=inputs.lam / 2, fit_intercept=False, max_iter=effort, tol=NEVER, precompute=False)
    return np.ravel(model.fit(inputs.x(layout), inputs.y(layout)).coef_)


def by(solver, bits, problem=L2_LOGISTIC, efforts=COUNTS, stochastic=False, most_cols=math.inf):
    return Rival(f"sk-{solver}-{bits}", "sklearn", lambda *args: logistic(*args, solver=solver),
                 layouts=(f"c{bits}", f"csr{bits}"), efforts=efforts, stochastic=stochastic,
                 problems=problem if isinstance(problem[0], tuple) else (problem,), most_cols=most_cols)


def sgd_variant(name, average=False, rate="optimal", step=0.1):
    return Rival(name, "sklearn", lambda *args: sgd(*args, average=average, rate=rate, step=step), stochastic=True,
                 efforts=tuple(c for c in COUNTS if c <= 130))


RIVALS = [
    by("lbfgs", 32), by("lbfgs", 64),
    by("liblinear", 64, efforts=TOLERANCES),
    by("sag", 32, stochastic=True), by("sag", 64, stochastic=True),
    by("saga", 32, (L2_LOGISTIC, L1_LOGISTIC), stochastic=True),
    by("saga", 64, (L2_LOGISTIC, L1_LOGISTIC), stochastic=True),
    by("newton-cholesky", 32, efforts=FEW, most_cols=WIDEST_HESSIAN),
    by("newton-cholesky", 64, efforts=FEW, most_cols=WIDEST_HESSIAN),
    by("newton-cg", 32, efforts=FEW), by("newton-cg", 64, efforts=FEW),
    sgd_variant("sk-sgd"), sgd_variant("sk-asgd", average=True),
    *(sgd_variant(f"sk-asgd-{step:g}", average=True, rate="constant", step=step) for step in (0.01, 0.1, 1.0)),
    *(sgd_variant(f"sk-asgd-late-{step:g}", average="last", rate="constant", step=step) for step in (0.01, 0.1, 1.0)),
    Rival("sk-lasso-32", "sklearn", lasso, layouts=("f32", "csc32"), problems=(L1_SQUARED,)),
    Rival("sk-lasso-64", "sklearn", lasso, layouts=("f64", "csc64"), problems=(L1_SQUARED,)),
]
