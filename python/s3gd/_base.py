"""What all estimators share: from checked input to the compiled core, and from its result to attributes."""

import contextlib
import functools
import itertools
import math
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._data import core_numbers, core_rows
from ._objective import LOSSES, core_penalty
from ._paths import PathMixin, centred, levels_to_the_caller
from ._results import Summary, Trace
from ._validation import checked_rows, require_finite, require_flag, require_number, require_whole, threads_of
from ._advice import advice_for, class_named, in_words_of, stage_named

# Up to so many numbers a problem is solved as far as double precision goes: it costs next to nothing, and results then
# do not depend on the order of the rows, or on whether a row is there twice or has weight 2.
SMALL_PROBLEM = 20_000
SMALL_PROBLEM_TOL = 1e-16

STOCHASTIC = ("s3gd", "sgd", "ssgd", "svrg", "scv", "saga", "sag", "is-sgd")
# Steps of partial_fit shrink as (1 + weight of the rows seen / STEP_SETTLES) ** -STEP_DECAY.
STEP_SETTLES, STEP_DECAY = 50.0, 0.75
MOST_PASSES = 10**12
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


class LinearBase(PathMixin, BaseEstimator):
    """Fits one linear model. Derived classes say what is minimised:

    `_loss`, `_penalty`, `_l1_ratio` (scikit-learn's names), `_multiplier(total_weight)` (see _objective), `_intercept()`,
    and check their own parameters in `_check_parameters`.
    """

    _l1_ratio = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"requires_y": True}

    # --- what is minimised, and how

    def _check_shared_parameters(self):
        require_number("tol", self.tol, above=0)
        require_number("max_iter", self._most_passes(), least=1, most=MOST_PASSES)
        threads_of(self.n_jobs)  # raises
        if self.max_seconds is not None:
            require_number("max_seconds", self.max_seconds, above=0)
        if self.patience is not None:
            require_whole("patience", self.patience, least=1)
        for name in ("fit_intercept", "trace", "keep_on_interrupt"):
            require_flag(name, getattr(self, name))
        if not isinstance(self.verbose, (bool, np.bool_)):
            require_whole("verbose", self.verbose, least=0)
        if not isinstance(self.solver, str):
            raise ValueError(f"The parameter solver must be the name of one; got {self.solver!r}.")

    def _intercept(self):
        return "free" if self.fit_intercept else "none"

    def _spec(self, task, n_classes, total_weight):
        spec = {"task": task, "n_classes": n_classes, "loss": LOSSES[self._loss][0], "intercept": self._intercept()}
        spec.update(core_penalty(self._penalty, self._multiplier(total_weight), self._l1_ratio))
        return spec

    def _spec_on_record(self, spec):
        return spec

    def _penalised(self):
        return self._penalty is not None and self._multiplier(1.0) > 0

    def _solver(self, task):
        return self.solver

    def _most_passes(self):
        return self.max_iter

    def _options(self, task, X):
        solver = self._solver(task)
        small = (X.nnz if sparse.issparse(X) else X.size) <= SMALL_PROBLEM and solver == "auto"
        options = {"solver": solver, "tol": min(self.tol, SMALL_PROBLEM_TOL) if small else self.tol,
                   "passes": float(self._most_passes()), "threads": 1 if small else threads_of(self.n_jobs),
                   "seed": seed_of(self.random_state), "trace": bool(self.trace),
                   "keep_on_interrupt": bool(self.keep_on_interrupt)}
        if self.max_seconds is not None:
            options["seconds"] = float(self.max_seconds)
        if self.patience is not None:
            options["patience"] = int(self.patience)
        return options

    def _start(self, n_outputs, n_features):
        """Where a warm start begins: the parameters at hand, if they are of this shape."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        coef, intercept = self._parameters()
        if coef.shape != (n_outputs, n_features):
            return None
        return coef, intercept

    def _parameters(self):
        """Weights (outputs x features) and intercepts (outputs), dense."""
        coef = self.coef_.toarray() if sparse.issparse(self.coef_) else np.asarray(self.coef_)
        coef = np.atleast_2d(coef).astype(np.float64)
        return coef, np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), (coef.shape[0],)).copy()

    # --- from here to the core and back

    def _run(self, X, targets, weights, task, n_classes, *, options=None, start=None, validation=(None, None),
             callback=None, weight_before=0.0, penalised=True):
        """One call of the core: its result with `coef` (outputs x features), `intercept`, `summary` and `trace`."""
        total = weight_before + (float(X.shape[0]) if weights is None else float(weights.sum()))
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

    def _fit(self, X, targets, weights, task, n_classes, validation, callback):
        n_outputs = n_classes if task in ("ovr", "softmax") else 1
        run = functools.partial(self._run, X, targets, weights, task, n_classes, options=self._options(task, X),
                                validation=validation,
                                callback=joined(self.verbose, callback, getattr(self, "classes_", np.empty(0)).tolist()))
        result = run(start=self._start(n_outputs, X.shape[1]))
        self.weight_seen_ = float(X.shape[0]) if weights is None else float(weights.sum())
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

    def _keep(self, result, task):
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
        self.n_iter_ = self._n_iter(max(1, math.ceil(summary["passes"])))

    def _n_iter(self, passes):
        return passes

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

    def _partial_fit(self, X, targets, weights, task, n_classes):
        """One stochastic pass over the rows from where the parameters are; see `partial_fit`."""
        n_outputs = n_classes if task in ("ovr", "softmax") else 1
        begun = hasattr(self, "coef_")
        if begun:
            coef, intercept = self._parameters()
        else:
            coef, intercept = np.zeros((n_outputs, X.shape[1])), np.zeros(n_outputs)
            self._first_step = None
        weight_before = self.weight_seen_ if begun else 0.0
        options = {**self._options(task, X), "passes": 1.0, "tol": np.finfo(float).tiny, "trace": False}
        if options["solver"] not in STOCHASTIC:
            options["solver"] = "saga" if self._loss == "huber" else "s3gd"
        step = getattr(self, "_first_step", None)
        if step:
            options["step"] = step * (1 + weight_before / STEP_SETTLES)**-STEP_DECAY
        result = self._run(X, targets, weights, task, n_classes, options=options, start=(coef, intercept),
                           weight_before=weight_before)
        if not step:
            self._first_step = result["summary"]["step"]
        self.weight_seen_ = weight_before + (float(X.shape[0]) if weights is None else float(weights.sum()))
        self._keep(result, task)
        return self

    # --- storage

    def save(self, path):
        """Write the fitted model to a file that ``s3gd predict`` and `s3gd.load_model` read; see `s3gd.save_model`.

        Parameters
        ----------
        path : str or path
            Where the file goes.
        """
        from ._model import save_model

        save_model(self, path)

    def _core_model(self):
        """The library's model of the parameters, and what is on record of the fit."""
        from ._model import class_names

        check_is_fitted(self)
        classes = getattr(self, "classes_", np.empty(0))
        spec = self._spec(self._task() if len(classes) else "regression", len(classes), self.weight_seen_)
        spec = self._spec_on_record(spec)
        spec.pop("penalty_factor", None)
        summary = getattr(self, "summary_", None)
        coef, intercept = self._parameters()
        return _core.Model(coef, intercept, spec=spec, class_names=class_names(classes) if len(classes) else [],
                           feature_names=[str(name) for name in getattr(self, "feature_names_in_", ())],
                           objective=summary.objective if summary else 0.0,
                           relative_gap=summary.certificate["relative_gap"] if summary else 0.0)

    def sparsify(self):
        """Keep `coef_` as a `scipy.sparse.csr_matrix`: smaller where an L1 penalty left few weights.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self

    def densify(self):
        """Keep `coef_` as an array again, which `fit` did to begin with.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray().reshape(self._coef_shape(self.coef_.shape))
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
