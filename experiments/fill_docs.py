#!/usr/bin/env python3
"""Puts the findings of a run into docs/reproduction.md:

    s3gd reproduce --table -o DIR | experiments/fill_docs.py            those of the full protocol, instead of all there
    s3gd reproduce --table -o DIR | experiments/fill_docs.py add        the same, but figures that DIR lacks are kept
    s3gd reproduce --table -o DIR | experiments/fill_docs.py quick      those of --quick
    experiments/fill_docs.py claims                                     only the table of the main claims, anew
    experiments/fill_docs.py check                                      fails when that table is not what they say

The table of the main claims is made from the findings every time: no outcome and no number in it is written by hand.
"""
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reproduction.md"
HEAD = "| figure | the paper | found | in short |\n|---|---|---|---|\n"
LISTS = ["Not all was run:", "The numbers behind it:", "Sets that are not exactly the paper's:", "Left out:"]

# The paper's main claims: figure, how the finding begins, and why it came out so, by outcome.
CLAIMS = [
    ("verdict", "S3GD is the fastest on 6 of 9", {
        "not confirmed":
            "SCV multiplies by a d x d matrix, which costs little on sets of few columns where that matrix "
            "stays in the cache: it is first on such sets (IJCNN, Covtype, the stand-ins of KDD04_bio and "
            "WebSpam)"}),
    ("verdict", "SVRG is the fastest on IJCNN", {
        "not confirmed":
            "with 22 columns a step of SCV costs hardly more than one of SGD; SVRG pays for a pass over all "
            "rows every 50 steps (`time50`)"}),
    ("verdict", "SGD is the fastest on KDD04_bio", {
        "not confirmed":
            "KDD04_bio is generated here, and of few columns: SCV's again; on 20newsgroups a pass over 11,314 "
            "sparse rows is cheap, so that SVRG's lack of noise pays"}),
    ("steps", "SVRG and S3GD stay stable at large", {
        "not confirmed":
            "with rows of unit length even exact gradients diverge at 5 and 10; both are stable at ten times "
            "SGD's step, but so is SCV"}),
    ("step-grid", "SVRG and S3GD stay stable at larger", {
        "partly": "mostly larger than SGD's and SSGD's, but SCV's are at least as large as S3GD's"}),
    ("correlation", "SVRG's correlation rises", {}),
    ("correlation", "S3GD's correlation is high", {
        "partly":
            "above SGD's on every set, and near 1 in the beginning; but most of the 40,000 iterations are near the "
            "optimum, where it falls"}),
    ("anchors-correlation", "More anchors are not better", {}),
    ("anchors-time", "More anchors take more time", {}),
]


class Findings:
    """What `s3gd reproduce --table` prints, taken apart: each line with the figures it is about."""

    def __init__(self, text):
        origin, table, rest = text.partition(HEAD)
        if not table:
            sys.exit("standard input holds no table: pipe `s3gd reproduce --table -o DIR` into this script")
        self.origin = origin.strip().splitlines()
        lines = rest.splitlines()
        self.rows = [(re.match(r"\| `([^`]+)`", line)[1], line) for line in lines if line.startswith("| `")]
        self.lists = {heading: [] for heading in LISTS}
        heading = None
        for line in lines:
            if line in LISTS:
                heading = line
            elif line.startswith("- ") and heading:
                self.lists[heading].append(line[2:])

    def figures(self):
        return list(dict.fromkeys(figure for figure, _ in self.rows))

    def numbers(self, figure, says, longest=300):
        """What is measured of a claim; '' where there is nothing beyond its row, or more than a table holds."""
        for line in self.lists[LISTS[1]]:
            if line.startswith(f"`{figure}` (") and f". *{says}* " in line:
                numbers = line.partition(f". *{says}* ")[2].rstrip(".")
                return numbers if len(numbers) <= longest else ""
        return ""

    def add(self, new):
        """The figures of another run instead of what is here about them."""
        fresh = set(new.figures())
        order = self.figures() + [figure for figure in new.figures() if figure not in self.figures()]
        kept = [row for row in self.rows if row[0] not in fresh]
        self.rows = sorted(kept + new.rows, key=lambda row: order.index(row[0]))
        self.origin = [line for line in (without(line, fresh) for line in self.origin) if line]
        self.origin += [f"{line[:-1]}: {', '.join(f'`{figure}`' for figure in new.figures())}." for line in new.origin]
        for heading in LISTS[:2]:
            kept = [line for line in (without(line, fresh) for line in self.lists[heading]) if line]
            self.lists[heading] = sorted(kept + new.lists[heading],
                                         key=lambda line: order.index(re.match("`([^`]+)`", line)[1]))
        for heading in LISTS[2:]:
            about = lambda line: line.partition(":")[0]
            again = {about(line) for line in new.lists[heading]} | fresh
            kept = [line for line in self.lists[heading] if about(line) not in again]
            self.lists[heading] = kept + new.lists[heading]

    def text(self):
        text = "\n".join(self.origin) + "\n\n" + HEAD + "".join(line + "\n" for _, line in self.rows)
        for heading, lines in self.lists.items():
            if lines:
                text += f"\n{heading}\n\n" + "".join(f"- {line}\n" for line in lines)
        return text


