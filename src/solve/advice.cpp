#include "solve/advice.hpp"

#include <fmt/core.h>

#include <cmath>
#include <span>

#include "base/index.hpp"
#include "base/mention.hpp"
#include "problem/loss.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/needs.hpp"
#include "problem/penalty.hpp"
#include "solve/observer.hpp"
#include "stochastic/control.hpp"

namespace s3gd {
namespace {

constexpr double kHardlyLess = 0.9;      // of SGD's second moment, left by anchors
constexpr double kNextToNothing = 1e-3;  // of the objective at zero: what is left when classes come apart
constexpr double kLittle = 0.1;          // of the same, with hardly a mistake: so many of the rows
constexpr double kHardlyAMistake = 0.01;
constexpr double kMuchAstray = 0.08;       // of a class, among the other's typical rows ..
constexpr double kOneSided = 4;            // .. and so many times as many as the other way round
constexpr Index kRowsToJudgeAClass = 100;  // in the sample
constexpr double kNoMargin = 1e-6;         // that features make no difference with
constexpr double kUsedUp = 0.9;  // of the passes: a step may cost several, so that the last ones are left over
constexpr double kRoundingMayShow = 1e-3;  // a relative gap; with a small 1-norm 1e-5 may be as far as floats go
constexpr double kNoSlope = 1e-8;          // of what it could be: rows cancel each other, up to rounding

// An exact solver that ends well before its passes are used up has come as far as rounding lets it.
bool used_up(const Summary& summary, const SolveOptions& options) {
  return options.iterations > 0 || (options.passes > 0 && summary.passes > kUsedUp * options.passes - 1);
}

// Whose steps need not become smaller: their noise does.
bool has_no_floor(const SolveOptions& options) {
  const std::string& solver = options.solver;
  return solver == "gd" || solver == "svrg" || solver == "saga" || solver == "sag" || refers_to_slopes(options);
}

// exact: by a solver that would reach the tolerance. floats: rounding may hold the run up, since over rows in float a
// stochastic solver keeps its weights in float, too.
std::string way_on(const Summary& summary, const SolveOptions& options, bool exact, bool floats) {
  if (summary.status == Status::out_of_time) return "allow " + more("seconds");
  const bool by_steps = options.passes == 0 && options.iterations > 0;
  const std::string longer = more(by_steps ? "iterations" : "passes");
  if (exact)
    return used_up(summary, options) ? "allow " + longer
                                     : "rounding allows no more; raise " + opt("tol") + ", scale the features (" +
                                           opt("scale") + "), or use " + opt("precision", "double");
  const std::string finishes = opt("solver", "auto") + " finishes exactly";
  const std::string closer = "allow " + longer + " to get closer";
  if (has_no_floor(options) && floats)
    return closer + ", down to the rounding of steps in float, and use " + opt("precision", "double") + " beyond; " +
           finishes;
  if (has_no_floor(options)) return closer + "; " + finishes;
  return "stochastic steps of constant size stop at a floor; " + finishes + "; use a " + smaller("step") + " or " +
         longer + " to get closer";
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of margins that should be on the other side.
double share_beyond(const std::vector<double>& margins, double border, double side) {
  const auto beyond = std::count_if(margins.begin(), margins.end(), [&](double u) { return side * (u - border) > 0; });
  return static_cast<double>(beyond) / static_cast<double>(margins.size());
}

template <class View>
double product(const View& x, Index i, const double* w) {
  if constexpr (is_dense_view<View>)
    return kernel::dot(x.row(i), w, x.cols);
  else
    return kernel::sparse_dot(x.values + x.starts[i], x.columns + x.starts[i], x.row_nonzeros(i), w);
}

// With the margins of the sample's rows of that class.
struct NamedClass {
  std::string name;
  const std::vector<double>& margins;
};

// What one output and softmax are told alike; none where there is nothing to say. `wrong_` and `by_features_` are for a derived
// class to set: rows of the sample on another class's side, or on none, and the largest margin without the intercepts.
template <class AnyProblem, class AnyPenalty>
class AdviserOf {
 public:
  AdviserOf(const AnyProblem& problem, const SolveOptions& options, Solution& solution, const SampleReport& sample)
      : problem_(problem),
        options_(options),
        w_(solution.w),
        summary_(solution.summary),
        penalty_(problem),
        sample_(sample) {}

 protected:
  void say(Advice advice) { summary_.advice.push_back(std::move(advice)); }

  void on_divergence(double safe) {
    say({AdviceCode::diverged,
         fmt::format("the run diverged at step {:.3g}; the best iterate before that was kept. Leave {} out, or try "
                     "{:.3g}",
                     summary_.step, opt("step"), safe),
         {{"step", summary_.step}, {"safe_step", safe}}});
  }

  // A run that stopped short of the tolerance.
  void on_limits() {
    if (summary_.status != Status::out_of_passes && summary_.status != Status::out_of_time) return;
    const double gap = summary_.certificate.relative_gap;
    const bool floats = problem_.x().precision() == Precision::float32 && gap < kRoundingMayShow;
    say({AdviceCode::stopped_short,
         fmt::format("stopped after {:.3g} passes at a relative gap of {:.2g}, short of the tolerance {:.2g}: {}",
                     summary_.passes, gap, options_.tol,
                     way_on(summary_, options_, find_estimator(options_.solver) == nullptr, floats)),
         {{"passes", summary_.passes}, {"relative_gap", gap}, {"tol", options_.tol}}});
  }

  // Classes with hardly a mistake among the sample's rows: nothing holds weights back that only have to grow. The last mistakes
  // may be there only because the tolerance ended the run.
  void on_separable_classes(bool unpenalised, double objective_at_zero) {
    if (sample_.rows < 2) return;
    const auto wrong = static_cast<double>(wrong_), rows = static_cast<double>(sample_.rows);
    Advice advice{AdviceCode::separable, {}, {{"wrong", wrong}, {"rows", rows}}};
    if (unpenalised && wrong_ > 0 && summary_.objective < kLittle * objective_at_zero &&
        wrong <= kHardlyAMistake * rows) {
      advice.text = fmt::format(
          "the classes can be told apart with hardly a mistake ({} of {} rows looked at), and there is no penalty: the "
          "weights may grow without end as {} falls, and mean little; give {}",
          wrong_, sample_.rows, opt("tol"), opt("penalty", "l2"));
      return say(advice);
    }
    if (wrong_ > 0 || (!unpenalised && !(summary_.objective < kNextToNothing * objective_at_zero))) return;
    advice.text = fmt::format(
        "the classes can be told apart without a mistake, and {}: the weights grow until the tolerance ends "
        "it, and mean little; give {} with a {}",
        unpenalised ? "there is no penalty" : "the penalty is next to nothing", opt("penalty", "l2"), larger("lambda"));
    say(advice);
  }

  // Rows of one class where the other's typical rows are, and hardly any the other way round: overlap is mutual, wrong
  // labels are not. Margins of the first class should be the larger ones.
  void on_labels(const NamedClass& high, const NamedClass& low) {
    if (std::ssize(high.margins) < kRowsToJudgeAClass || std::ssize(low.margins) < kRowsToJudgeAClass) return;
    const double of_high = share_beyond(high.margins, median_of(low.margins), -1);
    const double of_low = share_beyond(low.margins, median_of(high.margins), 1);
    const double more = std::max(of_high, of_low), less = std::min(of_high, of_low);
    if (more < kMuchAstray || more < kOneSided * less) return;
    const bool first = of_high > of_low;
    const std::string name = class_mark((first ? high : low).name), other = class_mark((first ? low : high).name);
    say({AdviceCode::suspect_labels,
         fmt::format("{:.0f} % of the rows labelled {} look like a typical {}, and only {:.1f} % the other way "
                     "round: labels {} may be wrong; check some of them",
                     100 * more, name, other, 100 * less, name),
         {{"astray", more}, {"other_way", less}}});
  }

  // Features that have no weight: because of the penalty, or because no slope asks for one, whatever the penalty (as in XOR).
  // kinked: the penalty holds weights at zero; typical: a row's slope by its margin. The slopes of the loss by weights and
  // intercepts, where weights are zero because of a kink; otherwise nothing.
  std::vector<double> on_missing_weights(bool kinked, bool unpenalised, double typical) {
    if (summary_.status != Status::converged || sample_.largest_column == 0) return {};
    const std::span<const double> weights = std::span(w_).first(at(problem_.cols() * outputs()));
    const bool zero = std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; });
    if (!(kinked ? zero : by_features_ <= kNoMargin)) return {};
    std::vector<double> slopes(at(problem_.dim()));
    smooth_gradient(problem_, w_, slopes);
    const double none = kNoSlope * typical * sample_.largest_column;
    if (std::all_of(slopes.begin(), slopes.begin() + std::ssize(weights),
                    [&](double slope) { return std::abs(slope) <= none; }))
      say({AdviceCode::mute_features,
           "the features, added up, say nothing about the labels, so that no " + opt("lambda") +
               " gives them weights: check how labels and rows belong together, or add products or other functions of "
               "the features"});
    else if (kinked)
      return slopes;
    else if (!unpenalised)
      say({AdviceCode::vanishing_weights,
           "the penalty is so strong that the weights vanish, and with them what features say: give a " +
               smaller("lambda")});
    return {};
  }

