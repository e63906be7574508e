// A run.json as `s3gd compare` writes it, with curves made by formula: the same for the same options.
//     node synthetic_run.mjs [BIG] > run.json

const SOLVERS = ["s3gd", "sgd", "ssgd", "svrg", "scv", "saga", "is-sgd", "s3gd, full graph", "auto"];
const DATASETS = ["a9a", "cifar10", "covtype", "ijcnn1", "kdd04_bio", "mnist", "news20", "rcv1", "usps"];
const STEPS = [0.1, 1, 5, 10];

function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Iterations looked at: dense in the beginning, then evenly.
function looks(iterations, count) {
  const found = new Set([0]);
  for (let k = 0; k < count / 2; ++k) found.add(Math.round(iterations ** (k / (count / 2 - 1))));
  for (let k = 1; k <= count / 2; ++k) found.add(Math.round((iterations * k) / (count / 2)));
  return [...found].sort((a, b) => a - b);
}

function makeTrial({ dataset, d, solver, s, step, trial, options }) {
  const next = random(1 + 7919 * d + 104729 * s + 31 * Math.round(10 * step) + 17 * trial);
  const optimum = 0.2 + 0.05 * d;
  const speed = (0.3 + 0.25 * ((s * 5 + d * 3) % 9)) * Math.min(step, 4);
  const floor = solver.includes("sgd") ? 0.004 * step : 1e-9;
  const diverges = step * (1 + (s % 4)) > 25;
  const graph = solver.startsWith("s3gd") ? 0.05 + 0.02 * d : 0;
  const pace = (2e-6 * (1 + d)) * (1 + 0.3 * s);
  const points = { iteration: [], passes: [], cpu_seconds: [], wall_seconds: [], objective: [], test_objective: [],
    correlation: options.gradients ? [] : null, variance_ratio: options.gradients ? [] : null };
  for (const iteration of looks(options.iterations, options.points)) {
    const share = iteration / options.iterations;
    let above = 1.9 * Math.exp(-speed * 18 * share) * (1 + 0.1 * next()) + floor * (0.5 + next()) * Math.min(1, 40 * share);
    if (diverges) above = 1.9 * Math.exp(30 * share * step) * (1 + next());
    if (diverges && share > 0.4) break;
    const cpu = graph + iteration * pace * (1 + 0.05 * next());
    points.iteration.push(iteration);
    points.passes.push(iteration / 3000);
    points.cpu_seconds.push(cpu);
    points.wall_seconds.push(1.02 * cpu + 0.03 * share);
    points.objective.push(optimum * (1 + above));
    points.test_objective.push(optimum * (1.08 + 0.9 * above + 0.03 * share));
    if (options.gradients) {
      points.correlation.push(solver === "sgd" ? 0.4 + 0.1 * next() : 0.99 - 0.05 * next());
      points.variance_ratio.push(solver === "sgd" ? 1 : 0.02 + 0.4 * Math.exp(-5 * share));
    }
  }
  const last = points.objective.length - 1;
  const failed = options.failure && d === 0 && s === 2 && trial === 1;
  return {
    key: `${d}-${s}-${step}-${trial}`, dataset, solver: solver.split(",")[0], label: solver, step, step_rule: String(step),
    seed: trial, trial, status: failed ? "failed" : diverges ? "diverged" : "out_of_passes",
    error: failed ? "the disk was full </script><b>&" : null,
    iterations: points.iteration[last], passes: points.passes[last],
    objective: diverges ? null : points.objective[last], test_objective: points.test_objective[last],
    tail_objective: diverges ? null : points.objective[last] * 1.0001, stable: !diverges && floor < 0.01,
    graph_seconds: graph, graph_cpu_seconds: graph, solve_seconds: points.cpu_seconds[last] - graph,
    cpu_seconds: points.cpu_seconds[last], wall_seconds: points.wall_seconds[last], evaluate_seconds: 0.1, weights: null,
    points,
  };
}

function verdict(dataset, solvers, withGraph, runs, optimum) {
  const order = solvers.map((label) => {
    const times = runs.filter((run) => run.dataset === dataset && run.label === label && run.step === 1 && run.status !== "diverged")
      .map((run) => {
        const k = run.points.objective.findIndex((value) => value <= 1.01 * optimum);
        return k < 0 ? Infinity : run.points.cpu_seconds[k] - (withGraph ? 0 : run.graph_cpu_seconds);
      }).sort((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)];
    return { label, median_seconds: Number.isFinite(median) ? median : null };
  }).sort((a, b) => (a.median_seconds ?? Infinity) - (b.median_seconds ?? Infinity));
  const [first, second] = order;
  const sgd = order.find((place) => place.label === "sgd");
  const over = (place) => (place && place.median_seconds && first.median_seconds ? place.median_seconds / first.median_seconds : null);
  return { dataset, target: 0.01, clock: "cpu_seconds", with_graph: withGraph, order,
    winner: first.median_seconds === null ? null : first.label, speedup_over_sgd: over(sgd), speedup_over_runner_up: over(second) };
}

export function syntheticRun(given = {}) {
  const options = { datasets: 3, solvers: 5, trials: 3, steps: STEPS.slice(0, 2), points: 60, iterations: 40000, gradients: true,
    failure: true, names: DATASETS, ...given };
  const datasets = options.names.slice(0, options.datasets), solvers = SOLVERS.slice(0, options.solvers);
  const runs = [];
  datasets.forEach((dataset, d) => solvers.forEach((solver, s) => options.steps.forEach((step) => {
    for (let trial = 0; trial < options.trials; ++trial) runs.push(makeTrial({ dataset, d, solver, s, step, trial, options }));
  })));
  const optimum = (d) => 0.2 + 0.05 * d;
  return {
    s3gd_run: 1, kind: "compare", title: "Nine solvers on nine datasets", version: "0.1.0", created: "2026-01-02T03:04:05Z",
    command: ["s3gd", "compare", ...datasets, "-o", "results"],
    machine: { cpu: "A processor of 2 cores", cores: 2, memory_bytes: 25e9, os: "Linux", compiler: "g++ 12.2", simd: "AVX2" },
    protocol: { solvers, steps: options.steps, trials: options.trials, iterations: options.iterations, tail: 5000, tolerance: 0.01,
      batch: 10, lambda: 0.001, loss: "logistic", penalty: "l2", anchors: 100, threads: 1 },
    datasets: datasets.map((name, d) => ({ name, source: `gen:manifold?rows=${1000 * (d + 1)}&cols=${20 + d}`, content: "0", rows: 30000 * (d + 1),
      cols: 20 + 100 * d, nonzeros: 1234567 * (d + 1), classes: 2, test_rows: 1000, stand_in: d === 1 ? "the original cannot be had" : null,
      optimum: optimum(d), optimum_gap: 1e-9, test_at_optimum: 1.1 * optimum(d), formula: "F(w)" })),
    runs,
    chosen: datasets.flatMap((dataset) => solvers.map((label) => ({ dataset, label, step: 1, mean_tail: 0.3, why: "largest stable" }))),
    verdicts: [true, false].flatMap((graph) => datasets.map((dataset, d) => verdict(dataset, solvers, graph, runs, optimum(d)))),
  };
}

export const BIG = { datasets: 9, solvers: 9, trials: 5, steps: STEPS, points: 400, gradients: true };

if (process.argv[1] === new URL(import.meta.url).pathname)
  process.stdout.write(JSON.stringify(syntheticRun(process.argv[2] === "BIG" ? BIG : {})));
