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
#include "exact/finisher.hpp"
#include "exact/search.hpp"
#include "exact/softmax_hessian.hpp"
#include "exact/softmax_quadratic.hpp"
#include "kernel/kernel.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/optimality.hpp"

namespace s3gd {
namespace {

constexpr double kFirstAccuracy = 0.01, kLastAccuracy = 1e-5;  // of a proximal step of the inner problem to its first
constexpr double kFirstDenseAccuracy = 0.1;                    // of a sweep to the first
constexpr int kStepsPerMetric = 8;
constexpr double kMostMove = 2;        // of a margin, by one weight in one step
constexpr double kWorthKeeping = 0.3;  // of the gap left after a step: its quadratic was good enough for another
// Steps in which neither the gap halves nor the objective falls, before a better quadratic is made (the Hessian over all
// rows costs a pass a product: that is put off for longer), and before the search gives up.
constexpr int kFewInVain = 6, kManyInVain = 20, kMostInVain = 30;
constexpr double kLeastGain = 1e-3;  // of the gap, by which the objective must fall to be smaller
// Steps in which the objective must fall by this share of the tolerance: where the gap is no guide, it could crawl for ever.
constexpr int kManySteps = 200, kMostSteps = 3000;
constexpr double kCrawl = 0.05;
constexpr double kShortest = 0.02;  // length of a step; rather than shorter ones, the quadratic is made steeper
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

class Search {
 public:
  Search(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress)
      : input_(input),
        problem_(input.problem),
        progress_(progress),
        penalty_(problem_),
        watch_(input.tol),
        rng_(input.seed, 5),
        wide_(metric_kind(problem_) == MetricKind::diagonal),
        quadratic_(problem_),
        curvatures_(problem_),
        probabilities_(problem_),
        sample_(std::min(problem_.rows(), quadratic_.is_coupled() ? 4 * problem_.dim() : 4 * problem_.features())) {
    point_.w = std::move(start);
    point_.w.resize(at(problem_.dim()), 0.0);
    if (!quadratic_.is_coupled()) return;
    largest_ = largest_entries(problem_);
    accuracy_ = kFirstDenseAccuracy;
  }

  Finish run();

 private:
  using Point = SearchPoint;  // its gradient is that of the loss

  // Certifies where the estimated gap makes that worth it, and tells where the search is. False: it is over.
  bool goes_on(double estimate);
  bool certified();
  void evaluate(Point& point) {
    point.gradient.resize(point.w.size());
    point.made_in = arithmetic_;
    SoftmaxPass pass;
    pass.arithmetic = arithmetic_;
    pass.gradient = point.gradient;
    if (wide_) {
      probabilities_.make_room();
      pass.watch_float = [this](const SoftmaxBlock<float>& block) { probabilities_.note(block); };
      pass.watch_double = [this](const SoftmaxBlock<double>& block) { probabilities_.note(block); };
    } else {
      curvatures_.watch(pass);
    }
    point.value = run_pass(problem_, point.w, pass).loss + penalty_.value(point.w);
    finish_.passes += 1;
  }

  std::vector<Index> features_to_move() const;
  std::vector<double> direction();
  std::vector<double> minimiser(const Chosen& chosen);
  void bound_moves(const Chosen& chosen, std::span<double> matrix) const;
  bool descends(std::span<const double> d, Point& next);
  bool step();
  void build() {
    if (!wide_) quadratic_.build(point_.w, curvatures_, sample_, rng_);
  }
  bool refine();
  void renew(double gap, double last);

