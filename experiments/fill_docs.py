#!/usr/bin/env python3
"""Puts the findings of a run into docs/reproduction.md:  s3gd reproduce --table -o DIR | experiments/fill_docs.py"""
import sys
from pathlib import Path

BEGIN, END = "<!-- findings -->\n", "<!-- end of findings -->\n"


def main():
    page = Path(__file__).resolve().parent.parent / "docs" / "reproduction.md"
    text = page.read_text()
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        sys.exit(f"{page}: the lines {BEGIN.strip()} and {END.strip()} are missing")
    findings = sys.stdin.read()
    if "| figure |" not in findings:
        sys.exit("standard input holds no table: pipe `s3gd reproduce --table -o DIR` into this script")
    page.write_text(before + BEGIN + findings + END + after)


if __name__ == "__main__":
    main()