  // All weights zero at this lambda, and from `largest` on; NaN: that is not known.
  void on_zero_weights(double lambda, double largest) {
    const bool known = !std::isnan(largest);
    const std::string from =
        known ? fmt::format(" ({}, they are from {:.3g} on)", opt("lambda", fmt::format("{:.3g}", lambda)), largest)
              : "";
    Advice advice{AdviceCode::zero_weights,
                  "the penalty is so strong that all weights are zero" + from + ": give a " + smaller("lambda")};
    if (known) advice.values = {{"lambda", lambda}, {"largest", largest}};
    say(advice);
  }

  const AnyProblem& problem_;
  const SolveOptions& options_;
  const std::vector<double>& w_;
  Summary& summary_;
  AnyPenalty penalty_;
  SampleReport sample_;
  Index wrong_ = 0;
  double by_features_ = 0;

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
  using AdviserOf::AdviserOf;

  void advise() {
    const bool kinked = penalty_.l1_strength() + penalty_.norm_strength() > 0;
    const std::vector<std::string> names = Task(problem_).classes();
    const bool unpenalised = !kinked && penalty_.l2_strength() == 0, classes = !names.empty();
    take_margins();
    if (summary_.status == Status::diverged) on_divergence(safe_step());
    on_limits();
    if (classes)
      on_separable_classes(unpenalised, problem_.total_weight() * Loss(problem_.spec().loss).value(0.0, 1.0));
    advise_on_rows(sample_, summary_.advice);
    if (classes) on_labels({names[1], positive_}, {names[0], negative_});
    if (classes || kinked) {
      const double typical = classes ? problem_.total_weight() : std::sqrt(summary_.objective);
      const std::vector<double> slopes = on_missing_weights(kinked, unpenalised, typical);
      if (!slopes.empty()) on_kink(slopes);
    }
    on_anchors();
  }

