// Proximal quasi-Newton for softmax with any penalty: one pass a step.
//
// The loss is replaced by a quadratic, the penalty stays as it is, and the sum is minimised. With few weights the quadratic
// is a sampled Hessian with the coupling of the classes (exact/dense_step.hpp). With more, up to a few thousand features, it
// is a sampled Hessian over the features (exact/softmax_quadratic.hpp); beyond, the Hessian itself over the features that move
// (exact/softmax_hessian.hpp); both are minimised by accelerated proximal steps (exact/softmax_quadratic.hpp). Features whose
// weights are zero and would stay so after a proximal step are left out: for l1 and group lasso that is most of them.

#include "base/index.hpp"
#include "base/random.hpp"
#include "data/row_access.hpp"
#include "exact/dense_step.hpp"
#include "exact/prox_newton.hpp"
#include "exact/search.hpp"
#include "exact/softmax_hessian.hpp"
#include "exact/softmax_quadratic.hpp"
#include "kernel/kernel.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/optimality.hpp"

namespace s3gd {
namespace {

// Sensitive: kWorthKeeping doubled costs 20 % more passes; all others less than 10 %.
constexpr double kFirstAccuracy = 0.01, kLastAccuracy = 1e-5;  // of a proximal step of the inner problem to its first
constexpr double kFirstDenseAccuracy = 0.1;                    // of a sweep to the first
constexpr int kStepsPerMetric = 8;                             // one of the diagonal alone is cheap to make again
constexpr double kMostMove = 2;                                // of a margin, by one weight in one step
constexpr double kWorthKeeping = 0.3;  // of the gap left after a step: its quadratic was good enough for another
// Steps in which neither the gap halves nor the objective falls, before a better quadratic is made (the Hessian over all
// rows costs a pass a product: that is put off for longer).
constexpr int kManyInVain = 20;
constexpr ProxRules kRules{.shorter = 0.4,  // rather than shorter steps, the quadratic is made steeper
                           .most_trials = 5,
                           .most_steps = 1000,
                           .most_rounds = 3000,
                           .smaller_gap = 0.5,
                           .least_gain = 1e-3,
                           .most_in_vain = 30,
                           .most_unresolved = 6,
                           .needs_steps = true,
                           .tells_gap = true};
// Times the quadratic's own diagonal.
constexpr double kLeastDamping = 1e-3, kFirstDamping = 0.1, kMostDamping = 1e12;

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// The largest absolute entry of each feature.
std::vector<double> largest_entries(const SoftmaxProblem& problem) {
  std::vector<double> largest(at(problem.features()), 0.0);
  problem.x().visit([&](const auto& x) {
    for (Index i = 0; i < x.rows; ++i)
      for_each_nonzero(x, i, [&](Index j, auto value) {
        largest[at(j)] = std::max(largest[at(j)], std::abs(static_cast<double>(value)));
      });
  });
  if (problem.has_intercept()) largest.back() = 1;
  return largest;
}

// The problem of one step, over the features that move.
struct Chosen {
  std::vector<Index> features;
  std::vector<double> w, gradient;
  MatrixPenalty penalty;
};

class SoftmaxProx final : public ProxNewton {
 public:
  SoftmaxProx(const SoftmaxFinishInput& input, std::vector<double> start)
      : ProxNewton(kRules),
        problem_(input.problem),
        penalty_(problem_),
        rng_(input.seed, 5),
        wide_(metric_kind(problem_) == MetricKind::diagonal),
        quadratic_(problem_),
        curvatures_(problem_),
        sample_(std::min(problem_.rows(), quadratic_.is_coupled() ? 4 * problem_.dim() : 4 * problem_.features())) {
    point_.w = std::move(start);
    point_.w.resize(at(problem_.dim()), 0.0);
    if (quadratic_.is_coupled()) {
      largest_ = largest_entries(problem_);
      accuracy_ = kFirstDenseAccuracy;
    }
    evaluate(point_);
    build();
  }

 private:
  using Point = SearchPoint;  // its gradient is that of the loss

