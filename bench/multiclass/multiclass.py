"""Times one-vs-rest fits of many classes, ours and rivals', to the same objective. See README.md."""
import argparse
import math
import os
import statistics
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCALED = ("mnist", "fashion-mnist", "covtype-93k")  # divided by the largest absolute value of each column
REFERENCE_GAP = 1e-10
LEAST = "s3gd, least effort"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True)
    parser.add_argument("--sets", default="mnist", help="names under $S3GD_DATA, or files")
    parser.add_argument("--lambdas", default="1e-3", help="numbers, or 1/n")
    parser.add_argument("--targets", default="1e-3", help="relative errors (F - F*)/F*")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rivals", default="", help="only those whose names contain one of these, by comma")
    parser.add_argument("--quick", action="store_true", help="one round, the usual rivals")
    parser.add_argument("--cap", type=float, default=20, help="a rival this many times slower is not climbed further")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall", help="which clock the ratios are of")
    return parser.parse_args()


def children_cpu():
    """Processor time of living child processes (joblib's workers): user and system, in seconds."""
    ticks = 0
    for thread in Path("/proc/self/task").iterdir():
        try:  # threads and workers come and go while we look
            for pid in (thread / "children").read_text().split():
                fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def timed(run):
    """(result, wall seconds, processor seconds of this process, its threads and its workers)."""
    wall, cpu = time.perf_counter(), time.process_time() + children_cpu()
    result = run()
    return result, time.perf_counter() - wall, time.process_time() + children_cpu() - cpu


def locate(name):
    path = Path(os.environ.get("S3GD_DATA", "")) / name / "train.svm.zst"
    return str(path) if path.exists() else name


class Contest:
    def __init__(self, data, lam, options):
        from multiclass_rivals import Task
        self.data, self.options = data, options
        self.problem = {"lambda": lam, "threads": options.threads}
        self.task = Task(data, lam, options.threads)
        w, _ = data.fit(self.problem, REFERENCE_GAP, 0)
        self.optimum = data.objective(self.problem, w)
        self.times = {}  # (who, target) -> [(wall, cpu, error)]

    def error(self, w):
        value = self.data.objective(self.problem, w)
        return (value - self.optimum) / self.optimum if math.isfinite(value) else math.inf

    def run_ours(self, target, seed):
        (w, about), wall, cpu = timed(lambda: self.data.fit(self.problem, target, seed))
        self.times.setdefault(("s3gd", target), []).append((wall, cpu, self.error(w)))
        print(f"    s3gd, {target:g}: {wall:.2f} s, cpu {cpu:.2f} s, error {self.error(w):.1e}, {about['status']}, "
              f"{about['passes']:.0f} passes, {about['stages']}", file=sys.stderr, flush=True)

    def run_rival(self, rival, target, effort):
        w, wall, cpu = timed(lambda: rival.fit(self.task, effort))
        self.times.setdefault((rival.name, target), []).append((wall, cpu, self.error(w)))

    def median(self, who, target):
        runs = self.times.get((who, target))
        if not runs:
            return None
        return tuple(statistics.median(run[part] for run in runs) for part in range(3))

    def climb(self, rival, targets):
        """The least effort that reaches each target: {target: effort}. Not timed, but cut short by the cap."""
        found, clock = {}, 0 if self.options.clock == "wall" else 1
        rival.fit(self.task, rival.efforts[0])  # starts workers, makes the layout
        for effort in rival.efforts:
            w, *clocks = timed(lambda: rival.fit(self.task, effort))
            error = self.error(w)
            print(f"    {rival.name}, effort {effort:g}: {clocks[0]:.2f} s, cpu {clocks[1]:.2f} s, error {error:.1e}",
                  file=sys.stderr, flush=True)
            for target in targets:
                if error <= target:
                    found.setdefault(target, effort)
            missing = [target for target in targets if target not in found]
            if not missing or clocks[clock] > self.options.cap * self.median("s3gd", missing[0])[clock]:
                break
        return found

    def report(self, names, targets):
        clock = 0 if self.options.clock == "wall" else 1
        for target in targets:
            own, least = self.median("s3gd", target), self.median(LEAST, target)
            print(f"\none-vs-rest, {len(self.data.classes)} classes, {self.data.rows} rows, lambda {self.task.lam:.3g}, "
                  f"{self.options.threads} threads, to {target:g}   F* {self.optimum:.10g}")
            print(f"  {'':32s}{'wall s':>9s}{'cpu s':>9s}{'error':>10s}{'times s3gd':>12s}{'least effort':>14s}"
                  f"  ({self.options.clock})")
            for name in ["s3gd", *names]:
                found = self.median(name, target)
                if found is None:
                    print(f"  {name:32s}{'-':>9s}{'-':>9s}{'-':>10s}{'> ' + format(self.options.cap, 'g'):>12s}")
                    continue
                print(f"  {name:32s}{found[0]:9.3f}{found[1]:9.3f}{found[2]:10.1e}{found[clock] / own[clock]:12.2f}"
                      f"{found[clock] / least[clock] if least else math.nan:14.2f}")


def compete(data, lam, options):
    from multiclass_rivals import RIVALS, TOLERANCES, Rival
    targets = sorted((float(t) for t in options.targets.split(",")), reverse=True)
    wanted = [part for part in options.rivals.split(",") if part]
    rivals = [r for r in RIVALS if (r.usual or not options.quick)
              and (not wanted or any(part in r.name for part in wanted))]
    contest = Contest(data, lam, options)
    rivals.insert(0, Rival(LEAST, lambda task, tol: data.fit(contest.problem, tol, 0)[0], TOLERANCES))
    for target in targets:
        contest.run_ours(target, 0)
    efforts = {rival: contest.climb(rival, targets) for rival in rivals}
    contest.times.clear()
    for seed in range(1 if options.quick else options.rounds):  # everybody takes turns
        for target in targets:
            contest.run_ours(target, seed)
            for rival in rivals:
                if target in efforts[rival]:
                    contest.run_rival(rival, target, efforts[rival][target])
    contest.report([rival.name for rival in rivals], targets)


def main():
    options = arguments()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(options.threads)  # before numpy is loaded
    sys.path.insert(0, str(HERE))
    from bridge import Data
    for name in options.sets.split(","):
        data = Data(options.library, locate(name), name in SCALED)
        for lam in options.lambdas.split(","):
            compete(data, 1 / data.rows if lam == "1/n" else float(lam), options)


if __name__ == "__main__":
    main()
