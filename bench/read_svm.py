#!/usr/bin/env python3
"""Rows per second of LIBSVM text readers, side by side on one file.

    cmake --preset bench && cmake --build --preset bench --target bench_read_svm
    bench/read_svm.py FILE [--rounds 5] [--program build/bench/bench/bench_read_svm]

Readers: ours with 1 and 2 threads, scikit-learn's load_svmlight_file (from an environment the script makes beside the
build), and LIBLINEAR's, which can only be reached through its program: `liblinear-train -c 0` reads the file, then
finds that C = 0 is not allowed and stops before it trains, so all of its time is reading. The readers take turns,
each reads the file once a round in a process of its own, and the best round of each counts, by wall time and by processor time (which other programs on the machine disturb less).
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = ["scikit-learn==1.9.1", "numpy==2.4.6", "scipy==1.17.1"]
SKLEARN = """
import json, sys, time
from sklearn.datasets import load_svmlight_file
wall, cpu = time.perf_counter(), time.process_time()
rows = load_svmlight_file(sys.argv[1])[0].shape[0]
print(json.dumps({"rows": rows, "seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}))
"""


def sklearn_python():
    folder = ROOT / "build" / "bench-venv"
    python = folder / "bin" / "python"
    done = folder / "requirements.txt"
    if not done.exists() or done.read_text() != "\n".join(REQUIREMENTS):
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)
        done.write_text("\n".join(REQUIREMENTS))
    return python


def run_json(*command):
    return json.loads(subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout)


def run_liblinear(path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    result = subprocess.run(["liblinear-train", "-c", "0", path, os.devnull], capture_output=True, text=True)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if "C <= 0" not in result.stdout + result.stderr:
        raise SystemExit("liblinear-train did not stop where it was expected to: " + result.stdout + result.stderr)
    return {"seconds": seconds, "cpu_seconds": after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", default=ROOT / "build" / "bench" / "bench" / "bench_read_svm")
    arguments = parser.parse_args()

    python = sklearn_python()
    readers = {
        "s3gd, 1 thread": lambda: run_json(arguments.program, arguments.file, 1, 1),
        "s3gd, 2 threads": lambda: run_json(arguments.program, arguments.file, 2, 1),
        "scikit-learn": lambda: run_json(python, "-c", SKLEARN, arguments.file),
    }
    if shutil.which("liblinear-train"):
        readers["LIBLINEAR"] = lambda: run_liblinear(arguments.file)
    else:
        print("liblinear-train is missing (Debian: liblinear-tools)", file=sys.stderr)

    best = {}
    for _ in range(arguments.rounds):
        for name, reader in readers.items():
            for key, value in reader().items():
                pick = max if key.startswith("memory") else min
                best[name, key] = pick(best.get((name, key), value), value)
    rows = best["s3gd, 1 thread", "rows"]

    print(f"{arguments.file}: {rows} rows, {os.path.getsize(arguments.file) / 1e6:.0f} MB, best of {arguments.rounds}")
    print("| reader | rows/s | seconds | cpu seconds | slower than 1 thread | than 2 threads | by cpu |")
    print("|---|---|---|---|---|---|---|")
    one, two = best["s3gd, 1 thread", "seconds"], best["s3gd, 2 threads", "seconds"]
    for name in readers:
        wall, cpu = best[name, "seconds"], best[name, "cpu_seconds"]
        by_cpu = cpu / best["s3gd, 1 thread", "cpu_seconds"]
        print(f"| {name} | {rows / wall:.0f} | {wall:.3f} | {cpu:.3f} | {wall / one:.1f} x | {wall / two:.1f} x | {by_cpu:.1f} x |")
    print(f"peak memory over the result: {best['s3gd, 1 thread', 'memory_over_result_mb']:.1f} MB with 1 thread, "
          f"{best['s3gd, 2 threads', 'memory_over_result_mb']:.1f} MB with 2")


if __name__ == "__main__":
    main()
