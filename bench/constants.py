#!/usr/bin/env python3
"""What each constant that steers a method changes when it is doubled and when it is halved.

    bench/constants.py [--work FOLDER] [--only REGEX] [--data FOLDER] [--output constants.tsv] [--rounds N]

Copies the sources to FOLDER, has every named number there (`constexpr double kName = 3;` in the folders below) ask the
environment for a factor, builds the program once, and runs a workload of fits with one number changed at a time. Numbers that the
compiler needs (sizes of arrays, cases) stay as they are and are listed as such.

Printed for each: how many of the fits end with other weights, the passes over the data and the processor time of those as a ratio
to the unchanged ones (geometric mean, and the worst fit), and which fits fail to converge. A number that changes no fit either way is
not needed, or the workload does not reach it: the fits name the solvers, losses and data they stand for.
"""
import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["anchor", "exact", "problem", "select", "solve", "stochastic"]
NUMBER = re.compile(r"^(\s*)((?:static |inline )*)constexpr (double|Index|int|float|std::size_t) (k[A-Z]\w*) = ([^;{]*);(.*)$")
HEADER = """
#pragma once
#include <cstdlib>
#include <cstring>
// Doubles or halves the number named in the environment.
template <class T>
T s3gd_tuned(const char* name, T value) {
  static const char* const wanted = std::getenv("S3GD_TUNED");
  if (wanted == nullptr || std::strcmp(wanted, name) != 0) return value;
  const double factor = std::atof(std::getenv("S3GD_FACTOR"));
  return static_cast<T>(static_cast<double>(value) * factor);
}
"""

# name: data, options. Data is NAME of S3GD_DATA (first rows) or generated; small, so that all take a few seconds together.
FITS = {
    "logistic dense": ("ijcnn1", "--lambda 1e-3"),
    "logistic dense weak": ("ijcnn1", "--lambda 2e-5"),
    "logistic sparse": ("a9a", "--lambda 1e-3"),
    "logistic sparse weak": ("a9a", "--lambda 3e-5 --tol 1e-6"),
    "logistic covtype tight": ("covtype", "--lambda 1e-5 --scale standard --tol 1e-8"),
    "logistic text": ("text", "--lambda 1e-4"),
    "l1 sparse": ("a9a", "--penalty l1 --lambda 1e-3"),
    "l1 text": ("text", "--penalty l1 --lambda 1e-4"),
    "elastic net": ("ijcnn1", "--penalty elastic-net --lambda 1e-3"),
    "lasso": ("regression", "--loss squared --penalty l1 --lambda 1e-2"),
    "ridge": ("regression", "--loss squared --lambda 1e-3"),
    "huber": ("regression", "--loss huber --lambda 1e-3"),
    "dual": ("a9a", "--solver dual --lambda 1e-3"),
    "dual text": ("text", "--solver dual --lambda 1e-3"),
    "lbfgs": ("a9a", "--solver lbfgs --lambda 1e-3"),
    "s3gd dense": ("ijcnn1", "--solver s3gd --passes 3"),
    "s3gd sparse": ("a9a", "--solver s3gd --passes 3"),
    "svrg": ("a9a", "--solver svrg --passes 6"),
    "saga": ("ijcnn1", "--solver saga --passes 3"),
    "softmax": ("classes", "--multiclass softmax --lambda 1e-4"),
    "softmax l1": ("classes", "--multiclass softmax --penalty l1 --lambda 1e-3"),
    "softmax nuclear": ("classes", "--multiclass softmax --penalty nuclear --lambda 1e-3"),
    "softmax text": ("texts", "--multiclass softmax --lambda 1e-4"),
    "one-vs-rest": ("classes", "--multiclass ovr --lambda 1e-4"),
    "one-vs-rest text": ("texts", "--multiclass ovr --lambda 1e-4"),
    "path l1": ("a9a", "path --penalty l1 --lambdas 15"),
    "path l2": ("ijcnn1", "path --lambdas 15"),
}
# name of the prepared file: known dataset, rows kept, options of convert; or a generator where the dataset is not there
DATA = {
    "ijcnn1": ("ijcnn1", 8000, "gen:manifold?rows=12000&cols=22&noise=0.05"),
    "a9a": ("a9a", 5000, "gen:text?rows=4000&cols=120&nnz=14"),
    "covtype": ("covtype-93k", 8000, "gen:manifold?rows=15000&cols=54&noise=0.1"),
    "text": ("enron-spam-unigram", 2500, "gen:text?rows=3000&cols=5000"),
    "texts": ("20newsgroups", 1500, "gen:text?rows=2000&cols=5000"),
    "classes": ("fer2013-hog256", 1500, "gen:manifold?rows=3000&cols=64&classes=6"),
    "regression": (None, 0, "gen:regression?rows=10000&cols=60"),
}


