"""Runs the comparison: one worker process for each set, number of threads and kind of objective. See README.md."""
import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import datasets
import table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KINDS = {"l2": ("logistic", "l2"), "l1": ("logistic", "l1"), "l1-squared": ("squared", "l1")}
LONGEST_SILENCE = 120  # seconds
SGD_STEPS = [4.0 ** k for k in range(-5, 4)]


def arguments():
    parser = argparse.ArgumentParser(prog="bench/peers/run", description="s3gd and its rivals on the same problems")
    parser.add_argument("--sets", default=",".join(datasets.SETS), help="names or paths, by commas")
    parser.add_argument("--kinds", default="l2", help="objectives, by commas: " + ", ".join(KINDS))
    parser.add_argument("--lambdas", help="by commas: numbers, 1/n, or 0.1max (default 1e-3,1/n; L1: 0.1max,0.01max)")
    parser.add_argument("--threads", default="1", help="by commas (default 1)")
    parser.add_argument("--seeds", type=int, default=5, help="rounds, each with another seed")
    parser.add_argument("--rivals", help="only those whose name contains one of these, by commas; 'none' for none")
    parser.add_argument("--only-us", action="store_true", help="no rivals: compare with those of --against")
    parser.add_argument("--against", help="the JSON of an earlier run (default: --output)")
    parser.add_argument("--solver", action="append", default=[], metavar="NAME[:STEP]",
                        help="time this solver of ours as well; 'sgd' alone tries nine steps")
    parser.add_argument("--passes", type=float, default=50, help="of those solvers")
    parser.add_argument("--no-auto", action="store_true", help="leave out our own auto")
    parser.add_argument("--winners", action="store_true", help="only the rivals that have won somewhere")
    parser.add_argument("--quick", action="store_true", help="2 seeds, and only the rivals that have won somewhere")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="cpu: for a machine that is not quiet")
    parser.add_argument("--memory", action="store_true", help="also measure our peak memory")
    parser.add_argument("--output", default=str(ROOT / "build/peers/results.json"), help="JSON; markdown beside it")
    parser.add_argument("--library", default=str(ROOT / "build/release/bench/libbench_bridge.so"))
    parser.add_argument("--verbose", action="store_true")
    chosen = parser.parse_args()
    for kind in chosen.kinds.split(","):
        if kind not in KINDS:
            parser.error(f"there is no kind '{kind}'")
    chosen.winners |= chosen.quick
    return chosen


WINNERS = ("scipy-lbfgs", "scipy-lbfgs-m30", "scipy-lbfgs-columns", "liblinear-7", "cyanure-auto-32", "cyanure-svrg-32",
           "sk-newton-cholesky-32", "sk-newton-cholesky-64", "sk-sgd", "sk-asgd", "sk-asgd-0.1", "celer", "sk-lasso-32",
           "liblinear-6", "cyanure-miso-32")


def rival_names(chosen):
    import rivals
    names = [rival.name for rival in rivals.all_rivals()]
    if chosen.only_us or chosen.rivals == "none":
        return []
    if chosen.winners:
        return [name for name in names if name in WINNERS]
    wanted = chosen.rivals.split(",") if chosen.rivals else [""]
    return [name for name in names if any(part in name for part in wanted)]


def our_solvers(chosen):
    ours = [] if chosen.no_auto else [("auto", 0.0)]
    for text in chosen.solver:
        name, _, step = text.partition(":")
        ours += [(name, float(step))] if step else [(name, s) for s in SGD_STEPS] if name == "sgd" else [(name, 0.0)]
    return ours


def environment(threads):
    variables = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return {**os.environ, **dict.fromkeys(variables, str(threads)), "PYTHONWARNINGS": "ignore"}


def read_lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()] if Path(path).exists() else []


def run_watched(job, threads):
    """A worker's exit code; one that finishes nothing for a long time is ended."""
    worker = subprocess.Popen([sys.executable, str(HERE / "worker.py")], stdin=subprocess.PIPE, text=True,
                              env=environment(threads))
    worker.stdin.write(json.dumps(job))
    worker.stdin.close()
    size, since = 0, time.time()
    while True:
        try:
            return worker.wait(timeout=2)
        except subprocess.TimeoutExpired:
            now = Path(job["output"]).stat().st_size if Path(job["output"]).exists() else 0
            if now != size:
                size, since = now, time.time()
            elif time.time() - since > LONGEST_SILENCE:
                worker.kill()


