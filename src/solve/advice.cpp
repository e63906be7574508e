#include "solve/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "finish/finisher.hpp"
#include "model/loss.hpp"
#include "model/penalty.hpp"

namespace s3gd {
namespace {

constexpr double kNextToNothing = 1e-3;   // of the objective at zero: what is left when classes come apart
constexpr double kWildScales = 1e4;       // between the largest entries of two columns
constexpr double kManyZeroRows = 0.01;    // of the rows
constexpr double kMuchAstray = 0.1;       // of a class, among the other's typical rows ..
constexpr double kOneSided = 4;           // .. and so many times as many as the other way round
constexpr Index kRowsToJudgeAClass = 50;  // in the sample
constexpr double kHardlyLess = 0.9;       // of SGD's second moment, left by anchors

class Adviser {
 public:
  Adviser(const Problem& problem, const SolveOptions& options, Solution& solution, const SampleReport& sample)
      : problem_(problem),
        options_(options),
        w_(solution.w),
        summary_(solution.summary),
        penalty_(problem.spec().penalty, problem.cols(), problem.spec().intercept),
        rows_(report_rows(problem, solution.w, sample)) {}

  void advise() {
    on_divergence();
    on_limits();
    on_separable_classes();
    on_scales();
    on_zero_rows();
    on_labels();
    on_strong_penalty();
    on_anchors();
  }

 private:
  void say(std::string sentence) { summary_.advice.push_back(std::move(sentence)); }
  bool unpenalised() const {
    return penalty_.l1_strength() == 0 && penalty_.l2_strength() == 0 && penalty_.norm_strength() == 0;
  }
  std::string class_name(double value) const { return std::isnan(value) ? "rest" : problem_.data().y.name_of(value); }

  void on_divergence() {
    if (summary_.status != Status::diverged) return;
    const double safe = theory(problem_, options_.batch, options_.seed).suggested_step;
    say(
        fmt::format("the run diverged at step {:.3g}; the best iterate before that was kept. Leave --step out, or try "
                    "{:.3g} (1/L(p), the expected smoothness of a mini-batch)",
                    summary_.step, std::min(safe, summary_.step / 10)));
  }

  void on_limits() {
    if (summary_.status != Status::out_of_passes && summary_.status != Status::out_of_time) return;
    say(fmt::format("stopped after {:.3g} passes at a relative gap of {:.2g}, short of the tolerance {:.2g}: {}",
                    summary_.passes, summary_.certificate.relative_gap, options_.tol, way_on()));
  }

  std::string way_on() const {
    if (summary_.status == Status::out_of_time) return "allow more --seconds";
    const bool limited = options_.passes > 0 || options_.iterations > 0;
    const std::string limit = options_.passes > 0 ? "--passes" : "--iterations";
    if (options_.solver == "auto" || find_finisher(options_.solver) != nullptr)
      return limited ? "allow more " + limit
                     : "rounding allows no more; raise --tol, scale the features (--scale), or use --precision double";
    return "stochastic steps of constant size stop at a floor; --solver auto finishes exactly, a smaller --step or "
           "more " +
           (limited ? limit : "--passes") + " get closer";
  }

  // Nothing holds weights back that only have to grow.
  void on_separable_classes() {
    if (!rows_.classes || rows_.wrong > 0 || rows_.rows < 2) return;
    const double at_zero = problem_.total_weight() * Loss(problem_.spec().loss).value(0.0, 1.0);
    if (!unpenalised() && !(summary_.objective < kNextToNothing * at_zero)) return;
    say(fmt::format(
        "the classes can be told apart without a mistake, and {}: the weights grow until the tolerance ends "
        "it, and mean little; give --penalty l2 with a larger --lambda",
        unpenalised() ? "there is no penalty" : "the penalty is next to nothing"));
  }

  void on_scales() {
    if (!(rows_.largest_column > kWildScales * rows_.least_column)) return;
    say(
        fmt::format("features differ in scale by a factor of {:.0e}, so that the penalty weighs on some and not on "
                    "others: give --scale standard or max-abs",
                    rows_.largest_column / rows_.least_column));
  }

  void on_zero_rows() {
    const double share = static_cast<double>(rows_.zero_rows) / static_cast<double>(std::max<Index>(1, rows_.rows));
    if (share < kManyZeroRows) return;
    say(
        fmt::format("{:.2g} % of the rows are all zero and say nothing but their label: check how the file is read "
                    "(--format, --index-base, --label-column), or leave them out",
                    100 * share));
  }

  // Rows of one class where the other's typical rows are, and hardly any the other way round: overlap is mutual, wrong
  // labels are not.
  void on_labels() {
    const ClassReport &positive = rows_.positive, &negative = rows_.negative;
    if (!rows_.classes || std::min(positive.rows, negative.rows) < kRowsToJudgeAClass) return;
    const bool first = positive.astray > negative.astray;
    const double more = first ? positive.astray : negative.astray, less = first ? negative.astray : positive.astray;
    if (more < kMuchAstray || more < kOneSided * less) return;
    const std::string suspect = class_name(first ? problem_.positive_class() : problem_.negative_class());
    const std::string other = class_name(first ? problem_.negative_class() : problem_.positive_class());
    say(
        fmt::format("{:.0f} % of the rows labelled {} look like a typical {}, and only {:.1f} % the other way round: "
                    "labels {} may be wrong; check some of them",
                    100 * more, suspect, other, 100 * less, suspect));
  }

  void on_strong_penalty() {
    if (summary_.status != Status::converged || penalty_.l1_strength() + penalty_.norm_strength() == 0) return;
    for (Index j = 0; j < problem_.cols(); ++j)
      if (w_[static_cast<std::size_t>(j)] != 0) return;
    std::vector<double> gradient(static_cast<std::size_t>(problem_.dim()));
    smooth_gradient(problem_, w_, gradient);
    double factor = 0;  // from lambda to the largest at which a weight leaves zero
    for (Index j = 0; j < problem_.cols(); ++j)
      if (penalty_.l1_of(j) > 0)
        factor = std::max(factor, std::abs(gradient[static_cast<std::size_t>(j)]) / penalty_.l1_of(j));
    if (factor > 1) return;  // by the tolerance alone
    const double lambda = problem_.spec().penalty.lambda;
    const bool known = penalty_.norm_strength() == 0 && problem_.spec().penalty.also.empty();
    say(fmt::format("the penalty is so strong that all weights are zero{}: give a smaller --lambda",
                    known ? fmt::format(" (--lambda {:.3g}, they are from {:.3g} on)", lambda, factor * lambda) : ""));
  }

  void on_anchors() {
    if (summary_.solver != "s3gd" || !(summary_.moment_left > kHardlyLess)) return;
    say(fmt::format(
        "anchors do not help on these rows ({:.0f} % of SGD's variance is left): use --solver auto or saga, "
        "or more --anchors",
        100 * summary_.moment_left));
  }

  const Problem& problem_;
  const SolveOptions& options_;
  const std::vector<double>& w_;
  Summary& summary_;
  Penalty penalty_;
  RowReport rows_;
};

}  // namespace

void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution) {
  add_advice(problem, options, solution, report_sample(problem));
}

void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution, const SampleReport& sample) {
  Adviser(problem, options, solution, sample).advise();
}

}  // namespace s3gd