def copy_sources(work):
    work.mkdir(parents=True, exist_ok=True)
    for name in ["src", "include", "apps", "cmake", "report", "experiments", "CMakeLists.txt", "CMakePresets.json", "bench"]:
        target = work / name
        if target.is_dir():
            shutil.rmtree(target)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, target)
    (work / "tuned.hpp").write_text(HEADER)


def make_tunable(work, fixed):
    """Rewrites the numbers; returns {key: (file, line, value, reason)}."""
    found = {}
    for path in sorted(p for folder in FOLDERS for p in (work / "src" / folder).rglob("*.[ch]pp")):
        source = ROOT / path.relative_to(work)
        lines = source.read_text().split("\n")
        for i, line in enumerate(lines):
            match = NUMBER.match(line)
            if not match:
                continue
            indent, words, kind, name, value, rest = match.groups()
            key = f"{path.relative_to(work / 'src')}:{name}"
            found[key] = (str(path.relative_to(work)), i + 1, value.strip(), rest.strip(" /"))
            if key in fixed:
                continue
            words = "static " if indent and "static" not in words and path.suffix == ".cpp" and not words else words
            if path.suffix == ".hpp" and not indent:
                words = "inline "
            if indent and "static" in words and line.lstrip().startswith("static"):
                words = "static inline "
            lines[i] = f'{indent}{words}const {kind} {name} = s3gd_tuned<{kind}>("{key}", {value});'
        text = "\n".join(lines)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return found


def build(work):
    """Builds; numbers that must be known to the compiler are put back until it succeeds."""
    fixed = set()
    flags = f"-include {work}/tuned.hpp"
    for _ in range(12):
        found = make_tunable(work, fixed)
        configure = ["cmake", "-S", str(work), "-B", str(work / "build"), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     "-DS3GD_BUILD_TESTS=OFF", "-DS3GD_UNITY=OFF", f"-DCMAKE_CXX_FLAGS={flags}"]
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(["ninja", "-C", str(work / "build"), "-k", "0", "s3gd_app"], capture_output=True, text=True)
        if done.returncode == 0:
            return found, fixed
        blamed = {key for key in found for name in [key.split(":")[1]]
                  if re.search(rf"\b{name}\b", "\n".join(l for l in done.stdout.split("\n") if "error" in l or "note" in l))}
        if not blamed - fixed:
            sys.exit(done.stdout[-3000:])
        fixed |= blamed
    sys.exit("the numbers that the compiler needs were not found in twelve rounds")