def run_worker(job, threads):
    """Runs a worker to its end; when a rival brings it down, again without that rival and what is already done."""
    Path(job["output"]).unlink(missing_ok=True)
    lines = []
    while job["lambdas"]:
        code = run_watched(job, threads)
        new = read_lines(job["output"])[len(lines):]
        finished = sum(line["kind"] == "done" for line in new)
        lines += new
        if code == 0:
            break
        begun = [line for line in new if line["kind"] == "begin"]
        print(f"{job['set']}: the worker ended with code {code}", file=sys.stderr)
        if not begun:
            break
        culprit, contest = begun[-1]["name"], begun[-1]["contest"]
        job["rivals"] = [name for name in job["rivals"] if name != culprit]
        job["lambdas"] = job["lambdas"][finished:]
        # The interrupted contest starts anew; of its lines only the reason for that stays.
        lines = [line for line in lines if line.get("contest") != contest]
        lines.append({"kind": "failed", "contest": contest, "name": culprit,
                      "why": f"hung, or brought its process down (code {code})"})
        Path(job["output"]).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return lines


def peak_memory(job, lam, threads):
    ended = subprocess.run([sys.executable, str(HERE / "memory.py")], env=environment(threads), text=True, check=False,
                           input=json.dumps({**job, "lambda": lam, "threads": threads}), stdout=subprocess.PIPE)
    return json.loads(ended.stdout) if ended.returncode == 0 else None


def save(path, results):
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    temporary.write_text(json.dumps(results))
    temporary.replace(path)
    path.with_suffix(".md").write_text(table.markdown(results["contests"]))


def print_memory(results):
    for name, facts in results["memory"].items():
        allowed = 64 * facts["rows"] + 50e6
        print(f"memory {name}: data {facts['data'] / 1e6:.1f} MB, the fit adds {facts['added'] / 1e6:.1f} MB "
              f"(64 bytes a row and 50 MB: {allowed / 1e6:.1f} MB)")


def main():
    chosen = arguments()
    output = Path(chosen.output)
    earlier = Path(chosen.against or chosen.output)
    results = {"contests": {}, "skipped": {}, "missing": {}, "memory": {}}
    if earlier.exists():
        results = json.loads(earlier.read_text())
    results["machine"] = {"system": platform.platform(), "cores": os.cpu_count(), "clock": chosen.clock}
    scratch = ROOT / "build/peers"
    scratch.mkdir(parents=True, exist_ok=True)
    touched = []
    for kind in chosen.kinds.split(","):
        loss, penalty = KINDS[kind]
        lambdas = (chosen.lambdas or ("1e-3,1/n" if penalty == "l2" else "0.1max,0.01max")).split(",")
        for name in chosen.sets.split(","):
            source, options, why = datasets.locate(name)
            if why:
                print(f"{name}: skipped, {why}", file=sys.stderr)
                results["skipped"][name] = why
                continue
            for threads in map(int, chosen.threads.split(",")):
                job = {"set": name, "source": source, "options": options, "library": chosen.library,
                       "loss": loss, "penalty": penalty, "lambdas": list(lambdas), "threads": threads,
                       "seeds": 2 if chosen.quick else chosen.seeds, "rivals": rival_names(chosen),
                       "ours": our_solvers(chosen), "passes": chosen.passes, "layouts": {},
                       "clock": chosen.clock, "cache": str(scratch / "optima"), "output": str(scratch / f"worker-{os.getpid()}.jsonl"),
                       "verbose": chosen.verbose}
                started = time.time()
                lines = run_worker(job, threads)
                Path(job["output"]).unlink(missing_ok=True)
                table.collect(lines, results["contests"])
                results["missing"].update({f"{line['name']} on {line['set']}": line["why"]
                                           for line in lines if line["kind"] == "missing"})
                touched += sorted({line["contest"] for line in lines if "contest" in line} - set(touched))
                if chosen.memory and penalty == "l2":
                    facts = peak_memory(job, lambdas[0], threads)
                    if facts:
                        results["memory"][f"{job['set']} t{threads}"] = facts
                save(output, results)
                print(f"{name}, {kind}, {threads} threads: {time.time() - started:.0f} s", file=sys.stderr)
    print(table.text({name: results["contests"][name] for name in touched}))
    print_memory(results)
    for name, why in results["missing"].items():
        print(f"{name}: {why}")


if __name__ == "__main__":
    main()
