#!/usr/bin/env python3
"""What each constant that steers a method changes when it is doubled and when it is halved.

    S3GD_DATA=.. bench/constants/constants.py [--only REGEX] [--fits REGEX] [--most N] [--output FILE.tsv] [--work FOLDER]

Builds a copy of the sources in which every such number asks the environment for a factor (instrument.py), finds out which
of them each fit of a workload reads, and runs the fit with one of those changed at a time. Shares above one half are changed by
what they lack to one, factors of growth by what they have beyond it; whole numbers are rounded and stay positive.

Printed for each constant and factor: how many of the fits that read it end with other weights or after other work; the
passes of those to the unchanged ones (where passes are given: the gap that is left, to the power 1/4), as a geometric mean and
at worst; processor time likewise, over all fits that read it; what no longer converges. Of processor time only large
changes mean something: the first line, where nothing is changed, says how much of it is noise.
"""
import argparse
import hashlib
import json
import math
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import instrument

# name of the prepared file: known dataset and rows kept, evenly spaced; or a generator
DATA = {
    "ijcnn1": ("ijcnn1", 12000),
    "rows": ("ijcnn1", 40000),
    "a9a": ("a9a", 8000),
    "covtype": ("covtype-93k", 12000),
    "text": ("enron-spam-unigram", 3000),
    "texts": ("20newsgroups", 2500),
    "faces": ("fer2013-hog256", 2500),
    "digits": ("mnist", 2000),
    "words": "gen:text?rows=3000&cols=8000",
    "line": "gen:regression?rows=10000&cols=60&noise=1",
    "wide": "gen:regression?rows=2000&cols=3000&density=0.02&informative=0.05",
    "clouds": "gen:manifold?rows=6000&cols=40&classes=4&noise=0.1",
    "ill": "gen:ill?rows=4000&cols=30&condition=1e6",
    "counts": None,  # made below: none of the generators has counts
}
# name: data, command and options. Small, so that one takes about 0.1 s; they stand for solvers, losses, penalties and shapes.
FITS = {
    "logistic dense": "ijcnn1 --lambda 1e-3",
    "logistic dense weak": "ijcnn1 --lambda 2e-5 --tol 1e-6",
    "logistic sparse": "a9a --lambda 1e-3",
    "logistic sparse weak": "a9a --lambda 3e-5 --tol 1e-8",
    "logistic covtype tight": "covtype --binary largest --lambda 1e-5 --scale standard --tol 1e-9",
    "logistic hog": "faces --binary largest --lambda 1e-4 --tol 1e-6",
    "logistic digits": "digits --binary largest --lambda 1e-3",
    "logistic text": "text --lambda 1e-4",
    "logistic text weak": "text --lambda 1e-7 --tol 1e-6",
    "logistic ill": "ill --lambda 1e-7 --tol 1e-8",
    "hinge ill newton": "ill --loss smooth-hinge --solver newton --lambda 1e-6",
    "squared hinge": "covtype --binary largest --loss squared-hinge --lambda 1e-5 --scale max-abs",
    "l1 dense": "covtype --binary largest --penalty l1 --lambda 1e-4 --scale max-abs --tol 1e-6",
    "l1 sparse": "a9a --penalty l1 --lambda 1e-4 --tol 1e-6",
    "l1 text": "text --penalty l1 --lambda 1e-4",
    "l1 text weak": "text --penalty l1 --lambda 1e-5 --tol 1e-6",
    "l1 many rows": "rows --penalty l1 --lambda 1e-4 --tol 1e-6",
    "elastic net": "ijcnn1 --penalty elastic-net --lambda 1e-3",
    "prox newton": "a9a --penalty l1-l2norm --solver newton --lambda 1e-3",
    "lasso": "line --loss squared --penalty l1 --lambda 1e-2",
    "lasso wide": "wide --loss squared --penalty l1 --lambda 1e-3 --tol 1e-6",
    "ridge": "line --loss squared --lambda 1e-3",
    "ridge gram": "line --loss squared --solver gram --lambda 1e-3 --tol 1e-9",
    "ridge wide": "wide --loss squared --lambda 1e-3 --tol 1e-6",
    "huber": "line --loss huber --lambda 1e-3",
    "huber l1": "line --loss huber --penalty l1 --lambda 1e-3",
    "huber with scale": "line huber_scale 1e-3 1e-8 l2",
    "huber with scale ill": "ill huber_scale 1e-9 1e-8 l2",
    "huber with scale l1": "line huber_scale 1e-2 1e-6 l1",
    "huber with scale near zero": "a9a huber_scale 1e-6 1e-8 l2",
    "huber with scale wide": "words huber_scale 1e-4 1e-6 l2",
    "poisson": "counts --loss poisson --lambda 1e-3",
    "poisson newton": "counts --loss poisson --solver newton --lambda 1e-5",
    "dual text": "words --solver dual --lambda 1e-4 --tol 1e-6",
    "dual text weak": "words --solver dual --lambda 1e-6",
    "dual narrow": "a9a --lambda 1e-1 --scale max-abs --solver dual",
    "lbfgs": "a9a --solver lbfgs --lambda 1e-4",
    "gd": "ijcnn1 --solver gd --accelerated --passes 30 --lambda 1e-3",
    "s3gd dense": "ijcnn1 --solver s3gd --passes 3",
    "s3gd sparse": "a9a --solver s3gd --passes 3",
    "s3gd text": "text --solver s3gd --passes 3",
    "s3gd full graph": "covtype --binary largest --solver s3gd --graph-mode full --passes 3 --scale max-abs",
    "s3gd paper": "faces --binary largest --solver s3gd --paper --passes 3",
    "s3gd until plateau": "ijcnn1 --solver s3gd --stop-at-plateau --passes 40",
    "sgd early": "ijcnn1 --solver sgd --validate 0.2 --early-stop --passes 30",
    "sgd softmax": "clouds --multiclass softmax --solver sgd --passes 5",
    "s3gd softmax": "digits --multiclass softmax --solver s3gd --passes 3",
    "ssgd": "ijcnn1 --solver ssgd --passes 3",
    "svrg": "a9a --solver svrg --passes 6",
    "svrg l1": "a9a --solver svrg --penalty l1 --passes 6",
    "scv": "ijcnn1 --solver scv --passes 2",
    "saga": "ijcnn1 --solver saga --passes 3",
    "is-sgd": "a9a --solver is-sgd --passes 3",
    "sgd traced": "a9a --solver sgd --passes 3 --trace {work}/trace.csv --trace-gradients",
    "softmax": "clouds --multiclass softmax --lambda 1e-4 --tol 1e-6",
    "softmax hog": "faces --multiclass softmax --lambda 1e-3",
    "softmax text": "texts --multiclass softmax --lambda 1e-4",
    "softmax l1": "clouds --multiclass softmax --penalty l1 --lambda 1e-3 --tol 1e-6",
    "softmax l1 digits": "digits --multiclass softmax --penalty l1 --lambda 3e-3",
    "softmax l1 text": "texts --multiclass softmax --penalty l1 --lambda 2e-3",
    "softmax group": "faces --multiclass softmax --penalty group --lambda 1e-2",
    "softmax nuclear": "clouds --multiclass softmax --penalty nuclear --lambda 1e-2",
    "one-vs-rest": "clouds --multiclass ovr --lambda 1e-4",
    "one-vs-rest hog": "faces --multiclass ovr --lambda 1e-4",
    "one-vs-rest text": "texts --multiclass ovr --lambda 1e-4",
    "one-vs-rest s3gd": "clouds --multiclass ovr --solver s3gd --passes 3",
    "path l1": "a9a path --penalty l1 --lambdas 12 --ratio 1e-2",
    "path l1 text": "text path --penalty l1 --lambdas 8 --ratio 1e-1",
    "path l2": "ijcnn1 path --lambdas 15",
    "path l2 wide": "words path --lambdas 10 --ratio 1e-3",
    "path l2 rows": "rows path --lambdas 8",
    "path softmax l2": "digits path --multiclass softmax --lambdas 4 --ratio 1e-1",
    "path l2 text": "text path --lambdas 10 --ratio 1e-4",
    "path lasso": "line path --loss squared --penalty l1 --lambdas 20",
    "path softmax": "clouds path --multiclass softmax --penalty l1 --lambdas 8 --ratio 1e-2",
    "cv l1": "ijcnn1 cv --penalty l1 --lambdas 10 --ratio 1e-2 --folds 3",
    "cv ridge": "line cv --loss squared --lambdas 10 --folds 3",
    "separable": "words --lambda 1e-8 --solver s3gd --passes 2",
    "inspect": "ijcnn1 inspect --variance",
}
LONGEST = 5  # processor seconds of a run
SHORT = 0.3  # processor seconds: a fit that takes longer is left out
TIMES = re.compile("second|memory|load|graph_seconds|total|evaluate")


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if not TIMES.search(key)}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def prepare(program, work, folder):
    for name, source in DATA.items():
        target = work / f"{name}.s3d"
        if target.exists():
            continue
        if isinstance(source, tuple):
            packed = Path(folder) / source[0] / "train.svm.zst"
            if not packed.exists():
                sys.exit(f"{packed} is not there: S3GD_DATA must name a folder with known datasets")
            lines = subprocess.run(["zstd", "-dcq", str(packed)], capture_output=True, check=True).stdout.split(b"\n")[:-1]
            step = max(1, len(lines) // source[1])
            source = work / f"{name}.svm"
            source.write_bytes(b"\n".join(lines[::step][:DATA[name][1]]) + b"\n")
        elif source is None:
            source = work / f"{name}.svm"
            rows = []
            for i in range(5000):
                x = [math.sin(1.0 + i * (j + 1) * 0.737) for j in range(20)]
                count = int(math.exp(0.5 + x[0] - 0.7 * x[3] + 0.3 * x[7]) + 0.5 + 0.5 * math.sin(i * 1.37))
                rows.append(f"{count} " + " ".join(f"{j + 1}:{v:.5f}" for j, v in enumerate(x)))
            source.write_text("\n".join(rows) + "\n")
        subprocess.run([program, "convert", "--quiet", str(source), str(target)], check=True, stdout=subprocess.DEVNULL)


class Bench:
    def __init__(self, work, scratch):
        self.work, self.scratch = work, scratch

    def command(self, fit):
        data, *words = FITS[fit].format(work=self.scratch).split()
        data = str(self.work / f"{data}.s3d")
        if words[0] == "huber_scale":
            return [str(self.work / "build/bench/bench_huber_scale"), data, *words[1:]]
        name = "train" if words[0].startswith("--") else words.pop(0)
        call = [str(self.work / "build/s3gd"), name, data, *words, "--json", "--threads", "1"]
        return call if name == "inspect" else [*call, "-o", str(self.scratch / "model")]

    def run(self, fit, change=None, used=None):
        """{"status", "passes", "gap", "seconds", "print"}; print is of everything but times."""
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
        if change:
            environment.update(S3GD_CONSTANT=change[0], S3GD_FACTOR=str(change[1]))
        if used:
            used.unlink(missing_ok=True)
            environment["S3GD_USED"] = str(used)
        model = self.scratch / "model"
        model.unlink(missing_ok=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(self.command(fit), env=environment, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST)))
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return {"status": f"over {LONGEST} s", "passes": math.nan, "gap": math.nan, "seconds": LONGEST, "print": ""}
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 3):
            return {"status": done.stderr.strip()[-100:].replace("\n", " ") or f"exit code {done.returncode}", "passes": math.nan,
                    "gap": math.nan, "seconds": math.nan, "print": ""}
        result = json.loads(done.stdout)
        points = result.get("points") or []
        shown = json.dumps(without_times(result), sort_keys=True).encode() + (model.read_bytes() if model.exists() else b"")
        passes = result.get("passes") or sum(point.get("passes", 0) for point in points)  # the exact Newton counts steps alone
        return {"status": result.get("status", "converged"), "passes": passes or result.get("iterations", 0), "counted": passes > 0,
                "gap": (result.get("certificate") or {}).get("relative_gap", math.nan),
                "seconds": result.get("cpu_seconds", after.ru_utime - before.ru_utime),
                "print": hashlib.sha256(shown).hexdigest()}

    def unchanged(self, fit, rounds=3):
        """One run, with the least time of several, and the constants it reads."""
        used = self.scratch / "used.txt"
        result = self.run(fit, used=used)
        result["used"] = set(used.read_text().split()) if used.exists() else set()
        if not result["print"] or result["seconds"] > SHORT:
            return result
        again = [self.run(fit) for _ in range(rounds)]
        if any(other["print"] != result["print"] for other in again):
            print(f"not the same twice: {fit}", file=sys.stderr)
        result["seconds"] = min(other["seconds"] for other in again)
        return result


