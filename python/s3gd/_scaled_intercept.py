"""An intercept that is penalised as LIBLINEAR does it: as the weight of one more feature, the same in all rows."""

import numpy as np
from scipy import sparse

from ._validation import require_number


class ScaledIntercept:
    """Over `LinearBase`, where `_intercept_kind()` says "regularised": that feature is `intercept_scaling`.

    The library's own constant feature is 1; any other is put beside the rows, which copies them.
    """

    def _check_intercept_scaling(self):
        require_number("intercept_scaling", self.intercept_scaling, above=0)

    def _intercept(self):
        if not self.fit_intercept or self._scales_intercept():
            return "none"  # in the latter case it is the last weight
        return self._intercept_kind()

    def _scales_intercept(self):
        return self.fit_intercept and self._intercept_kind() == "regularised" and self.intercept_scaling != 1

    def _run(self, X, targets, weights, task, n_classes, *, start=None, validation=(None, None), **rest):
        if not self._scales_intercept():
            return self._run_rows(X, targets, weights, task, n_classes, start=start, validation=validation, **rest)
        scale = self.intercept_scaling
        if start is not None:
            coef = np.column_stack([start[0], start[1] / scale])
            start = coef, np.zeros(len(coef))
        if validation[0] is not None:
            validation = with_constant(validation[0], scale), validation[1]
        result = dict(self._run_rows(with_constant(X, scale), targets, weights, task, n_classes, start=start,
                                     validation=validation, **rest))
        result["intercept"] = result["coef"][:, -1] * scale
        result["coef"] = np.ascontiguousarray(result["coef"][:, :-1])
        return result

    def _run_rows(self, *arguments, **options):
        return super()._run(*arguments, **options)


def with_constant(X, value):
    """The rows with one more feature that is the same in all of them."""
    column = np.full((X.shape[0], 1), value, dtype=X.dtype)
    return sparse.hstack([X, column], format="csr") if sparse.issparse(X) else np.hstack([X, column])