 private:
  void take_margins() {
    const double constant = problem_.has_intercept() ? w_.back() : 0.0;
    const auto weight = [&](Index row) { return problem_.weight(row); };
    for_each_in_sample(problem_.x(), weight, [&](const auto& view, Index row) {
      const double by_features = product(view, row, w_.data()), margin = constant + by_features;
      by_features_ = std::max(by_features_, std::abs(by_features));
      const double y = problem_.targets()[at(row)];
      wrong_ += y * margin > 0 ? 0 : 1;
      (y > 0 ? positive_ : negative_).push_back(margin);
    });
  }

  double safe_step() const {
    const bool bounded = kBoundedCurvature.met(problem_);  // else no step is known to be safe
    const double safe = bounded ? theory(problem_, options_.batch, options_.seed).suggested_step : summary_.step;
    return std::min(safe, summary_.step / 10);
  }

  void on_kink(const std::vector<double>& slopes) {
    double factor = 0;  // from lambda to the largest at which a weight leaves zero
    for (Index j = 0; j < problem_.cols(); ++j)
      if (penalty_.l1_of(j) > 0) factor = std::max(factor, std::abs(slopes[at(j)]) / penalty_.l1_of(j));
    if (factor > 1) return;  // by the tolerance alone
    const double lambda = problem_.spec().penalty.lambda;
    const bool known = penalty_.norm_strength() == 0 && problem_.spec().penalty.also.empty();
    on_zero_weights(lambda, known ? factor * lambda : std::nan(""));
  }

