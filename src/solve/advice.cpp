#include "solve/advice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/index.hpp"
#include "base/mention.hpp"
#include "exact/finisher.hpp"
#include "problem/loss.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/needs.hpp"
#include "problem/penalty.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

constexpr double kHardlyLess = 0.9;  // of SGD's second moment, left by anchors

template <class AnyProblem, class AnyPenalty>
class AdviserOf {
 protected:
  AdviserOf(const AnyProblem& problem, const SolveOptions& options, Solution& solution)
      : problem_(problem), options_(options), w_(solution.w), summary_(solution.summary), penalty_(problem) {}

  void say(std::optional<Advice> advice) {
    if (advice) summary_.advice.push_back(std::move(*advice));
  }
  std::span<const double> weights() const { return std::span(w_).first(at(problem_.cols() * outputs())); }
  bool all_zero() const {
    return std::all_of(weights().begin(), weights().end(), [](double w) { return w == 0; });
  }
  // Of the loss, by the weights and intercepts.
  std::vector<double> slopes() const {
    std::vector<double> gradient(at(problem_.dim()));
    smooth_gradient(problem_, w_, gradient);
    return gradient;
  }

  const AnyProblem& problem_;
  const SolveOptions& options_;
  const std::vector<double>& w_;
  Summary& summary_;
  AnyPenalty penalty_;

 private:
  Index outputs() const {
    if constexpr (std::is_same_v<AnyProblem, Problem>)
      return 1;
    else
      return problem_.classes();
  }
};

class Adviser : AdviserOf<Problem, Penalty> {
 public:
  Adviser(const Problem& problem, const SolveOptions& options, Solution& solution, const SampleReport& sample)
      : AdviserOf(problem, options, solution), rows_(report_rows(problem, solution.w, sample)) {}

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
    const bool missing = kinked ? all_zero() : rows_.classes && weights_vanish(rows_.by_features, rows_);
    if (!missing) return;
    const std::vector<double> gradient = slopes();
    const double typical = rows_.classes ? problem_.total_weight() : std::sqrt(summary_.objective);
    if (features_are_mute(std::span(gradient).first(weights().size()), typical, rows_))
      say(advice_on_mute_features());
    else if (kinked)
      on_zero_weights(gradient);
    else if (penalty_.l2_strength() > 0)
      say(advice_on_vanishing_weights());
  }

  void on_zero_weights(const std::vector<double>& gradient) {
    double factor = 0;  // from lambda to the largest at which a weight leaves zero
    for (Index j = 0; j < problem_.cols(); ++j)
      if (penalty_.l1_of(j) > 0) factor = std::max(factor, std::abs(gradient[at(j)]) / penalty_.l1_of(j));
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

  RowReport rows_;
};

class SoftmaxAdviser : AdviserOf<SoftmaxProblem, MatrixPenalty> {
 public:
  SoftmaxAdviser(const SoftmaxProblem& problem, const SolveOptions& options, Solution& solution)
      : AdviserOf(problem, options, solution),
        sample_(report_sample(problem.x(), [&](Index row) { return problem.weight(row); })) {
    take_margins();
  }

  void advise() {
    if (summary_.status == Status::diverged) say(advice_on_divergence(summary_.step, summary_.step / 10));
    say(advice_on_limits(summary_, options_, find_estimator(options_.solver) == nullptr));
    say(advice_on_separable(wrong_, sample_, unpenalised(), summary_.objective,
                            std::log(static_cast<double>(problem_.classes()))));
    advise_on_rows(sample_, summary_.advice);
    on_labels();
    on_missing_weights();
  }

 private:
  bool unpenalised() const {
    return problem_.spec().penalty.kind == MatrixPenaltyKind::none || problem_.spec().penalty.lambda == 0;
  }