def prepare(program, work, folder):
    for name, (known, rows, generated) in DATA.items():
        target = work / f"{name}.s3d"
        if target.exists():
            continue
        source = generated
        packed = Path(folder) / str(known) / "train.svm.zst"
        if known and packed.exists():
            text = subprocess.run(["zstd", "-dcq", str(packed)], capture_output=True, check=True).stdout.split(b"\n")[:-1]
            step = max(1, len(text) // rows)
            source = work / f"{name}.svm"
            source.write_bytes(b"\n".join(text[::step][:rows]) + b"\n")
        subprocess.run([program, "convert", "--quiet", str(source), str(target)], check=True)


def run_fit(program, work, fit, change, rounds):
    data, options = FITS[fit]
    words = options.split()
    command = "train" if words[0].startswith("--") else words.pop(0)
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    if change:
        environment.update(S3GD_TUNED=change[0], S3GD_FACTOR=str(change[1]))
    model = work / f"model-{os.getpid()}-{time.monotonic_ns()}"
    call = [program, command, str(work / f"{data}.s3d"), *words, "--json", "--threads", "1", "-o", str(model)]
    best, result = math.inf, None
    for _ in range(rounds):
        try:
            done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return {"status": "over a minute", "passes": math.inf, "seconds": 60.0, "objective": None}
        if done.returncode not in (0, 3):
            return {"status": done.stderr.strip()[-200:] or f"exit code {done.returncode}", "passes": math.inf, "seconds": 60.0,
                    "objective": None}
        result = json.loads(done.stdout)
        best = min(best, result.get("cpu_seconds", math.inf))
    points = result.get("points") or result.get("path") or []
    model.unlink(missing_ok=True)
    return {"status": result.get("status", "converged"), "passes": result.get("passes", 0) or sum(p.get("passes", 0) for p in points),
            "seconds": best, "objective": result.get("objective") or [p.get("objective") for p in points]}


def ratio_line(before, after):
    changed = [fit for fit in before if (after[fit]["objective"], after[fit]["passes"], after[fit]["status"]) !=
               (before[fit]["objective"], before[fit]["passes"], before[fit]["status"])]
    if not changed:
        return "0", "-", "-", "-", ""
    ratios = {fit: after[fit]["passes"] / before[fit]["passes"] for fit in changed if before[fit]["passes"] > 0}
    clocks = {fit: after[fit]["seconds"] / before[fit]["seconds"] for fit in changed}
    mean = math.exp(sum(math.log(max(r, 1e-9)) for r in clocks.values()) / len(clocks))
    passes = math.exp(sum(math.log(max(r, 1e-9)) for r in ratios.values()) / max(1, len(ratios)))
    worst = max(clocks, key=clocks.get)
    lost = [fit for fit in changed if before[fit]["status"] == "converged" and after[fit]["status"] != "converged"]
    return str(len(changed)), f"{passes:.2f}", f"{mean:.2f}", f"{clocks[worst]:.2f} {worst}", "; ".join(lost)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path("build/constants"))
    parser.add_argument("--only", default="", help="constants whose FILE:NAME matches")
    parser.add_argument("--data", default=os.environ.get("S3GD_DATA", ""))
    parser.add_argument("--output", type=Path, default=Path("constants.tsv"))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    work = options.work.resolve()
    copy_sources(work)
    found, fixed = build(work)
    program = str(work / "build" / "s3gd")
    prepare(program, work, options.data)
    before = {fit: run_fit(program, work, fit, None, max(3, options.rounds)) for fit in FITS}
    for fit, result in before.items():
        print(f"{fit:24} {result['status']:14} {result['passes']:8.2f} passes {result['seconds']:7.3f} s", file=sys.stderr)
    wanted = [key for key in found if re.search(options.only, key)]
    with options.output.open("w") as out, ThreadPoolExecutor(options.jobs) as pool:
        print("constant", "value", "factor", "fits changed", "passes", "time", "worst", "lost", sep="\t", file=out)
        for key in wanted:
            if key in fixed:
                print(key, found[key][2], "-", "known to the compiler", "", "", "", "", sep="\t", file=out)
                continue
            for factor in (2, 0.5):
                fits = list(FITS)
                results = list(pool.map(lambda fit: run_fit(program, work, fit, (key, factor), options.rounds), fits))
                row = (key, found[key][2], factor, *ratio_line(before, dict(zip(fits, results))))
                print(*row, sep="\t", file=out, flush=True)
                print(*row, file=sys.stderr)


if __name__ == "__main__":
    main()
