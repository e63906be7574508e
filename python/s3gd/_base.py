"""What all estimators share: from checked input to the compiled core, and from its result to attributes."""

import contextlib
import functools
import itertools
import math
import warnings
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._data import core_numbers, core_rows
from ._objective import LOSSES, core_penalty
from ._paths import PathMixin, centred, levels_to_the_caller
from ._results import Summary, Trace
from ._types import Callback, Labels, Path, RandomState, Request, Rows, Self, Weights
from ._validation import CHECKS, checked_rows, codes_of, require_finite, require_number, require_one_of, threads_of, total_weight
from ._advice import advice_for, class_named, in_words_of, stage_named

if TYPE_CHECKING:
    from ._types import BaseEstimator, ClassifierMixin, RegressorMixin
else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

# Up to so many numbers a problem is solved as far as double precision goes: it costs next to nothing, and results then
# do not depend on the order of the rows, or on whether a row is there twice or has weight 2.
SMALL_PROBLEM = 20_000
SMALL_PROBLEM_TOL = 1e-16

STOCHASTIC = ("s3gd", "sgd", "ssgd", "svrg", "scv", "saga", "sag", "is-sgd")
MOST_PASSES = 10**12
# Steps of partial_fit shrink as (1 + weight of the rows seen / STEP_SETTLES) ** -STEP_DECAY.
STEP_SETTLES, STEP_DECAY = 50.0, 0.75
# A penalty that is less than this of the objective makes no difference that could be seen.
LOST = 1e-13
ENDED_AS_ASKED = ("converged", "early_stopped", "interrupted")