  // Of the sample's rows, by their class.
  void take_margins() {
    const Index classes = problem_.classes();
    margins_.resize(at(classes));
    std::vector<double> u(at(classes));
    for_each_in_sample(
        problem_.x(), [&](Index row) { return problem_.weight(row); },
        [&](const auto& view, Index row) {
          std::fill(u.begin(), u.end(), 0.0);
          for_each_nonzero(view, row, [&](Index j, auto value) {
            kernel::axpy(static_cast<double>(value), w_.data() + j * classes, u.data(), classes);
          });
          for (const double one : u) by_features_ = std::max(by_features_, std::abs(one));
          if (problem_.has_intercept()) kernel::axpy(1.0, w_.data() + problem_.cols() * classes, u.data(), classes);
          const Index own = problem_.targets()[at(row)];
          bool wins = true;
          for (Index k = 0; k < classes; ++k) wins = wins && (k == own || u[at(own)] > u[at(k)]);
          wrong_ += wins ? 0 : 1;
          margins_[at(own)].insert(margins_[at(own)].end(), u.begin(), u.end());
        });
  }

  // u_a - u_b of the rows of a class.
  std::vector<double> between(Index of, Index a, Index b) const {
    const auto classes = at(problem_.classes());
    std::vector<double> result;
    for (std::size_t first = 0; first < margins_[at(of)].size(); first += classes)
      result.push_back(margins_[at(of)][first + at(a)] - margins_[at(of)][first + at(b)]);
    return result;
  }

  void on_labels() {
    const std::vector<std::string> names = problem_.class_names();
    for (Index a = 0; a < problem_.classes(); ++a)
      for (Index b = a + 1; b < problem_.classes(); ++b) {
        const auto [high, low] = compare_classes(between(a, a, b), between(b, a, b));
        say(advice_on_labels({names[at(a)], high}, {names[at(b)], low}));
      }
  }

  // Features that have no weight: because of the penalty, or because none is of use.
  void on_missing_weights() {
    if (summary_.status != Status::converged || sample_.largest_column == 0) return;
    const bool smooth = penalty_.smooth();
    if (!(smooth ? weights_vanish(by_features_, sample_) : all_zero())) return;
    const std::vector<double> slope = slopes();
    if (features_are_mute(std::span(slope).first(weights().size()), 1, sample_)) return say(advice_on_mute_features());
    if (!smooth) return on_zero_weights(slope);
    if (!unpenalised()) say(advice_on_vanishing_weights());
  }

  void on_zero_weights(std::vector<double> slope) {
    if (!penalty_.has_dual() || problem_.spec().intercept == Intercept::regularised)
      return say(advice_on_zero_weights(0, std::nan("")));
    std::fill(slope.begin() + problem_.cols() * problem_.classes(), slope.end(), 0.0);
    // Scaled up, the slope is outside of what the penalty holds at zero, and feasible_scale() tells by how much.
    const double up = 1e6;
    for (double& value : slope) value *= up;
    const double scale = at_zero().feasible_scale(slope);
    if (!(scale < 1) || 1 / (up * scale) > 1) return;
    const double lambda = problem_.spec().penalty.lambda;
    say(advice_on_zero_weights(lambda, lambda / (up * scale)));
  }

  // What holds weights at zero: of elastic-net, its l1 part.
  MatrixPenalty at_zero() const {
    MatrixPenaltySpec spec = problem_.spec().penalty;
    if (spec.kind == MatrixPenaltyKind::elastic_net)
      spec = {MatrixPenaltyKind::l1, spec.lambda * (1 - spec.alpha), 0.5, spec.factors};
    return {spec, problem_.cols(), problem_.classes(), problem_.spec().intercept};
  }

  SampleReport sample_;
  std::vector<std::vector<double>> margins_;  // by class: its rows x K
  double by_features_ = 0;                    // largest margin without the intercepts
  Index wrong_ = 0;
};

}  // namespace

void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution) {
  add_advice(problem, options, solution, report_sample(problem));
}

void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution, const SampleReport& sample) {
  Adviser(problem, options, solution, sample).advise();
}

void add_advice(const SoftmaxProblem& problem, const SolveOptions& options, Solution& solution) {
  SoftmaxAdviser(problem, options, solution).advise();
}

}  // namespace s3gd
