// Time to accuracy of a finisher: after how many milliseconds (F - F*)/F* stays below 1e-2, 1e-3, 1e-4, 1e-6, 1e-9,
// and what the certificate and the whole run take. Median over seeds; the clock stands still while F is evaluated.
//
//   bench_finish DATASET [finisher=newton] [lambda=1e-3|1/n] [tol=1e-9] [seeds=5] [loss=logistic]
//                        [penalty=l2] [intercept=regularised|free|none] [threads=1] [precision=float|double] [trace=0] [clock=wall|cpu]
//
// A dataset is anything load() knows, scaled as in published comparisons: mnist, fashion-mnist and covtype-93k by
// columns' largest absolute values, cifar10-hog800 by 1/63, fer2013-hog256 by 1/255. Several finishers: a,b,c;
// they take turns. `start=NAME` begins at that finisher's iterate of relative gap `start_tol` (untimed) instead of zero.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "exact/finisher.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "s3gd/scale.hpp"

namespace {

using namespace s3gd;
using Settings = std::map<std::string, std::string>;

constexpr double kTargets[] = {1e-2, 1e-3, 1e-4, 1e-6, 1e-9};
constexpr std::size_t kCount = std::size(kTargets);

struct Point {
  double milliseconds, passes, error, gap;
};

// Evaluates every point the finisher tells of, outside its clock.
class Watch : public Progress {
 public:
  Watch(const Problem& problem, double optimum, bool processor)
      : problem_(problem), optimum_(optimum), processor_(processor) {
    clock_.resume();
  }

  bool moved(std::span<const double> w, double passes, double, double gap) override {
    clock_.pause();
    points_.push_back({1e3 * seconds(), passes, (objective(problem_, w) - optimum_) / optimum_, gap});
    clock_.resume();
    return true;
  }
  bool must_stop() const override { return false; }

  void finished(const Finish& finish) {
    clock_.pause();
    total_ = 1e3 * seconds();
    points_.push_back({total_, finish.passes, (objective(problem_, finish.w) - optimum_) / optimum_,
                       finish.certificate.relative_gap});
  }

  // Milliseconds after which the error stays below the target; infinity when it never does.
  double time_to(double target) const {
    double time = std::numeric_limits<double>::infinity();
    for (auto point = points_.rbegin(); point != points_.rend() && point->error <= target; ++point)
      time = point->milliseconds;
    return time;
  }
  double total() const { return total_; }
  const std::vector<Point>& points() const { return points_; }

 private:
  double seconds() const { return processor_ ? clock_.cpu_seconds() : clock_.wall_seconds(); }