def seed_of(random_state):
    """None is 0: a fit gives the same result each time unless another random state is asked for."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def joined(verbose, callback, classes):
    """The callback of the user, and lines on the screen where `verbose` asks for them; classes are named as in y."""
    if not verbose and callback is None:
        return None

    def show(row):
        if "class" in row:
            row["class"] = classes[row["class"]]
        if verbose:
            what = row.get("stage") or f"class {row['class']}"
            print(f"[s3gd] {what}: pass {row['passes']:.2f}  objective {row['train_objective']:.6g}  gap {row['gap']:.1e}",
                  flush=True)
        return callback(row) if callback is not None else None

    return show


def parameter(name):
    """The parameter of that name; None where an estimator has no such."""
    return property(lambda self: getattr(self, name, None))


@dataclass(eq=False, repr=False)
class LinearBase(PathMixin, BaseEstimator):
    """Fits one linear model. Its fields are the parameters of `__init__`, those here all estimators have.

    Derived classes say what is minimised: `_loss`, `_penalty`, `_l1_ratio` (scikit-learn's names; parameters, or constants of
    the class), `_multiplier(total_weight)` (see _objective), `_intercept()`; what kind of task it is: `_checked`, `_task`,
    `_set_parameters`; and check in `_check_parameters` what parameters have to do with each other.
    """

    _: KW_ONLY
    fit_intercept: bool = True
    tol: float = 1e-4
    max_iter: int = 1000
    solver: str = "auto"
    warm_start: bool = False
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0
    trace: bool = False
    max_seconds: float | None = None
    patience: int | None = None
    keep_on_interrupt: bool = False

    _loss: ClassVar[Any] = parameter("loss")
    _penalty: ClassVar[Any] = parameter("penalty")
    _l1_ratio: ClassVar[Any] = parameter("l1_ratio")
    _as_auto: ClassVar[tuple[str, ...]] = ()  # names of scikit-learn's solvers that are none of ours: they minimise the same
    _choices: ClassVar[dict[str, tuple[Any, ...]]] = {}  # of parameters that are words
    _may_be_none: ClassVar[tuple[str, ...]] = ()

    if TYPE_CHECKING:  # what derived classes have, and what scikit-learn makes
        _checked: ClassVar[Any]
        _set_parameters: ClassVar[Any]

        def set_fit_request(self, *, X_val: Request = ..., callback: Request = ..., sample_weight: Request = ...,
                            y_val: Request = ...) -> Self: ...

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"requires_y": True}

    # --- what is minimised, and how

    def _check_parameters(self):
        """Each by itself. None is right where it is the default, or said to be."""
        require_number("max_iter", self._most_passes(), least=1, most=MOST_PASSES)
        for name, check in CHECKS.items():
            value = getattr(self, name, None)
            if value is not None or (getattr(type(self), name, None) is not None and name not in self._may_be_none):
                check(name, value)
        for name, choices in self._choices.items():
            require_one_of(name, getattr(self, name), choices)

    def _intercept(self):
        return "free" if self.fit_intercept else "none"

    def _spec(self, task, n_classes, total_weight):
        spec = {"task": task, "n_classes": n_classes, "loss": LOSSES[self._loss][0], "intercept": self._intercept()}
        spec |= {name: float(getattr(self, name)) for name in ("beta", "knee") if hasattr(self, name)}
        return spec | core_penalty(self._penalty, self._multiplier(total_weight), self._l1_ratio)

    def _spec_on_record(self, spec):
        return spec

    def _penalised(self):
        return self._penalty is not None and self._multiplier(1.0) > 0

    def _solver(self, task):
        return "auto" if self.solver in self._as_auto else self.solver

    def _most_passes(self):
        return self.max_iter

    def _options(self, task, X):
        solver = self._solver(task)
        small = (X.nnz if sparse.issparse(X) else X.size) <= SMALL_PROBLEM and solver == "auto"
        return {"solver": solver, "tol": min(self.tol, SMALL_PROBLEM_TOL) if small else self.tol,
                "passes": float(self._most_passes()), "threads": 1 if small else threads_of(self.n_jobs),
                "seed": seed_of(self.random_state), "seconds": self.max_seconds, "patience": self.patience,
                "trace": bool(self.trace), "keep_on_interrupt": bool(self.keep_on_interrupt)}

    def _start(self, n_outputs, n_features):
        """Where a warm start begins: the parameters at hand, if they are of this shape."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        coef, intercept = self._parameters()
        return (coef, intercept) if coef.shape == (n_outputs, n_features) else None

    def _parameters(self):
        """Weights (outputs x features) and intercepts (outputs), dense."""
        coef = self.coef_.toarray() if sparse.issparse(self.coef_) else np.asarray(self.coef_)
        coef = np.atleast_2d(coef).astype(np.float64)
        return coef, np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), (coef.shape[0],)).copy()

    def _sizes(self):
        """What kind of task it is, how many classes there are (0: numbers), and how many outputs."""
        task = self._task()
        n_classes = 0 if task == "regression" else len(self.classes_)
        return task, n_classes, n_classes if task in ("ovr", "softmax") else 1

    # --- from here to the core and back

    def _run(self, X, targets, weights, task, n_classes, *, options=None, start=None, validation=(None, None),
             callback=None, weight_before=0.0, penalised=True):
        """One call of the core: its result with `coef` (outputs x features), `intercept`, `summary` and `trace`."""
        total = weight_before + total_weight(X.shape[0], weights)
        rows_val, targets_val = validation
        held_out = None if rows_val is None else core_rows(rows_val)
        spec = self._spec(task, n_classes, total)
        if not penalised:
            spec = {key: value for key, value in spec.items() if key not in ("alpha", "penalty_factor")}
            spec |= {"penalty": "none", "lambda": 0.0}
        with self._in_words(X=X, X_val=rows_val):
            return _core.fit(core_rows(X), core_numbers(targets), sample_weight=weights, spec=spec, options=options,
                             start=start, X_val=held_out, y_val=targets_val, callback=callback)

    @contextlib.contextmanager
    def _in_words(self, **rows):
        """What the core refuses, with the names of Python; of values that are not finite scikit-learn's own sentence."""
        try:
            yield
        except _core.Error as refusal:
            for name, part in rows.items():
                if part is not None:
                    require_finite(self, part, name)
            said = _core.Error(in_words_of(self, refusal.marked))
            said.code, said.option, said.marked = refusal.code, refusal.option, refusal.marked
            raise said from None

    def fit(self, X: Rows, y: Labels, sample_weight: Weights = None, X_val: Rows | None = None,
            y_val: Labels | None = None, callback: Callback | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows. float32 and float64 arrays in C order and CSR matrices are used where they are, without a copy.
        y : array-like of shape (n_samples,)
            The class or the target of each row.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each row; a row of weight 2 counts as if it were there twice.
        X_val, y_val : optional
            Other rows: the objective on them is traced (`trace_.test_objective`), and with `patience` ends the fit.
        callback : callable, optional
            Called with a dictionary (a row of the trace) each time the run is looked at; returning False ends the fit.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, targets, weights, *_ = self._checked(X, y, sample_weight)
        task, n_classes, n_outputs = self._sizes()
        classes = getattr(self, "classes_", np.empty(0))
        rows_val, targets_val = self._validation_rows(X_val, y_val, numeric_y=task == "regression")
        if n_classes and targets_val is not None:
            targets_val = codes_of(targets_val, classes, "y_val").astype(np.float64)
        callback = joined(self.verbose, callback, classes.tolist())
        run = functools.partial(self._run, X, targets, weights, task, n_classes, options=self._options(task, X),
                                validation=(rows_val, targets_val), callback=callback)
        result = run(start=self._start(n_outputs, X.shape[1]))
        self.weight_seen_ = total_weight(X.shape[0], weights)
        if self._penalty_is_lost(result):
            passes = result["summary"]["passes"]
            result = run(start=(result["coef"], result["intercept"]), penalised=False)
            result["summary"]["passes"] += passes
        self._keep(result, task)
        self._warn_unless_converged()
        return self

    def _penalty_is_lost(self, result):
        """Whether the penalty is too weak to make a difference to the objective in double precision (C=1e30, say).

        A duality gap, which divides by its strength, then never closes; that of no penalty at all does.
        """
        summary = result["summary"]
        if summary["status"] in ENDED_AS_ASKED or summary["certificate"]["relative_gap"] <= self.tol or not self._penalised():
            return False
        weights = np.abs(np.append(result["coef"], result["intercept"]))
        most = self._multiplier(self.weight_seen_) * (weights + weights**2).sum()
        return most < LOST * abs(summary["objective"])

    def _keep(self, result: dict[str, Any], task: str) -> None:
        coef = np.asarray(result["coef"], dtype=np.float64)
        intercept = np.asarray(result["intercept"], dtype=np.float64)
        if task == "softmax":
            coef, intercept = centred(coef, intercept, self._intercept(), self._penalised())
        self._set_parameters(coef, intercept)
        summary = dict(result["summary"])
        summary["tol"] = self.tol
        if summary["status"] not in ENDED_AS_ASKED and summary["certificate"]["relative_gap"] <= self.tol:
            summary["status"] = "converged"  # a small problem that stopped short of more than was asked for
            kept = [code["code"] != "stopped_short" for code in summary["advice_codes"]]
            for key in ("advice", "advice_codes"):
                summary[key] = list(itertools.compress(summary[key], kept))
        names = getattr(self, "classes_", ())
        summary["advice"] = advice_for(self, summary["advice"], summary["advice_codes"])
        summary["stages"] = [{**stage, "name": stage_named(names, stage["name"])} for stage in summary["stages"]]
        for one in summary.get("class_fits", ()):
            one["class"] = class_named(names, one["class"])
        self.summary_ = Summary(summary)
        self.trace_ = Trace({**result["trace"], "stage": [stage_named(names, stage) for stage in result["trace"]["stage"]]})
        self.n_iter_: int = max(1, math.ceil(summary["passes"]))

    def _warn_unless_converged(self):
        summary = self.summary_
        if summary.status in ENDED_AS_ASKED:
            return
        advice = "; ".join(summary.advice) or f"it ended {summary.status.replace('_', ' ')}, {summary._certificate_text()}"
        warnings.warn(f"The fit did not reach tol={self.tol:g}: {advice}.", ConvergenceWarning,
                      stacklevel=levels_to_the_caller())

    def _validation_rows(self, X_val, y_val, numeric_y):
        if X_val is None and y_val is None:
            return None, None
        if X_val is None or y_val is None:
            raise ValueError("X_val and y_val go together: give both, or neither.")
        return checked_rows(self, X_val, y_val, reset=False, numeric_y=numeric_y, finite=False)

    # --- a stream of rows

    def _partial_fit(self, X, targets, weights):
        """One stochastic pass over the rows from where the parameters are; see `partial_fit`."""
        task, n_classes, n_outputs = self._sizes()
        begun = hasattr(self, "coef_")
        if begun:
            coef, intercept = self._parameters()
        else:
            coef, intercept = np.zeros((n_outputs, X.shape[1])), np.zeros(n_outputs)
            self._first_step = None
        weight_before = self.weight_seen_ if begun else 0.0
        options = {**self._options(task, X), "passes": 1.0, "tol": np.finfo(float).tiny, "trace": False}
        if options["solver"] not in STOCHASTIC:
            options["solver"] = "sgd" if self._loss == "huber" else "s3gd"
        if options["solver"] == "s3gd" and options.get("propagation", "auto") == "auto":
            options["propagation"] = "constant"  # rows that are seen once and gone do not pay for a reference
        step = getattr(self, "_first_step", None)
        if step:
            options["step"] = step * (1 + weight_before / STEP_SETTLES)**-STEP_DECAY
        result = self._run(X, targets, weights, task, n_classes, options=options, start=(coef, intercept),
                           weight_before=weight_before)
        if not step:
            self._first_step = result["summary"]["step"]
        self.weight_seen_ = weight_before + total_weight(X.shape[0], weights)
        self._keep(result, task)
        return self

    # --- storage

    def save(self, path: Path) -> None:
        """Write the fitted model to a file that ``s3gd predict`` and `s3gd.load_model` read; see `s3gd.save_model`."""
        from ._model import save_model

        save_model(self, path)

    def _core_model(self):
        """The library's model of the parameters, and what is on record of the fit."""
        from ._model import class_names

        check_is_fitted(self)
        task, n_classes, _ = self._sizes()
        spec = self._spec_on_record(self._spec(task, n_classes, self.weight_seen_))
        spec.pop("penalty_factor", None)
        summary = getattr(self, "summary_", None)
        coef, intercept = self._parameters()
        return _core.Model(coef, intercept, spec=spec, class_names=class_names(self.classes_) if n_classes else [],
                           feature_names=[str(name) for name in getattr(self, "feature_names_in_", ())],
                           objective=summary.objective if summary else 0.0,
                           relative_gap=summary.certificate["relative_gap"] if summary else 0.0)

    def sparsify(self) -> Self:
        """Keep `coef_` as a `scipy.sparse.csr_matrix`: smaller where an L1 penalty left few weights. Returns self."""
        check_is_fitted(self)
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep `coef_` as an array again, which `fit` did to begin with. Returns self."""
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self._set_parameters(*self._parameters())
        return self

    def _margins(self, X):
        """w.x + b for each row and output, in double; float32 rows are widened block by block."""
        check_is_fitted(self)
        X = checked_rows(self, X, reset=False)
        coef, intercept = self._parameters()
        if sparse.issparse(X) or X.dtype == np.float64:
            return np.asarray(X @ coef.T) + intercept
        margins = np.empty((X.shape[0], coef.shape[0]))
        rows = max(1, 1_000_000 // X.shape[1])
        for begin in range(0, X.shape[0], rows):
            margins[begin:begin + rows] = X[begin:begin + rows].astype(np.float64) @ coef.T
        return margins + intercept