def work_ratio(fit, before, after):
    """Of passes; where they are given, of the gap that is left, which a pass is taken to divide by some power."""
    if "--passes" in FITS[fit] and "--stop" not in FITS[fit] and "--early" not in FITS[fit]:
        return (after["gap"] / before["gap"])**0.25 if before["gap"] > 0 and after["gap"] > 0 else 1.0
    if after["counted"] != before["counted"]:  # another solver, which counts otherwise
        return after["seconds"] / max(before["seconds"], 1e-3)
    return max(0.01, after["passes"] / before["passes"]) if before["passes"] else 1.0  # a start may be the optimum


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


def compare(before, after):
    """A row of the table, without the constant."""
    changed = [fit for fit in after if after[fit]["print"] != before[fit]["print"]]
    lost = [f"{fit}: {after[fit]['status']}" for fit in changed if after[fit]["status"] != before[fit]["status"]]
    fine = {fit: work_ratio(fit, before[fit], after[fit]) for fit in changed if after[fit]["print"]}
    clocks = {fit: after[fit]["seconds"] / before[fit]["seconds"] for fit in after
              if after[fit]["print"] and before[fit]["seconds"] >= 0.004}
    worst, slowest = max(fine, key=fine.get, default=""), max(clocks, key=clocks.get, default="")
    return (len(after), len(changed), f"{mean(list(fine.values())):.3f}", f"{fine.get(worst, 1):.2f} {worst}",
            f"{mean(list(clocks.values())):.2f}", f"{clocks.get(slowest, 1):.2f} {slowest}", "; ".join(lost))


