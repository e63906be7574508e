#!/usr/bin/env python3
"""Draws how fast each run came down: plot_traces.py OUT.svg OPTIMUM TITLE NAME=TRACE.csv [NAME=TRACE.csv ..]

Left: over passes through the data; right: over seconds. Upwards: (F - OPTIMUM) / OPTIMUM, logarithmic.
A trace is what `s3gd train --trace FILE.csv` writes.
"""
import csv
import math
import sys

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 220, 62, 48, 40
STYLE = """<style>
  text { font: 12px sans-serif; fill: #333; } .title { font-weight: bold; font-size: 14px; }
  .axis { stroke: #888; fill: none; } .grid { stroke: #8884; } .run { fill: none; stroke-width: 2; }
  @media (prefers-color-scheme: dark) { text { fill: #ccc; } }
</style>"""


def read_trace(path, optimum):
    """Points (passes, seconds, relative suboptimality), only those with a positive one."""
    with open(path, newline="") as file:
        rows = [(float(r["passes"]), float(r["wall_seconds"]), (float(r["train_objective"]) - optimum) / optimum)
                for r in csv.DictReader(file) if r["train_objective"]]
    return [row for row in rows if row[2] > 0]


def nice_ticks(top):
    """About four round numbers from 0 up to `top`."""
    step = 10 ** math.floor(math.log10(top / 4))
    step *= next(m for m in (1, 2, 5, 10) if top / (m * step) <= 5)
    return [i * step for i in range(int(top / step + 1e-9) + 1)]


def panel(runs, column, label, left, low, high):
    """One diagram: `column` 0 is passes, 1 seconds; `low` and `high` are powers of ten."""
    right = max(points[-1][column] for _, points in runs)

    def place(x, y):
        return left + WIDTH * x / right, TOP + HEIGHT * (high - math.log10(y)) / (high - low)

    out = []
    for power in range(low, high + 1):
        _, y = place(0, 10.0**power)
        out.append(f'<line class="grid" x1="{left}" y1="{y:.1f}" x2="{left + WIDTH}" y2="{y:.1f}"/>')
        if column == 0:
            out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">1e{power}</text>')
    for tick in nice_ticks(right):
        x, _ = place(tick, 1)
        out.append(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{tick:g}</text>')
    out.append(f'<rect class="axis" x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}"/>')
    out.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 34}" text-anchor="middle">{label}</text>')
    for (_, points), colour in zip(runs, COLOURS):
        line = " ".join("%.1f,%.1f" % place(p[column], p[2]) for p in points if p[column] <= right)
        out.append(f'<polyline class="run" stroke="{colour}" points="{line}"/>')
    return out


def draw(title, runs):
    errors = [point[2] for _, points in runs for point in points]
    low, high = math.floor(math.log10(min(errors))), math.ceil(math.log10(max(errors)))
    width, height = LEFT + 2 * WIDTH + GAP + 20, TOP + HEIGHT + 70
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">', STYLE,
           f'<text class="title" x="{LEFT}" y="20">{title}</text>',
           f'<text x="{LEFT}" y="38">(F - F*) / F*, training objective</text>']
    out += panel(runs, 0, "passes over the data", LEFT, low, high)
    out += panel(runs, 1, "seconds", LEFT + WIDTH + GAP, low, high)
    for i, ((name, _), colour) in enumerate(zip(runs, COLOURS)):
        x, y = LEFT + 110 * i, height - 8
        out.append(f'<line class="run" stroke="{colour}" x1="{x}" y1="{y - 4}" x2="{x + 24}" y2="{y - 4}"/>')
        out.append(f'<text x="{x + 30}" y="{y}">{name}</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    target, optimum, title, *traces = sys.argv[1:]
    runs = [(name, read_trace(path, float(optimum))) for name, path in (trace.split("=", 1) for trace in traces)]
    runs = [(name, points) for name, points in runs if points]
    if not runs:
        sys.exit("plot_traces.py: no trace has a point above the optimum")
    with open(target, "w") as file:
        file.write(draw(title, runs))


if __name__ == "__main__":
    main()