  const std::vector<double>& w() const override { return point_.w; }
  double objective() const override { return point_.value; }
  double rounding() const override { return point_.rounding(); }
  bool has_dual() const override { return penalty_.has_dual(); }
  double look() override { return estimated_gap(problem_, penalty_, point_.w, point_.gradient, point_.value); }
  Certified certify(double) const override {
    return {s3gd::certify(problem_, point_.w), free_intercepts(problem_) > 0 ? 2.0 : 1.0};
  }
  bool refine(const Outlook& outlook) override;
  bool choose() override {
    features_ = features_to_move();
    return !features_.empty();
  }
  std::vector<double> direction() override;
  // Up to rounding: steps that promise no more may still be worth their gradient.
  double promise(const std::vector<double>& d) const override {
    Point next;
    step_from(point_, 1, d, next);
    return product(d, point_.gradient) + penalty_.value(next.w) - penalty_.value(point_.w) - rounding();
  }
  double value_at(const std::vector<double>& d, double length, double promised) override {
    step_from(point_, length, d, next_);
    if (point_.needs_digits(-length * promised)) arithmetic_ = Arithmetic::exact;
    evaluate(next_);
    return next_.value;
  }
  void accept(const std::vector<double>& d, double length, double promised) override;
  bool refused() override;
  bool more_digits() override;

  void evaluate(Point& point) {
    point.gradient.resize(point.w.size());
    point.made_in = arithmetic_;
    SoftmaxPass pass;
    pass.arithmetic = arithmetic_;
    pass.gradient = point.gradient;
    if (wide_)
      keep_probabilities(problem_, pass, probabilities_);
    else
      curvatures_.watch(pass);
    point.value = run_pass(problem_, point.w, pass).loss + penalty_.value(point.w);
    passes_ += 1;
  }

  std::vector<Index> features_to_move() const;
  std::vector<double> minimiser(const Chosen& chosen);
  void bound_moves(const Chosen& chosen, std::span<double> matrix) const;
  void build() {
    if (!wide_) quadratic_.build(point_.w, curvatures_, sample_, rng_);
  }