COLUMNS = ["constant", "value", "factor", "read by", "changes", "work", "work at worst", "time", "time at worst", "lost", "unit, reason"]


def run_fits(bench, found, fixed, options):
    fits = [fit for fit in FITS if re.search(options.fits, fit)]
    before = {}
    for fit in fits:
        before[fit] = bench.unchanged(fit)
        if not before[fit]["print"]:
            print(f"{fit}: {before.pop(fit)['status']}\n{' '.join(bench.command(fit))}", file=sys.stderr)
            continue
        if before[fit]["seconds"] > SHORT:
            print(f"left out, {before.pop(fit)['seconds']:.2f} s: {fit}", file=sys.stderr)
            continue
        print(f"{fit:24} {before[fit]['status']:14} {before[fit]['passes']:8.2f} passes {before[fit]['seconds']:7.3f} s "
              f"{len(before[fit]['used']):4} constants", file=sys.stderr)
    fits = list(before)
    with options.output.open("w") as out:

        def put(row):
            print(*row, sep="\t", file=out, flush=True)

        put(COLUMNS)
        put(("(nothing)", "", 1, *compare(before, {fit: bench.run(fit) for fit in fits}), ""))
        for key, constant in found.items():
            if not re.search(options.only, key):
                continue
            group = "[" in key  # those are read when the program starts
            readers = [fit for fit in fits if key in before[fit]["used"] or group and any(
                name.startswith(key.split(":")[0]) for name in before[fit]["used"])]
            if key in fixed or not readers:
                put((key, constant.value, "", "known to the compiler" if key in fixed else 0, *[""] * 6, constant.reason))
                continue
            readers.sort(key=lambda fit: hashlib.sha256(f"{key} {fit}".encode()).digest())  # by lot, the same each time
            readers = readers[:options.most]
            for factor in options.factors:
                after = {fit: bench.run(fit, (key, factor)) for fit in readers}
                row = (key, constant.value, factor, *compare(before, after), constant.reason)
                put(row)
                print(*row[:-1], sep="  ", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, help="folder of the copy and its build; kept (default: a temporary one)")
    parser.add_argument("--only", default="", help="constants whose FILE:NAME matches")
    parser.add_argument("--fits", default="", help="fits whose names match")
    parser.add_argument("--factors", type=float, nargs="*", default=[2, 0.5])
    parser.add_argument("--most", type=int, help="fits that a constant is tried on, by lot of those that read it (default: all)")
    parser.add_argument("--data", default=os.environ.get("S3GD_DATA", ""))
    parser.add_argument("--output", type=Path, default=Path("constants.tsv"))
    parser.add_argument("--jobs", type=int, default=2, help="of the compiler")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        found, fixed = instrument.build(work, ["s3gd_app", "bench_huber_scale"], options.jobs)
        prepare(str(work / "build/s3gd"), work, options.data)
        with tempfile.TemporaryDirectory(dir=work) as scratch:
            run_fits(Bench(work, Path(scratch)), found, fixed, options)


if __name__ == "__main__":
    main()