  const Problem& problem_;
  double optimum_;
  bool processor_;
  RunClock clock_;
  double total_ = 0;
  std::vector<Point> points_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Scaled as where its published times come from.
Dataset as_published(const std::string& name, Precision precision) {
  LoadOptions options;
  options.precision = precision;
  Dataset data = load(name, options);
  if (name == "mnist" || name == "fashion-mnist" || name == "covtype-93k")
    return apply_scaling(data, learn_scaling(data, Scale::max_abs));
  const double divisor = name == "cifar10-hog800" ? 63 : name == "fer2013-hog256" ? 255 : 1;
  if (divisor == 1) return data;
  return apply_scaling(data,
                       {Scale::max_abs, std::vector<double>(static_cast<std::size_t>(data.cols()), 1 / divisor), {}});
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

Problem make_problem(const std::string& name, Settings& set) {
  const Dataset data = as_published(name, parse_name<Precision>("precision", set["precision"]));
  ProblemSpec spec;
  spec.threads = std::stoi(set["threads"]);
  spec.loss.kind = parse_name<LossKind>("loss", set["loss"]);
  spec.intercept = parse_name<Intercept>("intercept", set["intercept"]);
  spec.penalty.kind = parse_name<PenaltyKind>("penalty", set["penalty"]);
  spec.penalty.lambda = set["lambda"] == "1/n" ? 1.0 / static_cast<double>(data.rows()) : std::stod(set["lambda"]);
  if (spec.loss.kind != LossKind::squared && data.y.distinct().size() > 2) spec.positive = "largest";
  if (spec.loss.kind != LossKind::squared || data.y.kind != LabelKind::classes) return Problem(data, spec);
  ProblemSpec classes = spec;  // regression on +1 and -1
  classes.loss.kind = LossKind::logistic;
  if (data.y.distinct().size() > 2) classes.positive = "largest";
  const Problem classified(data, classes);
  const auto targets = classified.targets();
  Dataset signs = data;
  signs.y = {Array<double>(std::vector<double>(targets.begin(), targets.end())), LabelKind::real, {}};
  return Problem(signs, spec);
}

void report(const std::string& name, const std::vector<Watch>& runs) {
  fmt::print("  {:12s}", name);
  for (std::size_t t = 0; t < kCount; ++t) {
    std::vector<double> times;
    for (const Watch& run : runs) times.push_back(run.time_to(kTargets[t]));
    fmt::print(" {:9.2f}", median(times));
  }
  std::vector<double> totals, gaps, errors;
  for (const Watch& run : runs) {
    totals.push_back(run.total());
    gaps.push_back(run.points().back().gap);
    errors.push_back(run.points().back().error);
  }
  fmt::print(" {:9.2f}   {:8.1e} {:8.1e} {:7.1f}\n", median(totals), median(gaps), median(errors),
             runs.back().points().back().passes);
}

class Silent : public Progress {
 public:
  bool moved(std::span<const double>, double, double, double) override { return true; }
  bool must_stop() const override { return false; }
};

int run(const std::string& name, Settings set) {
  const Problem problem = make_problem(name, set);
  const std::vector<std::string> names = split(set["finisher"]);
  const int seeds = std::stoi(set["seeds"]);
  OptimumOptions options;
  if (!set["cache"].empty()) options.cache_folder = set["cache"];
  const Optimum optimum = solve_reference(problem, options);
  fmt::print("{}: {} x {}, {} stored, {}\n", name, problem.rows(), problem.cols(), problem.x().stored(),
             problem.formula());
  fmt::print("  F* = {:.15g}, relative gap {:.1e} ({})\n", optimum.objective, optimum.certificate.relative_gap,
             optimum.method);
  std::vector<double> start(static_cast<std::size_t>(problem.dim()));
  if (!set["start"].empty()) {
    Silent silent;
    start = find_finisher(set["start"])->run({problem, std::stod(set["start_tol"])}, start, silent).w;
    fmt::print("  start: error {:.1e}\n", (objective(problem, start) - optimum.objective) / optimum.objective);
  }
  std::map<std::string, std::vector<Watch>> runs;
  for (int seed = 0; seed < seeds; ++seed)
    for (const std::string& finisher_name : names) {
      const Finisher* finisher = find_finisher(finisher_name);
      if (finisher == nullptr || !finisher->suits(problem)) {
        fmt::print(stderr, "{}: no such finisher, or it does not suit\n", finisher_name);
        return 2;
      }
      std::vector<double> from = start;
      Watch watch(problem, optimum.objective, set["clock"] == "cpu");
      watch.finished(finisher->run({problem, std::stod(set["tol"]), static_cast<std::uint64_t>(seed)}, from, watch));
      runs[finisher_name].push_back(std::move(watch));
    }
  if (set["trace"] == "1")
    for (const auto& [finisher_name, all] : runs)
      for (const Point& point : all.front().points())
        fmt::print("  {:12s} {:9.2f} ms  {:7.2f} passes  error {:9.2e}  gap {:9.2e}\n", finisher_name,
                   point.milliseconds, point.passes, point.error, point.gap);
  fmt::print("  {:12s} {:>9s} {:>9s} {:>9s} {:>9s} {:>9s} {:>9s}   {:>8s} {:>8s} {:>7s}\n", "ms to", "1e-2", "1e-3",
             "1e-4", "1e-6", "1e-9", "whole run", "gap", "error", "passes");
  for (const std::string& finisher_name : names) report(finisher_name, runs.at(finisher_name));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Settings set{{"finisher", "newton"}, {"lambda", "1e-3"},
               {"tol", "1e-9"},        {"seeds", "5"},
               {"loss", "logistic"},   {"penalty", "l2"},
               {"threads", "1"},       {"precision", "float"},
               {"trace", "0"},         {"intercept", "regularised"},
               {"start", ""},          {"start_tol", "1e-1"},
               {"cache", ""},          {"clock", "wall"}};
  for (int k = 2; k < argc; ++k) {
    const std::string argument = argv[k];
    const auto equals = argument.find('=');
    if (equals == std::string::npos || !set.contains(argument.substr(0, equals))) {
      fmt::print(stderr,
                 "{}: expected one of finisher=, lambda=, tol=, seeds=, loss=, intercept=, threads=, precision=, "
                 "trace=, start=, start_tol=, cache=, clock=, penalty=\n",
                 argument);
      return 2;
    }
    set[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_finish DATASET [setting=value ...]; settings are listed in the source\n");
    return 2;
  }
  try {
    return run(argv[1], set);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
