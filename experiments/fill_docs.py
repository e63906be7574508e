#!/usr/bin/env python3
"""Puts the findings of a run into docs/reproduction.md:

    s3gd reproduce --table -o DIR | experiments/fill_docs.py            those of the full protocol
    s3gd reproduce --table -o DIR | experiments/fill_docs.py quick      those of --quick
"""
import sys
from pathlib import Path


def main():
    kind = "quick findings" if sys.argv[1:] == ["quick"] else "findings"
    begin, end = f"<!-- {kind} -->\n", f"<!-- end of {kind} -->\n"
    page = Path(__file__).resolve().parent.parent / "docs" / "reproduction.md"
    text = page.read_text()
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{page}: the lines {begin.strip()} and {end.strip()} are missing")
    findings = sys.stdin.read()
    if "| figure |" not in findings:
        sys.exit("standard input holds no table: pipe `s3gd reproduce --table -o DIR` into this script")
    page.write_text(before + begin + findings + end + after)


if __name__ == "__main__":
    main()
