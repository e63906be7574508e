"""The sets of the comparison, how each is scaled and which class is +1; a path of the user's is taken as it is."""
import os
from pathlib import Path

FASHION = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz"

SETS = {
    "ijcnn1": {},
    "a9a": {},
    "mnist": {"max_abs": True, "positive": "largest"},
    "fashion-mnist": {"max_abs": True, "positive": "largest"},
    "covtype-93k": {"max_abs": True, "positive": "largest"},
    "fer2013-hog256": {"divide": 255.0, "positive": "largest"},
    "cifar10-hog800": {"divide": 63.0, "positive": "largest"},
    "20newsgroups": {"positive": "largest"},
}


def locate(name):
    """(source, options, why not): what to load, or the reason why it cannot be."""
    if name not in SETS:
        return (name, {"positive": "largest"}, None) if Path(name).exists() else (None, {}, "no such set or file")
    if name == "fashion-mnist":
        return (FASHION, SETS[name], None) if Path(FASHION).exists() else (None, {}, "dataset-fashion-mnist is missing")
    folder = os.environ.get("S3GD_DATA")
    if not folder:
        return None, {}, "S3GD_DATA is not set"
    path = Path(folder) / name / "train.svm.zst"
    return (str(path), SETS[name], None) if path.exists() else (None, {}, f"not in {folder}")
