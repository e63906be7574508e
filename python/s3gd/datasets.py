"""Known datasets: which there are, where they lie on this machine, and what is in them.

A dataset is found in the folder that the environment variable ``S3GD_DATA`` names, among the system's packages, or where
``s3gd data get NAME`` put it.

Examples
--------
>>> import s3gd
>>> "fashion-mnist" in s3gd.datasets.names()
True
"""

from typing import Any

from . import _core
from ._data import Dataset
from ._data import load as _load

__all__ = ["describe", "load", "names", "path"]


def names(here: bool = False) -> list[str]:
    """The names of all known datasets; with ``here=True``, of those that lie on this machine."""
    return [entry["name"] for entry in _core.known_datasets() if entry["here"] or not here]


def describe(name: str) -> dict[str, Any]:
    """A dict of what is known of a dataset: summary, sizes, classes, homepage, and whether it is here."""
    for entry in _core.known_datasets():
        if entry["name"] == name:
            return entry
    raise ValueError(f"no dataset is known as {name!r}; s3gd.datasets.names() lists those that are")


def path(name: str, part: str = "train") -> str:
    """The file that holds the rows for training (or for tests, ``part="test"``)."""
    return _core.data_path(name, part)


def load(name: str, part: str = "train", **options: Any) -> Dataset:
    """The rows of a known dataset; ``options`` as those of `s3gd.load`."""
    return _load(path(name, part), **options)
