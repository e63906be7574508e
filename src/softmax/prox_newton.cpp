// Proximal quasi-Newton for softmax with any penalty: one pass a step.
//
// The loss is replaced by a quadratic, the penalty stays as it is, and the sum is minimised by accelerated proximal steps. Up to
// a few thousand features the quadratic is a sampled Hessian over them (softmax/quadratic.hpp), and those steps touch no row;
// beyond, it is the Hessian itself over the features that move (softmax/hessian_part.hpp). Features whose weights are zero and would stay so after a proximal step are left
// out of it: for l1 and group lasso that is most of them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "kernel/kernel.hpp"
#include "softmax/hessian_part.hpp"
#include "softmax/search.hpp"

namespace s3gd {
namespace {

constexpr double kFirstAccuracy = 0.01, kLastAccuracy = 1e-5;  // of a proximal step of the inner problem to its first
constexpr int kStepsPerMetric = 8;
// Steps in which neither the gap halves nor the objective falls, before a better quadratic is made (the Hessian over all
// rows costs a pass a product: that is put off for longer), and before the search gives up.
constexpr int kFewInVain = 6, kManyInVain = 20, kMostInVain = 30;
constexpr double kLeastGain = 1e-3;  // of the gap, by which the objective must fall to be smaller
constexpr double kShortest = 0.02;   // length of a step; rather than shorter ones, the quadratic is made steeper
// Times the quadratic's own diagonal.
constexpr double kLeastDamping = 1e-3, kFirstDamping = 0.1, kMostDamping = 1e12;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// The problem of one step: min over x of  g.(x - w) + 1/2 (x - w)'B(x - w) + R(x), over the chosen features.
struct InnerProblem {
  const QuadraticPart& quadratic;
  const MatrixPenalty& penalty;
  std::span<const double> w, gradient;
};

// How steep the quadratic is along each weight; alike for those that the penalty couples.
std::vector<double> lengths_of(const InnerProblem& inner, Index classes) {
  std::vector<double> lengths = inner.quadratic.diagonal();
  const std::size_t together = inner.penalty.couples_features() ? lengths.size() : at(classes);
  for (std::size_t first = 0; first < lengths.size() && inner.penalty.couples_classes(); first += together) {
    const auto begin = lengths.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(together);
    std::fill(begin, end, *std::max_element(begin, end));
  }
  return lengths;
}

// Accelerated proximal gradient with restarts; one product with B a step. `curvature` is B's against the lengths, adapted
// on the way. Ends where steps have become `accuracy` of the first.
std::vector<double> minimise(const InnerProblem& inner, Index classes, double accuracy, double& curvature,
                             const Progress& progress) {
  const std::size_t n = inner.w.size();
  std::vector<double> x(inner.w.begin(), inner.w.end()), bx(n, 0.0), y = x, by = bx, next(n), bnext(n), moved(n);
  const std::vector<double> lengths = lengths_of(inner, classes);
  std::vector<double> etas(n);
  double momentum = 1, first = -1;
  curvature *= 0.5;  // it may have fallen since
  for (int step = 0; step < inner.quadratic.most_products() && !progress.must_stop(); ++step) {
    double size = 0;
    for (;;) {
      for (std::size_t c = 0; c < n; ++c) {
        etas[c] = 1 / (curvature * lengths[c]);
        next[c] = y[c] - (inner.gradient[c] + by[c]) * etas[c];
      }
      if (inner.penalty.couples_features())
        inner.penalty.prox(etas[0], next);
      else
        inner.penalty.prox(etas, next);
      for (std::size_t c = 0; c < n; ++c) moved[c] = next[c] - inner.w[c];
      inner.quadratic.times(moved, bnext);
      double bent = 0;
      size = 0;
      for (std::size_t c = 0; c < n; ++c) {
        const double d = next[c] - y[c];
        bent += d * (bnext[c] - by[c]);
        size += lengths[c] * d * d;
      }
      if (!std::isfinite(bent) || !std::isfinite(size)) {  // values beyond what their squares can be: no step at all
        curvature = 1;
        return {inner.w.begin(), inner.w.end()};
      }
      if (bent <= curvature * size * (1 + 1e-9) || size == 0) break;
      curvature = std::max(1.2 * curvature, 1.05 * bent / size);
    }
    double uphill = 0;
    for (std::size_t c = 0; c < n; ++c) uphill += lengths[c] * (y[c] - next[c]) * (next[c] - x[c]);
    const double following = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    const double carry = uphill > 0 ? 0.0 : (momentum - 1) / following;
    momentum = uphill > 0 ? 1.0 : following;
    for (std::size_t c = 0; c < n; ++c) {
      y[c] = next[c] + carry * (next[c] - x[c]);
      by[c] = bnext[c] + carry * (bnext[c] - bx[c]);
    }
    std::swap(x, next);
    std::swap(bx, bnext);
    if (first < 0) first = size;
    if (size <= accuracy * accuracy * first) break;
  }
  return x;
}

class Search final : SoftmaxSearch {
 public:
  Search(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress)
      : SoftmaxSearch(input, std::move(start), progress),
        wide_(metric_kind(problem_) == MetricKind::diagonal),
        quadratic_(problem_),
        curvatures_(problem_),
        probabilities_(problem_),
        sample_(std::min(problem_.rows(), quadratic_.is_coupled() ? 8 * problem_.dim() : 4 * problem_.features())) {}