  void on_anchors() {
    if (summary_.solver != "s3gd" || !(summary_.moment_left > kHardlyLess)) return;
    say({AdviceCode::idle_anchors,
         fmt::format("anchors do not help on these rows ({:.0f} % of SGD's variance is left): use {} or saga, or {}",
                     100 * summary_.moment_left, opt("solver", "auto"), more("anchors")),
         {{"variance_left", summary_.moment_left}}});
  }

  std::vector<double> positive_, negative_;  // margins
};

class SoftmaxAdviser : AdviserOf<SoftmaxProblem, MatrixPenalty> {
 public:
  using AdviserOf::AdviserOf;

  void advise() {
    const MatrixPenaltySpec& penalty = problem_.spec().penalty;
    const bool unpenalised = penalty.kind == MatrixPenaltyKind::none || penalty.lambda == 0;
    take_margins();
    if (summary_.status == Status::diverged) on_divergence(summary_.step / 10);
    on_limits();
    on_separable_classes(unpenalised, std::log(static_cast<double>(problem_.classes())));
    advise_on_rows(sample_, summary_.advice);
    const std::vector<std::string> names = problem_.class_names();
    for (Index a = 0; a < problem_.classes(); ++a)
      for (Index b = a + 1; b < problem_.classes(); ++b)
        on_labels({names[at(a)], between(a, a, b)}, {names[at(b)], between(b, a, b)});
    std::vector<double> slopes = on_missing_weights(!penalty_.smooth(), unpenalised, 1);
    if (!slopes.empty()) on_kink(std::move(slopes));
  }

 private:
  // Of the sample's rows, by their class.
  void take_margins() {
    const Index classes = problem_.classes();
    margins_.resize(at(classes));
    std::vector<double> u(at(classes));
    const auto weight = [&](Index row) { return problem_.weight(row); };
    for_each_in_sample(problem_.x(), weight, [&](const auto& view, Index row) {
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

  void on_kink(std::vector<double> slope) {
    if (!penalty_.has_dual() || problem_.spec().intercept == Intercept::regularised)
      return on_zero_weights(0, std::nan(""));
    std::fill(slope.begin() + problem_.cols() * problem_.classes(), slope.end(), 0.0);
    // Scaled up, the slope is outside of what the penalty holds at zero, and feasible_scale() tells by how much.
    const double up = 1e6;
    for (double& value : slope) value *= up;
    const double scale = at_zero().feasible_scale(slope);
    if (!(scale < 1) || 1 / (up * scale) > 1) return;
    const double lambda = problem_.spec().penalty.lambda;
    on_zero_weights(lambda, lambda / (up * scale));
  }

  // What holds weights at zero: of elastic-net, its l1 part.
  MatrixPenalty at_zero() const {
    MatrixPenaltySpec spec = problem_.spec().penalty;
    if (spec.kind == MatrixPenaltyKind::elastic_net)
      spec = {MatrixPenaltyKind::l1, spec.lambda * (1 - spec.alpha), 0.5, spec.factors};
    return {spec, problem_.cols(), problem_.classes(), problem_.spec().intercept};
  }

  std::vector<std::vector<double>> margins_;  // by class: its rows x K
};

}  // namespace

void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution) {
  add_advice(problem, options, solution, report_sample(problem));
}

void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution, const SampleReport& sample) {
  Adviser(problem, options, solution, sample).advise();
}

void add_advice(const SoftmaxProblem& problem, const SolveOptions& options, Solution& solution) {
  const SampleReport sample = report_sample(problem.x(), [&](Index row) { return problem.weight(row); });
  SoftmaxAdviser(problem, options, solution, sample).advise();
}

}  // namespace s3gd
