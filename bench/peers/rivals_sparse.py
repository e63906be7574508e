"""For L1: celer, skglm (both with working sets) and glmnet; glmnet for L2 as well."""
import warnings

import numpy as np

from rivals import L1_LOGISTIC, L1_SQUARED, L2_LOGISTIC, TOLERANCES, Rival

warnings.filterwarnings("ignore")
LOOSE_TO_TIGHT = TOLERANCES[2:]


def celer(inputs, layout, effort, seed):
    from celer import Lasso, LogisticRegression
    if inputs.loss == "squared":
        model = Lasso(alpha=inputs.lam / 2, fit_intercept=False, tol=effort)
    else:
        model = LogisticRegression(C=1 / (inputs.n * inputs.lam), fit_intercept=False, tol=effort)
    return np.ravel(model.fit(inputs.x(layout), inputs.y(layout)).coef_)


def skglm(inputs, layout, effort, seed):
    from skglm import Lasso, SparseLogisticRegression
    if inputs.loss == "squared":
        model = Lasso(alpha=inputs.lam / 2, fit_intercept=False, tol=effort)
    else:
        model = SparseLogisticRegression(alpha=inputs.lam, fit_intercept=False, tol=effort)
    return np.ravel(model.fit(inputs.x(layout), inputs.y(layout)).coef_)


def not_quite_constant(inputs, layout):
    """glmnet leaves out constant columns: the column of ones differs in one row by what hardly counts."""
    key = layout + " not constant"
    if key not in inputs.made:
        x = inputs.x(layout).copy()
        x[0, x.shape[1] - 1] = 1 + 1e-12
        inputs.made[key] = x
    return inputs.made[key]


def glmnet(inputs, layout, effort, seed):
    from glmnet import ElasticNet, LogitNet
    l1 = inputs.penalty == "l1"
    strength = inputs.lam if l1 else 2 * inputs.lam
    settings = dict(alpha=1 if l1 else 0, standardize=False, fit_intercept=False, n_splits=0, tol=effort)
    x = not_quite_constant(inputs, layout)
    if inputs.loss == "squared":
        model = ElasticNet(lambda_path=[strength / 2], **settings)
    else:
        model = LogitNet(lambda_path=[strength], **settings)
    model.fit(x, inputs.y64)
    return np.ravel(model.coef_path_)


L1 = (L1_LOGISTIC, L1_SQUARED)
RIVALS = [
    Rival("celer", "celer", celer, layouts=("f64", "csc64"), efforts=LOOSE_TO_TIGHT, problems=L1),
    Rival("skglm", "skglm", skglm, layouts=("f64", "csc64"), efforts=LOOSE_TO_TIGHT, problems=L1),
    Rival("glmnet", "glmnet", glmnet, layouts=("f64", "csc64"), efforts=LOOSE_TO_TIGHT, problems=(L2_LOGISTIC, *L1)),
]
