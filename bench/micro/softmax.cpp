// From matrix to certified weights: softmax on one set, columns scaled by their largest value.
//
//     bench_softmax DATA LAMBDA TOL [threads=2] [layout=automatic] [penalty=l2] [solver=auto] [rounds=3] [precision=float]
//
// seeds=8 runs seeds 0 to 7 in every round. One line of JSON a run: seed, objective, gap, wall and processor seconds (problem
// set up and certificate included), stages.
#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <string>

#include "base/clock.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"
#include "solve/inputs.hpp"

using namespace s3gd;

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "bench_softmax DATA LAMBDA TOL [threads=..] [layout=..] [penalty=..] [solver=..] [rounds=..]\n");
    return 2;
  }
  std::map<std::string, std::string> given{
      {"threads", "2"},       {"layout", "automatic"}, {"penalty", "l2"}, {"solver", "auto"}, {"rounds", "3"},
      {"precision", "float"}, {"trace", "0"},          {"passes", "0"},   {"step", "0"},      {"seeds", "1"}};
  for (int a = 4; a < argc; ++a) {
    const std::string text = argv[a];
    const auto equals = text.find('=');
    if (equals != std::string::npos) given[text.substr(0, equals)] = text.substr(equals + 1);
  }
  LoadOptions load_options;
  if (given["layout"] == "dense") load_options.layout = Layout::dense;
  if (given["layout"] == "sparse") load_options.layout = Layout::sparse;
  if (given["precision"] == "double") load_options.precision = Precision::float64;
  Dataset data = load(argv[1], load_options);
  data = apply_scaling(data, learn_scaling(data, Scale::max_abs));
  SoftmaxSpec spec;
  spec.penalty.kind = matrix_penalty_named(given["penalty"]).value();
  spec.penalty.lambda = std::string(argv[2]) == "1/n" ? 1.0 / static_cast<double>(data.rows()) : std::atof(argv[2]);
  spec.threads = std::atoi(given["threads"].c_str());
  SolveOptions options;
  options.tol = std::atof(argv[3]);
  options.solver = given["solver"];
  options.passes = std::atof(given["passes"].c_str());
  options.step = std::atof(given["step"].c_str());
  options.trace_every = std::atoi(given["trace"].c_str());
  const int seeds = std::atoi(given["seeds"].c_str());
  for (int run = 0; run < std::atoi(given["rounds"].c_str()) * seeds; ++run) {
    options.seed = static_cast<std::uint64_t>(run % seeds);
    const double wall = wall_now(), cpu = cpu_now();
    const SoftmaxProblem problem(data, spec);
    const Solution solution = solve_softmax(problem, options);
    const double wall_seconds = wall_now() - wall, cpu_seconds = cpu_now() - cpu;
    const Summary& summary = solution.summary;
    for (const TraceRow& row : solution.trace)
      if (options.trace_every != 0)
        fmt::print(stderr, "{:>12} it {:4} passes {:8.2f} cpu {:7.3f} F {:.10f} gap {:.3g}\n", row.stage, row.iteration,
                   row.passes, row.cpu_seconds, row.train_objective, row.gap);
    std::string stages;
    for (const Stage& stage : summary.stages)
      stages += fmt::format("{}\"{} {:.3f}s {} steps\"", stages.empty() ? "" : ", ", stage.name, stage.seconds,
                            stage.iterations);
    fmt::print(
        "{{\"seed\": {}, \"objective\": {:.15g}, \"gap\": {:.3g}, \"status\": \"{}\", \"wall\": {:.4f}, \"cpu\": "
        "{:.4f}, \"passes\": {:.2f}, \"rank\": {}, \"stages\": [{}]}}\n",
        options.seed, summary.objective, summary.certificate.relative_gap, name_of(summary.status), wall_seconds,
        cpu_seconds, summary.passes, solution.rank ? fmt::format("{}", *solution.rank) : "null", stages);
    std::fflush(stdout);
  }
  return 0;
}
