"""From the workers' lines to medians, best rivals and ratios; as text and as markdown."""
import math

from stay_below import ACCURACIES, label, median, median_times

LABELS = [label(a) for a in ACCURACIES]


def collect(lines, contests):
    """Adds the workers' JSON lines to {contest: {..}}; what they say of a contender replaces what was known of it."""
    fresh = set()
    for line in lines:
        kind = line["kind"]
        if kind == "missing":
            continue
        contest = contests.setdefault(line["contest"], {"ours": {}, "rivals": {}, "failed": {}})
        if kind == "problem":
            contest.update({k: v for k, v in line.items() if k not in ("kind", "contest")})
        elif kind in ("us", "asked", "rival"):
            group = contest["rivals"] if kind == "rival" else contest["ours"]
            key = (line["contest"], kind, line["name"])
            entry = group.setdefault(line["name"], {})
            part = "asked" if kind == "asked" else "runs"
            if key not in fresh:
                fresh.add(key)
                entry[part] = []
            entry[part].append({k: v for k, v in line.items() if k not in ("kind", "contest", "name")})
            contest["failed"].pop(line["name"], None)
        elif kind == "failed":
            contest["failed"][line["name"]] = line["why"]
            contest["rivals"].pop(line["name"], None)
    return contests


def times_of(entry, converted=False):
    """Median stay-below times; converted: without the conversion to a rival's own format."""
    runs = [[(seconds - (run.get("conversion", 0) if converted else 0), error) for seconds, error in run["points"]]
            for run in entry["runs"]]
    return median_times(runs)


def best_rival(contest, accuracy, converted=False):
    """(seconds, name) of the fastest rival."""
    every = [(times_of(entry, converted)[accuracy], name) for name, entry in contest["rivals"].items()]
    return min(every, default=(math.inf, "-"))


def ours(contest):
    """(name, times): auto when it is there, else the first; the best at each accuracy would flatter."""
    name = "auto" if "auto" in contest["ours"] else next(iter(contest["ours"]), None)
    return name, (times_of(contest["ours"][name]) if name else dict.fromkeys(LABELS, math.inf))


def ratio(rival, own):
    if math.isinf(own):
        return 0.0 if math.isfinite(rival) else math.nan
    return rival / own


def milliseconds(seconds):
    if math.isinf(seconds):
        return "-"
    return f"{1e3 * seconds:.3g}" if seconds < 1 else f"{1e3 * seconds:.0f}"


def shown(value):
    if math.isnan(value):
        return "-"
    return "ours only" if math.isinf(value) else f"{value:.2f}"


def rows_of(contests):
    """One row a contest and accuracy: contest, accuracy, ours, best rival, its name, ratio, ratio without conversion."""
    for name, contest in contests.items():
        _, own = ours(contest)
        for accuracy in LABELS:
            seconds, rival = best_rival(contest, accuracy)
            strict, strict_rival = best_rival(contest, accuracy, converted=True)
            yield {"contest": name, "accuracy": accuracy, "ours": own[accuracy], "rival": seconds, "name": rival,
                   "ratio": ratio(seconds, own[accuracy]), "strict": ratio(strict, own[accuracy]),
                   "strict_name": strict_rival}


def mean_ratio(rows):
    """Geometric mean of the ratios that both sides have."""
    logs = [math.log(r["ratio"]) for r in rows if 0 < r["ratio"] < math.inf]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def asked(contest):
    """Median of our total time, and of the certificate's, when the accuracy is asked for as the tolerance."""
    runs = contest["ours"].get("auto", {}).get("asked", [])
    out = {}
    for accuracy in LABELS:
        of = [r for r in runs if r["accuracy"] == accuracy]
        if of:
            out[accuracy] = {"seconds": median([r["seconds"] for r in of]),
                             "certificate": median([r["certificate"] for r in of]),
                             "worst_error": max(r["error"] for r in of),
                             "converged": all(r["status"] == "converged" for r in of)}
    return out