def without(line, figures):
    """A line less the figures it names, at its begin ("`a`, `b`: ..", "`a` (..") or its end ("..: `a`, `b`."); '' if none
    is left."""
    for pattern in (r"^(?P<names>`[^`]+`(, `[^`]+`)*)(?P<rest>: .*)$", r"^(?P<names>`[^`]+`)(?P<rest> \(.*)$",
                    r"^(?P<front>.*: )(?P<names>`[^`]+`(, `[^`]+`)*)(?P<rest>\.)$"):
        found = re.match(pattern, line)
        if found and not found["names"].startswith("`s3gd "):
            parts = found.groupdict()
            names = [name for name in parts["names"].split(", ") if name.strip("`") not in figures]
            return parts.get("front", "") + ", ".join(names) + parts["rest"] if names else ""
    return line


def main_claims(full, quick):
    """The rows of the main claims; what the full protocol has not measured, from the quick run."""
    text = "| the paper says | found | measured | why | figure |\n|---|---|---|---|---|\n"
    for figure, begins, why in CLAIMS:
        for findings, remark in ((full, ""), (quick, " (quick run)")):
            cells = [row[2:-2].split(" | ") for name, row in findings.rows if name == figure]
            cells = [cell for cell in cells if cell[1].startswith(begins)]
            if cells and cells[0][2] != "**not measured**":
                break
        if not cells:
            sys.exit(f"no finding of {figure} begins with '{begins}'")
        _, says, found, in_short = cells[0]
        outcome = found.strip("*").partition(" (")[0]
        measured = findings.numbers(figure, says) or in_short
        text += f"| {says} | {found}{remark} | {measured} | {why.get(outcome, '')} | `{figure}` |\n"
    return text


def block(text, kind):
    """(before, inside, after) of a marked part of the page."""
    begin, end = f"<!-- {kind} -->\n", f"<!-- end of {kind} -->\n"
    before, _, rest = text.partition(begin)
    inside, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{PAGE}: the lines {begin.strip()} and {end.strip()} are missing")
    return before + begin, inside, end + after


def put(text, kind, content):
    before, _, after = block(text, kind)
    return before + content + after


def main(what, page=PAGE):
    text = page.read_text()
    if what not in ("", "add", "quick", "claims", "check"):
        sys.exit(__doc__)
    if what in ("", "add", "quick"):
        findings = Findings(sys.stdin.read())
        kind = "quick findings" if what == "quick" else "findings"
        if what == "add":
            both = Findings(block(text, kind)[1])
            both.add(findings)
            findings = both
        text = put(text, kind, findings.text())
    both = (Findings(block(text, kind)[1]) for kind in ("findings", "quick findings"))
    filled = put(text, "claims", main_claims(*both))
    if what != "check":
        page.write_text(filled)
    elif filled != text:
        sys.exit(f"{page}: the table of the claims is not what the findings say; run experiments/fill_docs.py claims")


if __name__ == "__main__":
    main(*sys.argv[1:2] or [""], *map(Path, sys.argv[2:3]))
