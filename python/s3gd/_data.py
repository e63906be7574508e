"""Data in and out: `load`, `save` and `inspect`."""

import os
from dataclasses import dataclass, field
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from ._advice import in_words_of
from ._types import Path, Rows, Weights


@dataclass
class Dataset:
    """Rows, labels and names, as `load` returns them.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_matrix of shape (n_samples, n_features)
        Read-only: it is the memory the file was read into, or the mapped file itself.
    y : ndarray of shape (n_samples,) or None
        Class names, whole numbers or real numbers, as in the file.
    sample_weight : ndarray of shape (n_samples,) or None
    feature_names : list of str
        Empty where the file names none.
    source : str
        Where the rows came from.
    """

    X: Any
    y: NDArray[Any] | None = None
    sample_weight: NDArray[Any] | None = None
    feature_names: list[str] = field(default_factory=list)
    source: str = ""

    def __repr__(self):
        kind = "dense" if isinstance(self.X, np.ndarray) else "sparse"
        labels = "no labels" if self.y is None else f"labels of type {self.y.dtype}"
        return f"<Dataset {self.source!r}: {self.X.shape[0]} x {self.X.shape[1]} {kind} {self.X.dtype}, {labels}>"


def core_rows(X):
    """Rows as the core takes them. C-ordered float32 or float64 arrays and canonical CSR matrices are not copied."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        if X.dtype not in (np.float32, np.float64):
            X = _as_doubles(X, "X")
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return tuple(np.require(part, requirements="CA") for part in (X.data, X.indices, X.indptr)) + (X.shape[1],)
    X = np.asarray(X)
    if X.dtype not in (np.float32, np.float64):
        X = _as_doubles(X, "X")
    if X.ndim == 2 and X.shape[1] > 1 and (X.strides[1] != X.itemsize or X.strides[0] < X.shape[1] * X.itemsize):
        X = np.ascontiguousarray(X)
    return X if X.flags.aligned else X.copy()


def core_numbers(values):
    """One number for each row, as the core takes them."""
    return np.require(values, np.float64, "CA")


def _as_doubles(values, name):
    """In double precision: NumPy would drop the imaginary part of complex numbers with a warning only."""
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has elements of type {values.dtype}.")
    try:
        return values.astype(np.float64)
    except TypeError as error:
        raise ValueError(f"{name} holds something that is no number: {error}") from None


def core_labels(y):
    """Labels as the core describes them: the kind, one number for each row, and the names of classes that are words."""
    if y is None:
        return "none", None, []
    y = np.asarray(y)
    if y.ndim != 1 and y.shape != (len(y), 1):
        raise ValueError(f"y should be a 1d array, one label for each row; got an array of shape {y.shape}.")
    y = y.ravel()
    if y.dtype.kind == "c":
        _as_doubles(y, "y")
    if y.dtype.kind in "biuf":
        numbers = core_numbers(y)
        whole = y.dtype.kind != "f" or bool((numbers == np.round(numbers)).all())
        return ("classes" if whole else "real"), numbers, []
    names, codes = np.unique(y.astype(str), return_inverse=True)
    return "classes", codes.astype(np.float64), names.tolist()


def _labels(parts):
    y = parts["y"]
    if y is None or parts["labels"] == "none":
        return None
    if parts["class_names"]:
        return np.array(parts["class_names"])[y.astype(np.int64)]
    return y.astype(np.int64) if parts["labels"] == "classes" else y


@overload
def load(source: Path, *, dtype: DTypeLike = ..., layout: str = "auto", return_X_y: Literal[False] = False,
         **options: Any) -> Dataset: ...
@overload
def load(source: Path, *, dtype: DTypeLike = ..., layout: str = "auto", return_X_y: Literal[True],
         **options: Any) -> tuple[Any, NDArray[Any] | None]: ...
def load(source: Path, *, dtype: DTypeLike = np.float32, layout: str = "auto", return_X_y: bool = False,
         **options: Any) -> Any:
    """Reads rows and labels from anything the ``s3gd`` program reads.

    Parameters
    ----------
    source : str or path
        A file (LIBSVM, CSV, npy, npz, IDX, s3d; compressed or not), the name of a known dataset (`s3gd.datasets`), or
        ``"gen:KIND?rows=..&cols=.."`` for generated rows.
    dtype : numpy.float32 or numpy.float64
    layout : {"auto", "dense", "sparse"}
        Auto: dense where more than a third of the entries are not zero.
    return_X_y : bool
        Return the pair ``(X, y)`` instead of a `Dataset`.
    **options
        ``format``, ``threads``, ``cols``, ``index_base``, ``index_order``, ``label_column``, ``weight_column``,
        ``header``, ``missing``, ``labels_path``: as the options of ``s3gd train``.

    Returns
    -------
    Dataset, or (X, y)
        The arrays are the memory the file was read into; nothing is copied.

    Examples
    --------
    >>> import s3gd
    >>> data = s3gd.load("gen:manifold?rows=200&cols=5")
    >>> data.X.shape, data.y.shape
    ((200, 5), (200,))
    """
    precision = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}.get(np.dtype(dtype))
    if precision is None:
        raise ValueError(f"dtype is float32 or float64, not {np.dtype(dtype)}")
    parts = _core.load(os.fsdecode(source), {"precision": precision, "layout": layout} | options)
    X = parts["X"]
    if isinstance(X, tuple):
        from scipy import sparse

        data, indices, indptr, cols = X
        X = sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, cols), copy=False)
        X.has_canonical_format = True
    y = _labels(parts)
    if return_X_y:
        return X, y
    return Dataset(X, y, parts["sample_weight"], parts["feature_names"], parts["source"])


def save(path: Path, X: Rows, y: ArrayLike | None = None, *, sample_weight: Weights = None,
         feature_names: Any = None) -> None:
    """Writes rows and labels to a file; its extension names the format (``.s3d`` opens fastest).

    Parameters
    ----------
    path : str or path
        Where the file goes.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,), optional
        Labels: numbers, or words.
    sample_weight : array-like of shape (n_samples,), optional
        The weight of each row, in formats that have a place for it.
    feature_names : sequence of str, optional
        Names of the columns; by default those of a data frame.

    Examples
    --------
    >>> import os, tempfile, numpy as np, s3gd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "rows.s3d")
    ...     s3gd.save(file, np.eye(3), ["a", "b", "a"])
    ...     s3gd.load(file).y.tolist()
    ['a', 'b', 'a']
    """
    labels, numbers, names = core_labels(y)
    columns = [str(name) for name in (_names_of(X) if feature_names is None else feature_names)]
    if columns and len(columns) != np.shape(X)[1]:
        raise ValueError(f"feature_names has {len(columns)} names for {np.shape(X)[1]} columns: give one for each.")
    try:
        _core.save(os.fsdecode(path), core_rows(X), numbers, sample_weight=_weights(sample_weight), labels=labels,
                   class_names=names, feature_names=columns)
    except _core.Error as refusal:
        raise _core.Error(str(refusal).replace("; out_format='NAME' chooses one", "")) from None


def _names_of(X):
    """The names of the columns of a data frame, where they are words."""
    names = list(getattr(X, "columns", ()))
    return names if all(isinstance(name, str) for name in names) else []


def _weights(sample_weight):
    if sample_weight is None:
        return None
    weights = core_numbers(sample_weight)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("sample_weight has a weight that is negative or not finite.")
    return weights


class Inspection(dict[str, Any]):
    """What `inspect` found: a dict that prints well."""

    def __repr__(self):
        lines = []
        for key, value in self.items():
            if isinstance(value, dict):
                value = ", ".join(f"{name} {_short(part)}" for name, part in value.items() if not isinstance(part, dict))
            elif key == "row_norms":
                value = "  ".join(_short(row["norm"]) for row in value) + "  (min 5 25 50 75 95 max)"
            elif key == "classes":
                value = ", ".join(f"{row['label']} ({row['rows']})" for row in value[:12]) + (", .." if value[12:] else "")
            elif isinstance(value, list):
                value = "; ".join(value)
            lines.append(f"{key:<18} {_short(value)}")
        return "\n".join(lines)


def _short(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def inspect(X: Rows, y: ArrayLike | None = None, *, sample_weight: Weights = None, loss: str | None = None,
            penalty: str = "l2", lambda_: float = 1e-3, alpha: float = 0.5, intercept: str = "free", variance: bool = False,
            **options: Any) -> Inspection:
    """What is in the data, what to look out for before training on it, and what theory says of a problem over it.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features), or str or path
        Rows, or a source that `load` reads (then leave out `y`).
    y : array-like of shape (n_samples,), optional
    loss : {"logistic", "squared", "squared-hinge", "smooth-hinge"}, optional
        By default logistic, and squared for labels that are real numbers. Of more than two classes, the largest is told
        from the rest.
    penalty, lambda_, alpha, intercept
        As in the objective of ``s3gd train``: ``mean(loss) + lambda_ * ||w||^2`` for l2.
    variance : bool
        Build a graph and measure the variance of every gradient estimator.
    **options
        ``batch``, ``inner``, ``step``, ``anchors``, ``neighbours``, ``kernel``, ``threads``, ``seed``.

    Returns
    -------
    Inspection
        A dict with the keys of ``s3gd inspect --json``.

    Examples
    --------
    >>> import s3gd
    >>> facts = s3gd.inspect([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]], [0, 1, 1])
    >>> facts["rows"], facts["nonzeros"], facts["theory"]["L"]
    (3, 4, 6.5)
    """
    source = None
    if isinstance(X, (str, os.PathLike)):
        data = load(X)
        source, X, y, sample_weight = data.source, data.X, data.y, data.sample_weight
    labels, numbers, names = core_labels(y)
    spec: dict[str, Any] = {"penalty": penalty, "lambda": lambda_, "alpha": alpha, "intercept": intercept}
    if loss is not None:
        spec["loss"] = loss
    facts = _core.inspect(core_rows(X), numbers, sample_weight=_weights(sample_weight), labels=labels, class_names=names,
                          spec=spec, options=options | {"variance": variance})
    facts["source"] = source or "arrays"
    facts["advice"] = [in_words_of(None, sentence) for sentence in facts["advice"]]
    return Inspection(facts)
