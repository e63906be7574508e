#!/usr/bin/env python3
"""Checks that every file includes only its own layer and those below it.

    check_layers.py [FOLDER]      the repository in FOLDER (default: this one)
    check_layers.py --self-test   shows that each kind of wrong include is found

include/s3gd stands on itself and the standard library; src/LAYER on include/s3gd and the layers up to LAYER; apps on all.
Headers of other projects are written with <>, ours with "".
"""
import re
import sys
import tempfile
from pathlib import Path

LAYERS = ["base", "kernel", "data", "problem", "anchor", "stochastic", "exact", "solve", "saved", "fit", "select", "report",
          "compare", "reproduce"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)')


def complaint(owner, bracket, target):
    """Why a file of `owner` (a layer, "include" or "apps") may not include `target`; empty when it may."""
    folder, slash, _ = target.partition("/")
    if bracket == "<":
        standard = not slash and "." not in target
        return "" if standard or owner != "include" else "a public header needs only s3gd/... and the standard library"
    if folder == "s3gd":
        return ""
    if owner == "include":
        return "a public header needs only s3gd/... and the standard library"
    if not slash:
        return "" if owner == "apps" else 'write it as "LAYER/file.hpp"'
    if folder not in LAYERS:
        return f"'{folder}' is not a layer"
    if owner != "apps" and LAYERS.index(folder) > LAYERS.index(owner):
        return f"layer '{owner}' stands below '{folder}'"
    return ""


def check(root):
    found = []
    for top in ("include", "src", "apps"):
        for file in sorted((root / top).rglob("*.[ch]pp")):
            path = file.relative_to(root)
            owner = path.parts[1] if top == "src" else top
            if owner not in LAYERS + ["include", "apps"]:
                found.append(f"{path}:1: '{owner}' is not a layer; they are: {' '.join(LAYERS)}")
                continue
            for number, line in enumerate(file.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                reason = match and complaint(owner, *match.groups())
                if reason:
                    found.append(f"{path}:{number}: includes {match.group(2)}: {reason}")
    return found


def self_test():
    cases = [  # file, include line, whether it is wrong
        ("src/problem/a.cpp", '#include "data/input.hpp"', False),
        ("src/problem/a.cpp", '#include "problem/loss.hpp"', False),
        ("src/problem/a.cpp", "#include <hwy/highway.h>", False),
        ("src/problem/a.cpp", '#include "s3gd/matrix.hpp"', False),
        ("src/problem/a.cpp", '  #  include "stochastic/loop.hpp"', True),
        ("src/problem/a.cpp", '#include "loss.hpp"', True),
        ("src/problem/a.cpp", '#include "elsewhere/loss.hpp"', True),
        ("src/elsewhere/a.cpp", "", True),
        ("include/s3gd/a.hpp", "#include <vector>", False),
        ("include/s3gd/a.hpp", '#include "s3gd/matrix.hpp"', False),
        ("include/s3gd/a.hpp", '#include "base/threads.hpp"', True),
        ("include/s3gd/a.hpp", "#include <fmt/format.h>", True),
        ("apps/s3gd/a.cpp", '#include "saved/model.hpp"', False),
        ("apps/s3gd/a.cpp", '#include "command.hpp"', False),
    ]
    for name, line, wrong in cases:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / name
            file.parent.mkdir(parents=True)
            file.write_text(line + "\n")
            if bool(check(Path(folder))) != wrong:
                return [f"self-test: '{line}' in {name} should {'' if wrong else 'not '}be refused"]
    return []


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        found = self_test()
    else:
        found = check(Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent)
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
