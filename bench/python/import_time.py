#!/usr/bin/env python3
"""Processor seconds that importing takes, median of 15 fresh interpreters: PYTHONPATH=build/release/python import_time.py"""
import resource
import statistics
import subprocess
import sys

CASES = {"nothing": "pass", "numpy": "import numpy", "s3gd": "import s3gd", "s3gd and its core": "import s3gd, s3gd._core",
         "s3gd.load": "import s3gd; s3gd.load", "an estimator": "import s3gd; s3gd.LogisticRegression"}


def seconds(statement):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


times = {name: [] for name in CASES}
for _ in range(15):
    for name, statement in CASES.items():
        times[name].append(seconds(statement))
for name, values in times.items():
    print(f"{name:20} {statistics.median(values):.3f} s")
