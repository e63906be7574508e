#!/usr/bin/env python3
"""Checks what a compiler does not: length of files, tabs, blanks at line ends, words that do not belong, and options of the
program in the library, which knows them by their names alone (include/s3gd/words.hpp).

    check_style.py [FOLDER]      the repository in FOLDER (default: this one)
    check_style.py --self-test   shows that each rule can fail

Formatting proper is clang-format's business: tools/format --check.
"""
import os
import re
import sys
import tempfile
from pathlib import Path

LONGEST_FILE = 450
CODE = {".cpp", ".hpp", ".py", ".cmake", ".sh", ".js", ".mjs", ".css", ".html"}
TEXT = CODE | {".md", ".json", ".cff", ".txt", ""}
SKIPPED = {".git", ".venv", "build", "s3gd-demo", "node_modules", "__pycache__", "corpus"}  # the last: of the fuzz targets
WORDS = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|/(?:work|root)/[a-z]|place" r"holder text)")
# In a text or a comment; an arrow, as in `a --of--> b`, is none.
FLAG = re.compile(r'(?:"[^"]*|//.*?)--(?![\w-]*>)[a-z]{2}[\w-]*')
OTHERS_FLAGS = {"export_text.cpp"}  # of Vowpal Wabbit


def complaints(path, text):
    lines = text.split("\n")
    if path.suffix in CODE and len(lines) - 1 > LONGEST_FILE:
        yield 1, f"{len(lines) - 1} lines; {LONGEST_FILE} at most: split it"
    if text and not text.endswith("\n"):
        yield len(lines), "no newline at the end"
    for number, line in enumerate(lines, 1):
        if "\t" in line and path.suffix in CODE:
            yield number, "a tab"
        if line != line.rstrip() and path.suffix != ".md":
            yield number, "blanks at the end of the line"
        if path.parts[0] in ("src", "include") and path.name not in OTHERS_FLAGS and FLAG.search(line):
            yield number, "an option of the program: mention it by its name, opt(\"name\") in sentences"
        word = WORDS.search(line)
        if word:
            yield number, f"'{word.group()}' does not belong here"


def sources(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED)
        yield from (Path(folder) / name for name in sorted(names) if Path(name).suffix in TEXT)


def check(root):
    found = []
    for file in sources(root):
        name = file.relative_to(root)
        text = file.read_text(errors="replace")
        found += [f"{name}:{number}: {what}" for number, what in complaints(name, text)]
    return found


def self_test():
    cases = [  # file, contents, whether it is wrong
        ("a.cpp", "int a;\n" * LONGEST_FILE, False),
        ("a.cpp", "int a;\n" * (LONGEST_FILE + 1), True),
        ("a.cpp", "\tint a;\n", True),
        ("a.cpp", "int a; \n", True),
        ("a.cpp", "int a;", True),
        ("a.md", "TO" "DO: write it\n", True),
        ("a.md", "a word\n", False),
        ("src/a.cpp", 'f("give --scale standard");\n', True),
        ("include/a.hpp", "int a;  // as --scale has it\n", True),
        ("src/a.cpp", 'for (;; --place) f(" --c{}", 1);  // a --of--> b\n', False),
        ("apps/a.cpp", 'f("give --scale standard");\n', False),
    ]
    return [f"self-test: {name} with {text[:20]!r} should {'' if wrong else 'not '}be refused"
            for name, text, wrong in cases if bool(list(complaints(Path(name), text))) != wrong]


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