  const SoftmaxProblem& problem_;
  MatrixPenalty penalty_;
  Rng rng_;
  Arithmetic arithmetic_ = Arithmetic::data;
  Point point_, next_;
  bool wide_;
  LossQuadratic quadratic_;
  Curvatures curvatures_;
  std::vector<float> probabilities_;
  std::vector<Index> features_;  // that may move
  Index sample_;                 // rows in the quadratic
  bool grown_ = false;
  double curvature_ = 1;  // of the quadratic, as the last inner problem found it
  double accuracy_ = kFirstAccuracy;
  double damping_ = 0;         // of the quadratic; see refused()
  double leap_damping_ = 0.1;  // see exact/dense_step.hpp
  std::vector<double> largest_;
  int steps_ = 0;
  double last_gap_ = std::numeric_limits<double>::infinity();
};

// Those off zero, and those a proximal step would move off it. The nuclear norm couples all.
std::vector<Index> SoftmaxProx::features_to_move() const {
  std::vector<double> moved = point_.w;
  kernel::axpy(-1.0, point_.gradient.data(), moved.data(), problem_.dim());
  penalty_.prox(1.0, moved);
  const Index classes = problem_.classes();
  std::vector<Index> chosen;
  for (Index j = 0; j < problem_.features(); ++j) {
    bool moves = problem_.spec().penalty.kind == MatrixPenaltyKind::nuclear || (j == problem_.cols());
    for (Index c = j * classes; c < (j + 1) * classes && !moves; ++c) moves = point_.w[at(c)] != 0 || moved[at(c)] != 0;
    if (moves) chosen.push_back(j);
  }
  return chosen;
}

std::vector<double> SoftmaxProx::direction() {
  const Index classes = problem_.classes();
  std::vector<double> w, gradient, d(point_.w.size(), 0.0);
  MatrixPenaltySpec spec = problem_.spec().penalty;
  spec.factors.clear();
  Index columns = 0;
  for (const Index j : features_) {
    w.insert(w.end(), point_.w.begin() + j * classes, point_.w.begin() + (j + 1) * classes);
    gradient.insert(gradient.end(), point_.gradient.begin() + j * classes, point_.gradient.begin() + (j + 1) * classes);
    if (j == problem_.cols()) continue;
    ++columns;
    if (!problem_.spec().penalty.factors.empty()) spec.factors.push_back(problem_.spec().penalty.factors[at(j)]);
  }
  const Chosen chosen{features_, w, gradient, MatrixPenalty(spec, columns, classes, problem_.spec().intercept)};
  const std::vector<double> x = minimiser(chosen);
  for (std::size_t c = 0; c < features_.size(); ++c)
    for (Index k = 0; k < classes; ++k)
      d[at(features_[c] * classes + k)] = x[c * at(classes) + at(k)] - w[c * at(classes) + at(k)];
  return d;
}

// Of the quadratic plus the penalty.
std::vector<double> SoftmaxProx::minimiser(const Chosen& chosen) {
  const Index classes = problem_.classes();
  if (wide_ || !quadratic_.is_coupled()) {
    const auto by_products = [&](const QuadraticPart& part) {
      const Damped damped(part, damping_);
      std::vector<double> x =
          minimise({damped, chosen.penalty, chosen.w, chosen.gradient}, classes, accuracy_, curvature_, *progress_);
      passes_ += part.passes();
      return x;
    };
    return wide_ ? by_products(HessianPart(problem_, probabilities_, chosen.features))
                 : by_products(quadratic_.part(chosen.features));
  }
  std::vector<double> matrix = quadratic_.part(chosen.features).dense();
  for (std::size_t c = 0; c < chosen.w.size(); ++c) matrix[c * chosen.w.size() + c] *= 1 + damping_;
  bound_moves(chosen, matrix);
  const bool free_intercepts = problem_.spec().intercept == Intercept::free;
  DenseStep dense{std::move(matrix), chosen.penalty, chosen.w, chosen.gradient, classes, free_intercepts, point_.value};
  return minimise(std::move(dense), accuracy_, leap_damping_, *progress_);
}

// Where rows are sure of their class, the loss is flat now and steep a little further back: a weight whose own step would
// change some margin by more than kMostMove is made steeper until it does not.
void SoftmaxProx::bound_moves(const Chosen& chosen, std::span<double> matrix) const {
  const std::size_t size = chosen.w.size(), classes = at(problem_.classes());
  double steepest = 0;
  for (std::size_t c = 0; c < size; ++c) steepest = std::max(steepest, matrix[c * size + c]);
  if (!(steepest > 0)) return;
  std::vector<double> moved = chosen.w;
  kernel::axpy(-1 / steepest, chosen.gradient.data(), moved.data(), static_cast<Index>(size));
  chosen.penalty.prox(1 / steepest, moved);
  for (std::size_t c = 0; c < size; ++c) {
    const double slope = steepest * std::abs(moved[c] - chosen.w[c]);  // with the penalty's
    double& own = matrix[c * size + c];
    own = std::max(own, slope * largest_[at(chosen.features[c / classes])] / kMostMove);
  }
}

void SoftmaxProx::accept(const std::vector<double>&, double length, double) {
  if (length == 1) damping_ = damping_ > kLeastDamping ? 0.2 * damping_ : 0.0;
  if (!wide_) {
    StepTaken taken(point_, next_);
    quadratic_.remember(std::move(taken.moved), std::move(taken.gradient));
  }
  std::swap(point_, next_);
  if (++steps_ % kStepsPerMetric == 0 && !quadratic_.is_coupled()) build();
}

// Where no length of the step will do, the quadratic is flatter than the loss: it is made steeper, until in the end the
// step is a short one down the scaled gradient, which gains whenever anything does.
bool SoftmaxProx::refused() {
  if (damping_ > kMostDamping) return false;
  damping_ = std::max(10 * damping_, kFirstDamping);
  if (wide_) evaluate(point_);  // the probabilities were those of the point refused
  return true;
}

// It may have been rounding.
bool SoftmaxProx::more_digits() {
  if (point_.made_in == Arithmetic::exact) return false;
  arithmetic_ = Arithmetic::exact;
  evaluate(point_);
  quadratic_.forget();
  damping_ = 0;
  return true;
}

bool SoftmaxProx::refine(const Outlook& outlook) {
  const double last = std::exchange(last_gap_, outlook.gap);
  const bool coupled = quadratic_.is_coupled();
  if (outlook.in_vain > 0 && !outlook.unresolved && (wide_ || coupled))
    accuracy_ = std::max(kLastAccuracy, 0.3 * accuracy_);
  // The Hessian itself is worth more accurate steps the nearer the optimum is: each then gains more than the last. It is
  // made anew, from more rows, as long as steps do not leave little of the gap.
  if (coupled) {
    if (sample_ == problem_.rows()) accuracy_ = std::clamp(std::sqrt(std::abs(outlook.gap)), kLastAccuracy, accuracy_);
    if (steps_ == 0 || outlook.gap <= kWorthKeeping * last) return false;
    sample_ = std::min(problem_.rows(), 2 * sample_);
    quadratic_.forget();
    build();
    return false;
  }
  if (wide_ || outlook.unresolved || outlook.in_vain < kManyInVain) return false;
  if (sample_ < problem_.rows() && !grown_) {
    sample_ = std::min(problem_.rows(), 4 * sample_);
    grown_ = true;
    build();
  } else {
    wide_ = true;
    evaluate(point_);
  }
  return true;
}

}  // namespace

Finish finish_by_prox_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress) {
  return SoftmaxProx(input, std::move(start)).run(input.tol, input.max_iterations, progress);
}

}  // namespace s3gd
