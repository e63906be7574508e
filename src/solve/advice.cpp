#include "solve/advice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/mention.hpp"
#include "exact/finisher.hpp"
#include "problem/loss.hpp"
#include "problem/needs.hpp"
#include "problem/penalty.hpp"
#include "solve/sentences.hpp"

namespace s3gd {
namespace {

constexpr double kHardlyLess = 0.9;  // of SGD's second moment, left by anchors

class Adviser {
 public:
  Adviser(const Problem& problem, const SolveOptions& options, Solution& solution, const SampleReport& sample)
      : problem_(problem),
        options_(options),
        w_(solution.w),
        summary_(solution.summary),
        penalty_(problem),
        rows_(report_rows(problem, solution.w, sample)) {}

  void advise() {
    on_divergence();
    say(advice_on_limits(summary_, options_, options_.solver == "auto" || find_finisher(options_.solver) != nullptr));
    on_separable_classes();
    advise_on_rows(rows_, summary_.advice);
    on_labels();
    on_missing_weights();
    on_anchors();
  }

 private:
  void say(std::optional<Advice> advice) {
    if (advice) summary_.advice.push_back(std::move(*advice));
  }
  bool unpenalised() const {
    return penalty_.l1_strength() == 0 && penalty_.l2_strength() == 0 && penalty_.norm_strength() == 0;
  }
  std::string class_name(double value) const { return std::isnan(value) ? "rest" : problem_.data().y.name_of(value); }

  void on_divergence() {
    if (summary_.status != Status::diverged) return;
    const bool bounded = kBoundedCurvature.met(problem_);  // else no step is known to be safe
    const double safe = bounded ? theory(problem_, options_.batch, options_.seed).suggested_step : summary_.step;
    say(advice_on_divergence(summary_.step, std::min(safe, summary_.step / 10)));
  }

  void on_separable_classes() {
    if (!rows_.classes) return;
    say(advice_on_separable(rows_.wrong, rows_, unpenalised(), summary_.objective,
                            problem_.total_weight() * Loss(problem_.spec().loss).value(0.0, 1.0)));
  }

  void on_labels() {
    if (!rows_.classes) return;
    say(advice_on_labels({class_name(problem_.positive_class()), rows_.positive},
                         {class_name(problem_.negative_class()), rows_.negative}));
  }

  // Features that have no weight: because of the penalty, or because none is of use.
  void on_missing_weights() {
    if (summary_.status != Status::converged || rows_.largest_column == 0) return;
    const bool kinked = penalty_.l1_strength() + penalty_.norm_strength() > 0;
    const auto weights = std::span(w_).first(static_cast<std::size_t>(problem_.cols()));
    const bool missing = kinked ? std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })
                                : rows_.classes && weights_vanish(rows_.by_features, rows_);
    if (!missing) return;
    std::vector<double> gradient(static_cast<std::size_t>(problem_.dim()));
    smooth_gradient(problem_, w_, gradient);
    const double typical = rows_.classes ? problem_.total_weight() : std::sqrt(summary_.objective);
    if (features_are_mute(std::span(gradient).first(weights.size()), typical, rows_))
      say(advice_on_mute_features());
    else if (kinked)
      on_zero_weights(gradient);
    else if (penalty_.l2_strength() > 0)
      say(advice_on_vanishing_weights());
  }

  void on_zero_weights(const std::vector<double>& gradient) {
    double factor = 0;  // from lambda to the largest at which a weight leaves zero
    for (Index j = 0; j < problem_.cols(); ++j)
      if (penalty_.l1_of(j) > 0)
        factor = std::max(factor, std::abs(gradient[static_cast<std::size_t>(j)]) / penalty_.l1_of(j));
    if (factor > 1) return;  // by the tolerance alone
    const double lambda = problem_.spec().penalty.lambda;
    const bool known = penalty_.norm_strength() == 0 && problem_.spec().penalty.also.empty();
    say(advice_on_zero_weights(lambda, known ? factor * lambda : std::nan("")));
  }

  void on_anchors() {
    if (summary_.solver != "s3gd" || !(summary_.moment_left > kHardlyLess)) return;
    say(Advice{
        AdviceCode::idle_anchors,
        fmt::format("anchors do not help on these rows ({:.0f} % of SGD's variance is left): use {} or saga, or {}",
                    100 * summary_.moment_left, opt("solver", "auto"), more("anchors")),
        {{"variance_left", summary_.moment_left}}});
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