  const SoftmaxFinishInput& input_;
  const SoftmaxProblem& problem_;
  Progress& progress_;
  MatrixPenalty penalty_;
  GapWatch watch_;
  Rng rng_;
  Arithmetic arithmetic_ = Arithmetic::data;
  Point point_;
  Finish finish_;
  bool wide_;
  LossQuadratic quadratic_;
  Curvatures curvatures_;
  Probabilities probabilities_;
  Index sample_;  // rows in the quadratic
  bool grown_ = false;
  double curvature_ = 1;  // of the quadratic, as the last inner problem found it
  double accuracy_ = kFirstAccuracy;
  double damping_ = 0;         // of the quadratic; see step()
  double leap_damping_ = 0.1;  // see exact/dense_step.hpp
  std::vector<double> largest_;
};

bool Search::certified() {
  finish_.certificate = certify(problem_, point_.w);
  finish_.passes += free_intercepts(problem_) > 0 ? 2 : 1;
  const bool enough = finish_.certificate.relative_gap <= input_.tol;
  if (!enough) watch_.refused(finish_.certificate.relative_gap);
  return enough;
}

bool Search::goes_on(double estimate) {
  if (watch_.worth_certifying(estimate) && certified()) {
    finish_.end = FinishEnd::converged;
    return false;
  }
  ++finish_.iterations;
  // Told as certificates tell it: no objective is below zero.
  const double told = penalty_.has_dual() ? std::min(estimate, 1.0) : estimate;
  if (progress_.moved(point_.w, finish_.passes, point_.value, told) && finish_.iterations <= input_.max_iterations)
    return true;
  finish_.end = FinishEnd::stopped;
  return false;
}

// Those off zero, and those a proximal step would move off it. The nuclear norm couples all.
std::vector<Index> Search::features_to_move() const {
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

std::vector<double> Search::direction() {
  const std::vector<Index> features = features_to_move();
  const Index classes = problem_.classes();
  std::vector<double> w, gradient, d(point_.w.size(), 0.0);
  MatrixPenaltySpec spec = problem_.spec().penalty;
  spec.factors.clear();
  Index columns = 0;
  for (const Index j : features) {
    w.insert(w.end(), point_.w.begin() + j * classes, point_.w.begin() + (j + 1) * classes);
    gradient.insert(gradient.end(), point_.gradient.begin() + j * classes, point_.gradient.begin() + (j + 1) * classes);
    if (j == problem_.cols()) continue;
    ++columns;
    if (!problem_.spec().penalty.factors.empty()) spec.factors.push_back(problem_.spec().penalty.factors[at(j)]);
  }
  if (features.empty()) return d;
  const Chosen chosen{features, w, gradient, MatrixPenalty(spec, columns, classes, problem_.spec().intercept)};
  const std::vector<double> x = minimiser(chosen);
  for (std::size_t c = 0; c < features.size(); ++c)
    for (Index k = 0; k < classes; ++k)
      d[at(features[c] * classes + k)] = x[c * at(classes) + at(k)] - w[c * at(classes) + at(k)];
  return d;
}

// Of the quadratic plus the penalty.
std::vector<double> Search::minimiser(const Chosen& chosen) {
  const Index classes = problem_.classes();
  if (wide_ || !quadratic_.is_coupled()) {
    const auto by_products = [&](const QuadraticPart& part) {
      const Damped damped(part, damping_);
      std::vector<double> x =
          minimise({damped, chosen.penalty, chosen.w, chosen.gradient}, classes, accuracy_, curvature_, progress_);
      finish_.passes += part.passes();
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
  return minimise(std::move(dense), accuracy_, leap_damping_, progress_);
}

// Where rows are sure of their class, the loss is flat now and steep a little further back: a weight whose own step would
// change some margin by more than kMostMove is made steeper until it does not.
void Search::bound_moves(const Chosen& chosen, std::span<double> matrix) const {
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

// Tries the direction at falling lengths; true with `next` where the objective falls enough.
bool Search::descends(std::span<const double> d, Point& next) {
  const double penalty = penalty_.value(point_.w);
  for (double t = 1; t >= kShortest; t *= 0.4) {
    step_from(point_, t, d, next);
    const double promised = t * product(d, point_.gradient) + penalty_.value(next.w) - penalty;
    if (!(promised < point_.rounding())) return false;
    if (point_.needs_digits(-promised)) arithmetic_ = Arithmetic::exact;
    evaluate(next);
    if (point_.line(promised).enough(1, next.value)) {
      if (t == 1) damping_ = damping_ > kLeastDamping ? 0.2 * damping_ : 0.0;
      return true;
    }
    if (progress_.must_stop()) return false;
  }
  return false;
}

// Where no length of the step will do, the quadratic is flatter than the loss: it is made steeper, until in the end the
// step is a short one down the scaled gradient, which gains whenever anything does.
bool Search::step() {
  Point next;
  while (!descends(direction(), next)) {
    if (progress_.must_stop() || damping_ > kMostDamping) return false;
    damping_ = std::max(10 * damping_, kFirstDamping);
    if (wide_) evaluate(point_);  // the probabilities were those of the point refused
  }
  if (!wide_) {
    StepTaken taken(point_, next);
    quadratic_.remember(std::move(taken.moved), std::move(taken.gradient));
  }
  std::swap(point_, next);
  return true;
}

// A better quadratic, where steps with this one gain too little; false when there is none.
bool Search::refine() {
  if (wide_ || quadratic_.is_coupled()) return false;
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

// The Hessian itself is made anew, from more rows, as long as steps do not leave little of the gap.
void Search::renew(double gap, double last) {
  if (gap <= kWorthKeeping * last) return;
  sample_ = std::min(problem_.rows(), 2 * sample_);
  quadratic_.forget();
  build();
}

Finish Search::run() {
  evaluate(point_);
  build();
  int steps = 0, in_vain = 0;
  double least = std::numeric_limits<double>::infinity(), lowest = least, last = least, before = least;
  for (;;) {
    const double gap = estimated_gap(problem_, penalty_, point_.w, point_.gradient, point_.value);
    if (!goes_on(gap)) break;
    const double least_gain = std::max(kLeastGain * gap * std::abs(point_.value), point_.rounding());
    const bool gains = gap < 0.5 * least || point_.value < lowest - least_gain;
    in_vain = gains ? 0 : in_vain + 1;
    const bool unresolved = gap * std::abs(point_.value) <= point_.rounding();  // the objective cannot tell any more
    if (in_vain > 0 && !unresolved && (wide_ || quadratic_.is_coupled()))
      accuracy_ = std::max(kLastAccuracy, 0.3 * accuracy_);
    // The Hessian itself is worth more accurate steps the nearer the optimum is: each then gains more than the last.
    if (quadratic_.is_coupled() && sample_ == problem_.rows())
      accuracy_ = std::clamp(std::sqrt(std::abs(gap)), kLastAccuracy, accuracy_);
    if (gains) {
      lowest = std::min(lowest, point_.value);
      least = std::min(least, gap);
    }
    if (!unresolved && in_vain >= kManyInVain && refine()) {
      in_vain = 0;
      continue;
    }
    if (quadratic_.is_coupled() && steps > 0) renew(gap, last);
    last = gap;
    if (steps % kManySteps == 0) {
      const bool falls = point_.value < before - kCrawl * input_.tol * std::abs(before);
      if ((steps > 0 && !falls) || steps >= kMostSteps) in_vain = kMostInVain;
      before = point_.value;
    }
    if (in_vain < (unresolved ? kFewInVain : kMostInVain) && step()) {
      if (++steps % kStepsPerMetric == 0 && !quadratic_.is_coupled()) build();
      continue;
    }
    if (progress_.must_stop()) continue;  // goes_on() will say so
    if (point_.made_in == Arithmetic::exact) {
      finish_.end = certified() ? FinishEnd::converged : FinishEnd::stalled;
      break;
    }
    arithmetic_ = Arithmetic::exact;  // it may have been rounding
    evaluate(point_);
    quadratic_.forget();
    in_vain = 0;
    damping_ = 0;
  }
  finish_.w = std::move(point_.w);
  return std::move(finish_);
}

}  // namespace

Finish finish_by_prox_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress) {
  return Search(input, std::move(start), progress).run();
}

}  // namespace s3gd