  Finish run();

 private:
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
  bool descends(std::span<const double> d, Point& next);
  bool step();
  void build() {
    if (!wide_) quadratic_.build(point_.w, curvatures_, sample_, rng_);
  }
  bool refine();

  bool wide_;
  LossQuadratic quadratic_;
  Curvatures curvatures_;
  Probabilities probabilities_;
  Index sample_;  // rows in the quadratic
  bool grown_ = false;
  double curvature_ = 1;  // of the quadratic, as the last inner problem found it
  double accuracy_ = kFirstAccuracy;
  double damping_ = 0;  // of the quadratic; see step()
};

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
  const std::vector<Index> chosen = features_to_move();
  const Index classes = problem_.classes();
  std::vector<double> w, gradient;
  MatrixPenaltySpec spec = problem_.spec().penalty;
  spec.factors.clear();
  Index columns = 0;
  for (const Index j : chosen) {
    w.insert(w.end(), point_.w.begin() + j * classes, point_.w.begin() + (j + 1) * classes);
    gradient.insert(gradient.end(), point_.gradient.begin() + j * classes, point_.gradient.begin() + (j + 1) * classes);
    if (j == problem_.cols()) continue;
    ++columns;
    if (!problem_.spec().penalty.factors.empty()) spec.factors.push_back(problem_.spec().penalty.factors[at(j)]);
  }
  std::vector<double> d(point_.w.size(), 0.0);
  if (chosen.empty()) return d;
  const MatrixPenalty penalty(spec, columns, classes, problem_.spec().intercept);
  const auto minimiser = [&](const QuadraticPart& part) {
    const Damped damped(part, damping_);
    std::vector<double> x = minimise({damped, penalty, w, gradient}, classes, accuracy_, curvature_, progress_);
    finish_.passes += part.passes();
    return x;
  };
  const std::vector<double> x =
      wide_ ? minimiser(HessianPart(problem_, probabilities_, chosen)) : minimiser(quadratic_.part(chosen));
  for (std::size_t c = 0; c < chosen.size(); ++c)
    for (Index k = 0; k < classes; ++k)
      d[at(chosen[c] * classes + k)] = x[c * at(classes) + at(k)] - w[c * at(classes) + at(k)];
  return d;
}

// Tries the direction at falling lengths; true with `next` where the objective falls enough.
bool Search::descends(std::span<const double> d, Point& next) {
  const double penalty = penalty_.value(point_.w);
  for (double t = 1; t >= kShortest; t *= 0.4) {
    next.w = point_.w;
    kernel::axpy(t, d.data(), next.w.data(), problem_.dim());
    const double promised = t * product(d, point_.gradient) + penalty_.value(next.w) - penalty;
    if (!(promised < point_.rounding())) return false;
    expect_decrease(-promised);
    evaluate(next);
    if (next.value <= point_.value + kSufficient * promised + point_.rounding()) {
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
    Change change = change_to(next);
    quadratic_.remember(std::move(change.moved), std::move(change.gradient));
  }
  std::swap(point_, next);
  return true;
}

// A better quadratic, where steps with this one gain too little; false when there is none.
bool Search::refine() {
  if (wide_) return false;
  if (sample_ < problem_.rows() && (quadratic_.is_coupled() || !grown_)) {
    sample_ = std::min(problem_.rows(), 4 * sample_);
    grown_ = true;
    build();
  } else if (!quadratic_.is_coupled()) {
    wide_ = true;
    evaluate(point_);
  } else {
    return false;
  }
  return true;
}

Finish Search::run() {
  evaluate(point_);
  build();
  int steps = 0, in_vain = 0;
  double least = std::numeric_limits<double>::infinity(), lowest = least;
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
    if (!unresolved && in_vain >= (quadratic_.is_coupled() ? kFewInVain : kManyInVain) && refine()) {
      in_vain = 0;
      continue;
    }
    if (in_vain < (unresolved ? kFewInVain : kMostInVain) && step()) {
      if (++steps % kStepsPerMetric == 0) build();
      continue;
    }
    const bool again = recovers([&] {
      evaluate(point_);
      quadratic_.forget();
      in_vain = 0;
      damping_ = 0;
    });
    if (!again) break;
  }
  return take_result();
}

}  // namespace

Finish finish_by_prox_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress) {
  return Search(input, std::move(start), progress).run();
}

}  // namespace s3gd
