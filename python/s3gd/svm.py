"""Linear support vector classification with smooth losses."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ._classifier import ScaledIntercept
from ._objective import multiplier_of_C
from ._validation import class_weights, require_weight_in_each_class


@dataclass(eq=False, repr=False)
class LinearSVC(ScaledIntercept):
    """Linear support vector classification: two classes, or more each against the rest.

    Minimises scikit-learn's objective, ``P(w) + C sum_i s_i loss_i`` with ``P = ||w||^2 / 2`` or ``||w||_1``, ``s_i`` the
    sample weight times the class weight of row i, and ``loss_i = max(0, 1 - y_i u_i)^2`` (squared_hinge) or
    ``log(1 + exp(-beta (y_i u_i - 1))) / beta`` (smooth_hinge), which approaches the hinge as `beta` grows.

    As in scikit-learn the intercept is penalised as the weight of a constant feature ``intercept_scaling``.
    ``intercept="free"`` leaves it unpenalised.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
    loss : {"squared_hinge", "smooth_hinge"}, default="squared_hinge"
    dual : object, default="auto"
        Taken, and of no effect: the solver is chosen by the shape of the problem.
    tol : float, default=1e-4
        The relative duality gap to reach. Problems of up to 20 000 numbers are solved as far as double precision goes.
    C : float, default=1.0
        Inverse strength of the penalty.
    beta : float, default=10.0
        Of the smooth hinge.
    multi_class : "ovr"
        Each class against the rest; there is no other way here.
    intercept : {"regularised", "free"}, default="regularised"
        Whether it is penalised.
    intercept_scaling : float, default=1.0
        The constant feature behind a penalised intercept. Other values than 1 take a copy of the rows.
    class_weight : dict or "balanced", optional
        Weights of the classes. With more than two classes, the weight of a class counts in the problem where it is
        told from the rest, as in scikit-learn.
    fit_intercept, verbose, random_state, max_iter, solver, warm_start, n_jobs, trace, max_seconds, patience, keep_on_interrupt :
        See `LogisticRegression`.

    Attributes
    ----------
    n_iter_ : int
        Passes over the rows, rounded up.
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, summary_, trace_, weight_seen_ :
        As of `LogisticRegression`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from s3gd import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC(C=0.5).fit(X, y)
    >>> model.decision_function(X[:2]).shape
    (2, 3)
    >>> round(model.score(X, y), 2)
    0.97
    """

    penalty: str = "l2"
    loss: str = "squared_hinge"
    _: KW_ONLY
    dual: object = "auto"
    C: float = 1.0
    beta: float = 10.0
    multi_class: str = "ovr"
    intercept: str = "regularised"

    _multiclass = "ovr"
    _choices = {"loss": ("squared_hinge", "smooth_hinge"), "penalty": ("l2", "l1"), "intercept": ("regularised", "free")}

    def _check_parameters(self):
        if self.loss == "hinge":
            raise ValueError("The hinge has no gradient at its corner: loss='smooth_hinge' with a large beta is close to it.")
        super()._check_parameters()
        if self.multi_class != "ovr":
            raise ValueError(f"More than two classes are told each from the rest, multi_class='ovr'; got {self.multi_class!r}.")

    def _multiplier(self, total_weight):
        return multiplier_of_C(self.C, self.loss, total_weight)

    def _intercept_kind(self):
        return self.intercept

    def _with_class_weights(self, codes, weights):
        if len(self.classes_) == 2:
            return super()._with_class_weights(codes, weights)
        return weights  # each class has its own, see _run_rows

    def _run_rows(self, X, targets, weights, task, n_classes, *, start=None, validation=(None, None), **rest):
        """As LIBLINEAR does: in a problem of one class against the rest, the weight of that class alone counts."""
        factors = None
        if task == "ovr":
            factors = class_weights(self.class_weight, self.classes_, targets, weights)
        if factors is None:
            return super()._run_rows(X, targets, weights, task, n_classes, start=start, validation=validation, **rest)
        require_weight_in_each_class(self.classes_, targets, factors[targets])
        fits = []
        for k, factor in enumerate(factors):
            positive = targets == k
            weighted = np.where(positive, factor, 1.0) * (1.0 if weights is None else weights)
            rows_val, targets_val = validation
            own = None if start is None else tuple(part[k:k + 1] for part in start)
            if fits and fits[-1]["summary"]["status"] == "interrupted":
                fits.append(left_out(fits[0], own))
                continue
            fits.append(super()._run_rows(X, positive, weighted, "binary", 2, start=own, **rest,
                                          validation=(rows_val, None if rows_val is None else (targets_val == k) * 1.0)))
        return merged(fits, self.classes_)


def left_out(fit, start):
    """Of a class that an interrupt came before: where it would have begun."""
    coef, intercept = (np.zeros_like(fit["coef"]), np.full(1, -1.0)) if start is None else start  # -1: it wins nowhere
    summary = {**fit["summary"], "status": "interrupted", "passes": 0.0, "iterations": 0, "stages": [], "advice": [],
               "advice_codes": [], "seconds": dict.fromkeys(fit["summary"]["seconds"], 0.0)}
    return {"coef": coef, "intercept": intercept, "summary": summary,
            "trace": {name: np.asarray(column)[:0] for name, column in fit["trace"].items()}}


def merged(fits, classes):
    """Fits of one class against the rest each, as one result; the summary is that of the class that went worst."""
    summaries = [fit["summary"] for fit in fits]
    rank = ["converged", "early_stopped", "out_of_passes", "out_of_time", "interrupted", "diverged"]
    worst = max(summaries, key=lambda s: (rank.index(s["status"]), s["certificate"]["relative_gap"]))
    advice = {text: code for s in summaries for text, code in zip(s["advice"], s["advice_codes"])}
    summary = {**worst, "objective": sum(s["objective"] for s in summaries),
               "passes": sum(s["passes"] for s in summaries), "iterations": sum(s["iterations"] for s in summaries),
               "stages": [{**stage, "name": f"{name}: {stage['name']}"}
                          for name, s in zip(classes, summaries) for stage in s["stages"]],
               "advice": list(advice), "advice_codes": list(advice.values()),
               "seconds": {part: sum(s["seconds"][part] for s in summaries) for part in worst["seconds"]}}
    trace = {column: np.concatenate([np.asarray(fit["trace"][column]) for fit in fits]) for column in fits[0]["trace"]}
    return {"coef": np.vstack([fit["coef"] for fit in fits]),
            "intercept": np.concatenate([fit["intercept"] for fit in fits]), "summary": summary, "trace": trace}
