// What paths cost: a path of lambdas over one cold fit at its smallest, and cross-validation over the path. Processor
// time on one thread, median over rounds in which the three take turns.
//
//   bench_path DATASET.. [penalty=l1,l2] [loss=logistic] [lambdas=50] [ratio=0] [tol=1e-4] [folds=5] [rounds=3] [cv=1]
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "s3gd/path.hpp"
#include "s3gd/scale.hpp"

namespace {

using namespace s3gd;

struct Settings {
  std::vector<std::string> sets, penalties{"l1", "l2"};
  LossKind loss = LossKind::logistic;
  GridOptions grid;
  double tol = 1e-4;
  Index folds = 5;
  int rounds = 3;
  bool cv = true;
};

Settings parse(int argc, char** argv) {
  Settings settings;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto equals = word.find('=');
    if (equals == std::string::npos || word.starts_with("gen:")) {
      settings.sets.push_back(word);
      continue;
    }
    const std::string name = word.substr(0, equals), value = word.substr(equals + 1);
    if (name == "penalty") {
      settings.penalties.clear();
      std::istringstream list(value);
      for (std::string one; std::getline(list, one, ',');) settings.penalties.push_back(one);
    } else if (name == "loss") {
      settings.loss = parse_name<LossKind>("loss", value);
    } else if (name == "lambdas") {
      settings.grid.count = std::stoll(value);
    } else if (name == "ratio") {
      settings.grid.ratio = std::stod(value);
    } else if (name == "tol") {
      settings.tol = std::stod(value);
    } else if (name == "folds") {
      settings.folds = std::stoll(value);
    } else if (name == "rounds") {
      settings.rounds = std::stoi(value);
    } else if (name == "cv") {
      settings.cv = value != "0";
    } else {
      throw Error("unknown setting '" + name + "'", "see the head of bench/path/path.cpp");
    }
  }
  return settings;
}

template <class F>
double cpu_of(F&& body) {
  const double started = cpu_now();
  body();
  return cpu_now() - started;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const std::string& name, const Dataset& data, const std::string& penalty, const Settings& settings) {
  ProblemSpec spec;
  spec.loss.kind = settings.loss;
  spec.penalty.kind = parse_name<PenaltyKind>("penalty", penalty);
  spec.positive = settings.loss == LossKind::squared ? "" : "largest";
  spec.threads = 1;
  const Problem problem(data, spec);
  SolveOptions options;
  options.tol = settings.tol;
  const std::vector<double> lambdas = lambda_grid(problem, settings.grid);
  CrossValidationOptions folds;
  folds.folds = settings.folds;
  folds.metric = usual_metric(problem);
  folds.lambdas = lambdas;
  folds.solve = options;
  std::vector<double> cold, path, cv;
  Path found;
  for (int round = 0; round < settings.rounds; ++round) {
    cold.push_back(cpu_of([&] { solve(Problem(data, with_lambda(problem, lambdas.back()).spec()), options); }));
    path.push_back(cpu_of([&] { found = solve_path(problem, lambdas, options); }));
    if (settings.cv) cv.push_back(cpu_of([&] { cross_validate(problem, folds); }));
  }
  double passes = 0;
  for (const PathPoint& point : found.points) passes += point.passes;
  fmt::print("{:16} {:12} cold {:8.1f} ms  path/cold {:5.2f}  ({:.1f} passes a lambda, {} non-zeros at the end, {})",
             name, penalty, 1e3 * median(cold), median(path) / median(cold),
             passes / static_cast<double>(found.points.size()), found.points.back().nonzeros, name_of(found.status));
  if (settings.cv) fmt::print("  cv/path {:5.2f}", median(cv) / median(path));
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Settings settings = parse(argc, argv);
    for (const std::string& name : settings.sets) {
      Dataset data = load(name);
      if (name != "a9a" && name != "ijcnn1" && name != "20newsgroups") {
        const Scaling scaling = learn_scaling(data, Scale::max_abs);
        data = apply_scaling(data, scaling);
      }
      for (const std::string& penalty : settings.penalties) measure(name, data, penalty, settings);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_path: {}\n", error.what());
    return 1;
  }
  return 0;
}
