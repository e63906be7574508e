"""From scikit-learn's parameters to the objective of the library: the only place where that is done.

docs/python.md states the library's objective F = sum_i q_i psi_i + R, and the table that follows from what is here. In R,

    l2 lambda ||w||^2 (no one half),  l1 lambda ||w||_1,  elastic net lambda (1 - a) ||w||_1 + lambda a ||w||^2.

scikit-learn states either `m sum_i q_i psi_i + alpha P` or `P + C m sum_i s_i psi_i` (s_i the weights of the rows, q_i their
shares of the sum S), where `m psi` is its form of the loss and P its penalty (with one half before the square). Divided by
what stands before the loss, both are

    sum_i q_i psi_i + multiplier P.
"""

# scikit-learn's name of a loss: the library's name, and m.
LOSSES = {
    "log_loss": ("logistic", 1.0),
    "squared_error": ("squared", 0.5),  # (u - y)^2 / 2
    "squared_hinge": ("squared-hinge", 2.0),  # max(0, 1 - yu)^2
    "smooth_hinge": ("smooth-hinge", 1.0),
    "huber": ("huber", 0.5),
    "poisson": ("poisson", 1.0),
}
# Of penalties of one norm: the library's name, the multiplier over lambda, and the share of the 1-norm.
_PLAIN = {"l2": ("l2", 2.0, 0.0), "l1": ("l1", 1.0, 1.0), "group": ("group-lasso", 1.0, 0.0), "nuclear": ("nuclear", 1.0, 0.0)}
LARGEST_LOGARITHM = 709.782712893384  # whose exponential is a double
# Those whose targets are numbers.
REGRESSION = ("squared_error", "huber", "poisson")


def multiplier_of_alpha(alpha, loss):
    """For `m sum_i q_i psi_i + alpha P`."""
    return alpha / LOSSES[loss][1]


def multiplier_of_C(C, loss, total_weight):
    """For `P + C m sum_i s_i psi_i`; total_weight is S. An infinite C is no penalty."""
    return 1.0 / (C * LOSSES[loss][1] * total_weight)


def multiplier_of_ridge(alpha, total_weight):
    """For `sum_i s_i (u_i - y_i)^2 + alpha ||w||^2`, which is twice P."""
    return 2.0 * alpha / total_weight


def core_penalty(penalty, multiplier, l1_ratio=None):
    """The library's name and numbers for `multiplier * P`.

    P is ||w||^2/2 (l2), ||w||_1 (l1), l1_ratio ||w||_1 + (1 - l1_ratio) ||w||^2/2 (elasticnet),
    l1_ratio ||w||_1 + (1 - l1_ratio) ||w||_2 (l1_l2norm), sum_j ||W_:j||_2 (group) or the sum of W's singular values
    (nuclear).
    """
    if penalty is None or multiplier == 0:
        return {"penalty": "none", "lambda": 0.0}
    if penalty == "elasticnet" and l1_ratio in (0, 1):
        penalty = "l1" if l1_ratio == 1 else "l2"
    if penalty == "elasticnet":
        return {"penalty": "elastic-net", "lambda": multiplier * (1 + l1_ratio) / 2,
                "alpha": (1 - l1_ratio) / (1 + l1_ratio)}
    if penalty == "l1_l2norm":
        return {"penalty": "l1-l2norm", "lambda": multiplier, "alpha": 1 - l1_ratio}
    name, factor, _ = _PLAIN[penalty]
    return {"penalty": name, "lambda": multiplier / factor}


def multiplier_from_core(penalty, lambda_, alpha):
    """The other way: scikit-learn's name of P, `multiplier` and `l1_ratio` for a penalty of the library."""
    if penalty == "elastic-net":
        return "elasticnet", lambda_ * (1 + alpha), (1 - alpha) / (1 + alpha)
    if penalty == "l1-l2norm":
        return "l1_l2norm", lambda_, 1 - alpha
    if penalty == "none":
        return None, 0.0, 0.0
    for ours, (name, factor, l1_ratio) in _PLAIN.items():
        if name == penalty:
            return ours, factor * lambda_, l1_ratio
    raise ValueError(f"No estimator has the penalty {penalty}.")