def other_solvers(contest, own_name):
    """{solver: times}; one tried with several steps counts, at each accuracy, with the step that is best there."""
    out = {}
    for name, entry in contest["ours"].items():
        if name == own_name:
            continue
        solver, _, step = name.partition(" step ")
        shown_as = f"{solver}, best step" if step else solver
        known = out.setdefault(shown_as, dict.fromkeys(LABELS, math.inf))
        for accuracy, seconds in times_of(entry).items():
            known[accuracy] = min(known[accuracy], seconds)
    return out


def text(contests):
    lines = []
    for name, contest in contests.items():
        rows = [r for r in rows_of({name: contest})]
        own_name, _ = ours(contest)
        lines.append(f"\n{name}   n {contest.get('rows')}, d {contest.get('cols')}, lambda {contest.get('lam', 0):.3g}, "
                     f"F* {contest.get('optimum', 0):.12g}   (milliseconds)")
        lines.append(f"  {'':24s}" + "".join(f"{a:>12s}" for a in LABELS))
        if own_name:
            lines.append(f"  {'s3gd ' + own_name:24s}" + "".join(f"{milliseconds(r['ours']):>12s}" for r in rows))
        lines.append(f"  {'best rival':24s}" + "".join(f"{milliseconds(r['rival']):>12s}" for r in rows))
        names = [r["name"].replace("scipy-lbfgs", "scipy") if r["rival"] < math.inf else "-" for r in rows]
        lines.append(f"  {'':24s}" + "".join(f"{name[:11]:>12s}" for name in names))
        if own_name:
            lines.append(f"  {'ratio':24s}" + "".join(f"{shown(r['ratio']):>12s}" for r in rows))
            lines.append(f"  {'ratio, format ready':24s}" + "".join(f"{shown(r['strict']):>12s}" for r in rows))
        by_tolerance = asked(contest)
        if by_tolerance:
            lines.append(f"  {'s3gd asked, all included':24s}" +
                         "".join(f"{milliseconds(by_tolerance[a]['seconds']):>12s}" for a in LABELS))
            lines.append(f"  {'  error reached':24s}" +
                         "".join(f"{by_tolerance[a]['worst_error']:>12.1e}" for a in LABELS))
            lines.append(f"  {'  one certificate':24s}" +
                         "".join(f"{milliseconds(by_tolerance[a]['certificate']):>12s}" for a in LABELS))
        for other, times in other_solvers(contest, own_name).items():
            lines.append(f"  {'s3gd ' + other:24s}" + "".join(f"{milliseconds(times[a]):>12s}" for a in LABELS))
        for rival, entry in sorted(contest["rivals"].items()):
            times = times_of(entry)
            note = f"  {len(entry['runs'])}x {entry['runs'][0]['layout']}"
            if entry["runs"][0]["conversion"]:
                note += f", conversion {milliseconds(entry['runs'][0]['conversion'])}"
            lines.append(f"    {rival:22s}" + "".join(f"{milliseconds(times[a]):>12s}" for a in LABELS) + note)
        lines += [f"    {rival:22s}  failed: {why}" for rival, why in sorted(contest["failed"].items())]
    lines.append(f"\ngeometric mean of the ratios: {shown(mean_ratio(list(rows_of(contests))))}")
    return "\n".join(lines)


def markdown(contests):
    lines = ["| set | objective | threads | " + " | ".join(LABELS) + " |", "|---|---|---|" + "---|" * len(LABELS)]
    for name, contest in contests.items():
        dataset, loss, penalty, lam, threads = name.rsplit(" ", 4)
        cells = [f"{milliseconds(r['ours'])} / {milliseconds(r['rival'])} {r['name'] if r['rival'] < math.inf else ''} = "
                 f"**{shown(r['ratio'])}**" for r in rows_of({name: contest})]
        lines.append(f"| {dataset} | {loss} {penalty}, {lam} | {threads[1:]} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
