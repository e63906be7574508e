#include "solve/softmax_advice.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/index.hpp"
#include "problem/matrix_penalty.hpp"
#include "solve/row_sample.hpp"
#include "solve/sentences.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

class Adviser {
 public:
  Adviser(const SoftmaxProblem& problem, const SolveOptions& options, Solution& solution)
      : problem_(problem),
        options_(options),
        w_(solution.w),
        summary_(solution.summary),
        penalty_(problem),
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
  void say(std::optional<Advice> advice) {
    if (advice) summary_.advice.push_back(std::move(*advice));
  }
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
    const auto weights = std::span(w_).first(at(problem_.cols() * problem_.classes()));
    const bool smooth = penalty_.smooth();
    if (!(smooth ? weights_vanish(by_features_, sample_)
                 : std::all_of(weights.begin(), weights.end(), [](double value) { return value == 0; })))
      return;
    std::vector<double> slope(at(problem_.dim()));
    smooth_gradient(problem_, w_, slope);
    if (features_are_mute(std::span(slope).first(weights.size()), 1, sample_)) return say(advice_on_mute_features());
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

  const SoftmaxProblem& problem_;
  const SolveOptions& options_;
  const std::vector<double>& w_;
  Summary& summary_;
  MatrixPenalty penalty_;
  SampleReport sample_;
  std::vector<std::vector<double>> margins_;  // by class: its rows x K
  double by_features_ = 0;                    // largest margin without the intercepts
  Index wrong_ = 0;
};

}  // namespace

void add_advice(const SoftmaxProblem& problem, const SolveOptions& options, Solution& solution) {
  Adviser(problem, options, solution).advise();
}

}  // namespace s3gd
