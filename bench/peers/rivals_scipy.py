"""SciPy's L-BFGS-B with a short NumPy objective on a float32 matrix: the strongest simple thing one can write."""
import numpy as np
import scipy.optimize
import scipy.sparse

from rivals import Rival

LARGEST_EXPONENT = 80  # exp of it is finite in float32, and beyond it log(1 + e^z) = z in any precision


def objective(inputs, x, elementwise):
    """w -> (F, gradient). Products in the matrix's precision, elementwise work in `elementwise`."""
    n, lam = inputs.n, inputs.lam
    y = inputs.y64.astype(elementwise)
    transposed = x.T
    z, t = np.empty(n, dtype=elementwise), np.empty(n, dtype=elementwise)
    logarithm = np.log1p if elementwise == np.float64 else np.log  # NumPy's float32 log is vectorised, log1p is not

    def value(w):
        margins = x @ w.astype(x.dtype)
        np.multiply(margins, y, out=z)
        np.negative(z, out=z)
        np.minimum(z, LARGEST_EXPONENT, out=z)
        np.exp(z, out=z)
        np.add(z, 1, out=t)
        loss = logarithm(z if logarithm is np.log1p else t).sum(dtype=np.float64)
        np.divide(z, t, out=z)
        np.multiply(z, y, out=z)
        gradient = (transposed @ z.astype(x.dtype, copy=False)).astype(np.float64)
        gradient *= -1 / n
        gradient += 2 * lam * w
        return loss / n + lam * (w @ w), gradient

    return value


def lbfgs(inputs, layout, effort, seed, elementwise=np.float32, memory=10, by_columns=False, seconds=60.0):
    points, started = [], inputs.clock()
    x = np.asfortranarray(inputs.x(layout)) if by_columns else inputs.x(layout)
    converted = inputs.clock() - started

    def keep(w):
        points.append((inputs.clock() - started, w.copy()))
        if points[-1][0] > seconds:
            raise StopIteration

    scipy.optimize.minimize(objective(inputs, x, elementwise), np.zeros(inputs.d), jac=True, method="L-BFGS-B",
                            callback=keep, options={"maxiter": 5000, "maxfun": 10000, "maxcor": memory, "ftol": 0,
                                                    "gtol": 0})
    return points, converted


def variant(name, **settings):
    columns = settings.get("by_columns", False)
    return Rival(name, "scipy", lambda *args, **more: lbfgs(*args, **settings, **more),
                 layouts=("c32",) if columns else ("c32", "csr32"), traced=True, converts=columns)


RIVALS = [
    variant("scipy-lbfgs"),
    variant("scipy-lbfgs-m30", memory=30),
    variant("scipy-lbfgs-columns", memory=30, by_columns=True),  # OpenBLAS is faster on narrow matrices by columns
    variant("scipy-lbfgs-mixed", elementwise=np.float64, memory=20),
]
