#!/usr/bin/env python3
"""Builds the wheel as a packager does, and runs it as a user without compiler and libraries would.

    check_wheel.py SOURCE WORK PACKAGES     PACKAGES: a site-packages folder with NumPy, SciPy and scikit-learn

The wheel goes into a fresh virtual environment that knows nothing of SOURCE; its program runs with an empty environment.
So does README's example. Every library that the compiled part loads must come with it, but for those of every Linux system.
"""
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

MOST_BYTES = 40 << 20
OF_EVERY_SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libz.so.1",
                   "ld-linux-x86-64.so.2", "libgcc_s.so.1", "libstdc++.so.6"}  # those that manylinux counts on

PROGRAM = """
import os, s3gd, s3gd._core, sys
from s3gd import LogisticRegression, load, save
data = load("gen:manifold?rows=400&cols=6")
model = LogisticRegression().fit(data.X, data.y)
assert model.score(data.X, data.y) > 0.6, model.score(data.X, data.y)
save(os.path.join(sys.argv[1], "rows.svm.zst"), data.X, data.y)
assert load(os.path.join(sys.argv[1], "rows.svm.zst"), layout="dense").X.shape == data.X.shape
print(s3gd._core.__file__)
"""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, stdin=subprocess.DEVNULL, **options)


def foreign(module, environment):
    """Libraries that the module loads from elsewhere, but for those that every system has."""
    lines = run("ldd", module, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = dict(line.strip().split(" => ") for line in lines if " => " in line)
    assert found, lines
    return [name for name, path in found.items()
            if name not in OF_EVERY_SYSTEM and not path.startswith(str(environment))]


def main():
    source, work, packages = (Path(word).resolve() for word in sys.argv[1:4])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    run(source / "tools/wheel", work / "dist")
    wheels = list((work / "dist").glob("s3gd-*.whl"))
    assert len(wheels) == 1, wheels
    assert "manylinux" in wheels[0].name, f"{wheels[0].name} is for this machine alone"
    assert wheels[0].stat().st_size < MOST_BYTES, f"{wheels[0].stat().st_size} bytes"

    environment = work / "venv"
    venv.create(environment, with_pip=False)
    site = next((environment / "lib").glob("python*/site-packages"))
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheels[0])
    (site / "packages.pth").write_text(f"{packages}\n")
    answer = run("env", "-i", environment / "bin/python", "-c", PROGRAM, work, cwd=work, stdout=subprocess.PIPE, text=True)
    module = answer.stdout.strip()
    assert module.startswith(str(site)), module
    strangers = foreign(module, environment)
    assert not strangers, f"libraries of this machine: {strangers}"
    examples = re.findall(r"^```python\n(.*?)^```$", (source / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert examples, "README.md has no example in Python"
    for example in examples:
        run("env", "-i", environment / "bin/python", "-c", example, cwd=work)
    print(f"{wheels[0].name}: {wheels[0].stat().st_size / 2**20:.1f} MB")


if __name__ == "__main__":
    main()
