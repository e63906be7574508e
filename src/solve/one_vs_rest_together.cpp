#include "solve/one_vs_rest.hpp"

#include <algorithm>
#include <deque>

#include "base/index.hpp"
#include "exact/class_newton.hpp"
#include "problem/constant_model.hpp"
#include "problem/penalty.hpp"
#include "solve/advice.hpp"
#include "solve/finish.hpp"

namespace s3gd {
namespace {

constexpr const char* kStage = "joint-newton";
constexpr Index kMostTogether = 32;
constexpr Index kFewestTogether = 3;
constexpr Index kBytes = Index{1} << 30;  // what the classes keep of the rows
constexpr Index kBytesPerRow = 40;        // and class: targets, curvatures, margins

// Without features: the best intercept.
std::vector<double> constant_start(const Problem& problem) {
  const Penalty penalty(problem);
  std::vector<double> w(at(problem.dim()), 0.0);
  if (problem.has_intercept()) w.back() = best_constant(problem, penalty.l2_of(problem.cols())).b;
  return w;
}

}  // namespace

Index classes_together(const Problem& like, const SolveOptions& options, Index classes) {
  const bool plain = options.solver == "auto" && options.checkpoint.empty() && options.patience == 0;
  if (!plain || first_that_suits(like).name != "sampled-newton") return 1;
  const Index most = std::min({classes, kMostTogether, kBytes / (kBytesPerRow * like.rows())});
  return most < kFewestTogether ? 1 : most;
}

void solve_together(std::span<const ClassToFit> classes, const SolveOptions& options,
                    const std::function<void(Index k, Solution&&)>& take) {
  const auto count = static_cast<double>(classes.size());
  std::deque<Journal> journals;
  std::vector<Progress*> progress;
  std::vector<Problem> problems;
  std::vector<std::vector<double>> starts;
  bool anew = true;
  for (const ClassToFit& one : classes) {
    const OneOutputInput extra{nullptr, one.test ? &*one.test : nullptr};
    problems.push_back(one.problem);
    progress.push_back(&journals.emplace_back(one.problem, options, extra));
    journals.back().begin_stage(kStage);
    starts.push_back(one.start.empty() ? constant_start(one.problem) : one.start);
    anew = anew && one.start.empty();
  }
  SearchInput search{.tol = options.tol, .seed = options.seed, .climbs = anew};
  if (options.iterations > 0) search.max_iterations = options.iterations;
  std::vector<Finish> finishes = finish_together(problems, search, std::move(starts), progress);
  const SampleReport sample = report_sample(problems[0]);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    // The exact finisher for one that got stuck.
    const auto bind = [&](const std::string& name) { return bound(*find_finisher(name), problems[k], options.tol); };
    Solution one = finish_after({options, journals[k], bind, "newton"}, kStage, std::move(finishes[k]));
    one.summary.solver = options.solver;
    // The clocks ran for all classes at once: each is told its share.
    one.summary.cpu_seconds /= count;
    for (Stage& stage : one.summary.stages) stage.seconds /= count;
    add_advice(problems[k], options, one, sample);
    take(static_cast<Index>(k), std::move(one));
  }
}

}  // namespace s3gd
