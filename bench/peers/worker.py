"""One process: one set, one number of threads, some objectives; us and the rivals, interleaved.

The job is one JSON object on standard input; each finished piece of work is appended to job["output"] as a JSON line,
so that a rival that brings the process down costs no more than itself.
"""
import json
import math
import os
import sys
import time
import traceback

import numpy as np

import bridge
import rivals
from stay_below import ACCURACIES, climb, label, median_times, stay_below, worth_repeating

ENOUGH = 1e-9
LONGEST_RUN = 20.0  # seconds
# A run may take this times the best time known for the finest accuracy anyone reached: in the first round, and later.
PATIENCE, LATER_PATIENCE = 4.0, 2.5
SHORTEST_BUDGET = 0.05
# cpu: of all threads of the process; for one thread on a machine that has other work.
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


class Contest:
    """All runs on one objective."""

    def __init__(self, data, job, lambda_name, out):
        self.data, self.job, self.out = data, job, out
        self.loss, self.penalty = job["loss"], job["penalty"]
        self.lam = lambda_of(data, lambda_name, self.loss, self.penalty)
        self.name = f"{job['set']} {self.loss} {self.penalty} {lambda_name} t{job['threads']}"
        self.task = bridge.Task(data, self.lam, self.loss, self.penalty, job["threads"])
        optimum, _ = self.task.reference(job["cache"])
        self.best_objective = optimum["objective"]
        self.inputs = rivals.Inputs(data, self.lam, self.loss, self.penalty, job["threads"], CLOCKS[job["clock"]])
        self.runs, self.layout = {}, {}
        self.best = {label(a): math.inf for a in ACCURACIES}
        self.tell("problem", lam=self.lam, optimum=self.best_objective, gap=optimum["certificate"]["relative_gap"],
                  method=optimum["method"], rows=data.rows, cols=data.cols, dense=data.dense)

    def tell(self, kind, **facts):
        self.out.write(json.dumps({"kind": kind, "contest": self.name, **facts}) + "\n")
        self.out.flush()

    def progress(self, text):
        print(text, file=self.job["progress"], flush=True)

    def error_of(self, w):
        value = self.task.objective(w)
        return (value - self.best_objective) / abs(self.best_objective) if math.isfinite(value) else math.inf

    def learn(self, times):
        for accuracy, seconds in times.items():
            self.best[accuracy] = min(self.best[accuracy], seconds)

    def budget(self, seed):
        reached = [seconds for seconds in self.best.values() if math.isfinite(seconds)]
        patience = LATER_PATIENCE if seed > 0 else PATIENCE
        return min(LONGEST_RUN, max(SHORTEST_BUDGET, patience * max(reached))) if reached else LONGEST_RUN

    # ---- us

    def run_us(self, seed, solver, step):
        options = {"solver": solver, "seed": seed, "tol": 1e-11, "trace_every": -1, "seconds": LONGEST_RUN}
        if solver not in ("auto", "newton"):
            options.update(step=step, passes=self.job["passes"])
        answer, w = self.task.solve(**options)
        setup = answer["setup_seconds"]
        points = [(row[self.job["clock"] == "cpu"] + setup, (row[2] - self.best_objective) / abs(self.best_objective))
                  for row in answer["trace"] if row[2] is not None]
        final = self.error_of(w)
        name = solver if not step else f"{solver} step {step:g}"
        self.tell("us", name=name, seed=seed, points=points, final=final, status=answer["status"],
                  gap=answer["certificate"]["relative_gap"], stages=answer["stages"],
                  passes=answer["passes"], graph=answer["graph_seconds"], step=answer["step"])
        if solver == "auto":
            self.learn({label(a): stay_below(points, a) for a in ACCURACIES})

    def run_us_by_tolerance(self, seed, solver):
        """Without a trace, as a user would: each accuracy asked for as the tolerance; certificate included, and apart."""
        for accuracy in ACCURACIES:
            answer, w = self.task.solve(solver=solver, seed=seed, tol=accuracy, seconds=LONGEST_RUN)
            certificate = self.task.certify(w)
            self.tell("asked", name=solver, seed=seed, accuracy=label(accuracy), seconds=answer["total_seconds"],
                      work=answer["setup_seconds"] + answer["graph_seconds"] + answer["solve_seconds"],
                      evaluating=answer["evaluate_seconds"], certificate=certificate["seconds"],
                      error=self.error_of(w), gap=certificate["relative_gap"], status=answer["status"])

    # ---- rivals

    def timed(self, rival, layout, effort, seed):
        """(seconds, weights, seconds of conversion)."""
        started = self.inputs.clock()
        w = rival.fit(self.inputs, layout, effort, seed)
        seconds = self.inputs.clock() - started
        w, converting = w if rival.converts else (w, 0.0)
        return seconds, w, converting

    def trace_of(self, rival, layout, seed):
        points, converting = rival.fit(self.inputs, layout, None, seed, seconds=self.budget(seed))
        return [(seconds, self.error_of(w)) for seconds, w in points], converting

    def choose_layout(self, rival):
        """The layout it is fastest with; the first run of each is not counted (imports, compilation, page faults)."""
        usable = [layout for layout in rival.layouts if self.inputs.usable(layout)]
        if rival.name in self.job["layouts"]:
            usable = [self.job["layouts"][rival.name]]
        fastest = {}
        for layout in usable:
            self.inputs.x(layout)
            if rival.traced:
                trace, _ = [self.trace_of(rival, layout, 0) for _ in range(2)][1]
                fastest[layout] = trace[min(len(trace), 10) - 1][0]
            else:
                tried = rival.efforts[min(2, len(rival.efforts) - 1)]
                fastest[layout] = [self.timed(rival, layout, tried, 0)[0] for _ in range(2)][1]
        if not fastest:
            raise ValueError("takes no layout that suits this set")
        layout = min(fastest, key=fastest.get)
        self.job["layouts"][rival.name] = layout  # the same for the other lambdas of this set
        return layout

    def run_rival(self, rival, seed):
        if rival.name not in self.layout:
            self.layout[rival.name] = self.choose_layout(rival)
        layout = self.layout[rival.name]
        converting = []

        def run(effort):
            seconds, w, conversion = self.timed(rival, layout, effort, seed)
            converting.append(conversion)
            return seconds, self.error_of(w)

        if rival.traced:
            points, conversion = self.trace_of(rival, layout, seed)
            converting.append(conversion)
            reached = next((k for k, p in enumerate(points) if p[1] <= ENOUGH / 10), len(points))
            points = points[:reached + 1]
        else:
            points = climb(rival.efforts, run, ENOUGH, self.budget(seed))
        self.runs.setdefault(rival.name, []).append(points)
        conversion = float(np.median(converting)) if rival.converts else 0.0
        self.learn(median_times([points]))
        self.tell("rival", name=rival.name, seed=seed, layout=layout, points=points, conversion=conversion)

    def hopeless(self, name):
        return not worth_repeating(median_times(self.runs[name]), self.best_of_rivals())

    def best_of_rivals(self):
        every = [median_times(runs) for runs in self.runs.values()]
        return {label(a): min(times[label(a)] for times in every) for a in ACCURACIES}

    def go(self, contenders):
        for seed in range(self.job["seeds"]):
            for solver, step in self.job["ours"]:
                self.run_us(seed, solver, step)
            if "auto" in (solver for solver, _ in self.job["ours"]):
                self.run_us_by_tolerance(seed, "auto")
            for rival in contenders:
                if seed > 0 and (rival.name not in self.runs or self.hopeless(rival.name)):
                    continue
                self.tell("begin", name=rival.name)
                started = time.perf_counter()
                try:
                    self.run_rival(rival, seed)
                except Exception as error:
                    self.tell("failed", name=rival.name, why=f"{type(error).__name__}: {error}"[:300])
                    if self.job["verbose"]:
                        traceback.print_exc()
                if self.job["verbose"]:
                    self.progress(f"  {self.name} {rival.name} seed {seed}: {time.perf_counter() - started:.1f} s")
            self.progress(f"{self.name}: round {seed + 1} of {self.job['seeds']}")
        self.tell("done")


def lambda_of(data, name, loss, penalty):
    if name == "1/n":
        return 1 / data.rows
    if name.endswith("max"):
        largest = np.abs(bridge.Task(data, 1.0, loss, penalty).gradient_at_zero()).max()
        return float(name[:-3]) * float(largest)
    return float(name)


def silence(job):
    """What libraries print goes nowhere; our progress still to standard error."""
    job["progress"] = os.fdopen(os.dup(2), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    if not job["verbose"]:
        os.dup2(nowhere, 2)


def main():
    job = json.load(sys.stdin)
    silence(job)
    library = bridge.open_library(job["library"])
    data = bridge.Data(library, job["source"], **job["options"])
    with open(job["output"], "a") as out:
        chosen = []
        for rival in rivals.all_rivals():
            if (job["loss"], job["penalty"]) not in rival.problems or rival.name not in job["rivals"]:
                continue
            why = rivals.obstacle(rival, data)
            if why:
                out.write(json.dumps({"kind": "missing", "name": rival.name, "set": job["set"], "why": why}) + "\n")
            else:
                chosen.append(rival)
        for lambda_name in job["lambdas"]:
            Contest(data, job, lambda_name, out).go(chosen)


if __name__ == "__main__":
    main()
