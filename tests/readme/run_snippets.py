#!/usr/bin/env python3
"""Runs every snippet of a Markdown page against an installed copy of the build.

    run_snippets.py PAGE SOURCE BUILD WORK COMPILER

```sh blocks run with bash in one empty folder, in order, with the installed program on the PATH; those that start with
cmake run in SOURCE. ```cpp blocks are compiled with the installed headers and library, and run. ```python blocks run with the
package of BUILD, where it has been built. Each must exit with 0.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_ONLY = {"text"}


def run(command, **options):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    print(result.stdout, end="", flush=True)
    if result.returncode != 0:
        sys.exit(f"exit code {result.returncode}")


def main():
    page, source, build, work = (Path(p).resolve() for p in sys.argv[1:5])
    compiler = sys.argv[5]
    shutil.rmtree(work, ignore_errors=True)
    home, folder, prefix = work / "home", work / "run", work / "prefix"
    home.mkdir(parents=True)
    folder.mkdir()
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    environment = os.environ | {"HOME": str(home), "PATH": f"{prefix}/bin:{os.environ['PATH']}"}

    blocks = BLOCK.findall(page.read_text())
    executed = 0
    for number, (language, text) in enumerate(blocks, 1):
        print(f"--- block {number} ({language})\n{text}---", flush=True)
        if language == "sh":
            place = source if text.startswith("cmake") else folder
            run(["bash", "-euo", "pipefail", "-c", text], cwd=place, env=environment)
        elif language == "cpp":
            program = work / f"snippet{number}"
            program.with_suffix(".cpp").write_text(text)
            run([compiler, "-std=c++20", "-Wall", "-Werror", f"-I{prefix}/include", f"{program}.cpp", "-o", program,
                 f"-L{prefix}/lib", "-ls3gd", f"-Wl,-rpath,{prefix}/lib"])
            run([program], cwd=folder, env=environment)
        elif language == "python":
            python = source / "build/python-venv/bin/python"
            if not list(build.glob("python/s3gd/_core*.so")) or not python.exists():
                print("not run: the Python package has not been built (tools/setup python, S3GD_BUILD_PYTHON=ON)")
                continue
            run([python, "-c", text], cwd=folder, env=environment | {"PYTHONPATH": str(build / "python")})
        elif language in SHOWN_ONLY:
            continue
        else:
            sys.exit(f"block {number}: nobody runs '{language}'")
        executed += 1
    if executed == 0:
        sys.exit(f"{page} has no snippets")


if __name__ == "__main__":
    main()
