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

constexpr int kInnerSteps = 300;
constexpr double kInnerAccuracy = 0.01;  // of the first proximal step
constexpr int kStepsPerMetric = 8;
constexpr int kMostInVain = 30;  // steps without a smaller gap

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

// Accelerated proximal gradient with restarts; one product with B a step. Lengths are measured feature by feature by the
// diagonal of M (alike for all where the penalty couples them), `curvature` is B's against that, adapted on the way.
std::vector<double> minimise(const InnerProblem& inner, Index classes, double& curvature, const Progress& progress) {
  const std::size_t n = inner.w.size(), per_feature = at(classes);
  std::vector<double> x(inner.w.begin(), inner.w.end()), bx(n, 0.0), y = x, by = bx, next(n), bnext(n), moved(n);
  std::vector<double> lengths = inner.quadratic.diagonal(), etas(lengths.size());
  if (inner.penalty.couples_features())
    lengths.assign(lengths.size(), *std::max_element(lengths.begin(), lengths.end()));
  double momentum = 1, first = -1;
  curvature *= 0.5;  // it may have fallen since
  for (int step = 0; step < kInnerSteps && !progress.must_stop(); ++step) {
    double size = 0;
    for (;;) {
      for (std::size_t j = 0; j < etas.size(); ++j) etas[j] = 1 / (curvature * lengths[j]);
      for (std::size_t c = 0; c < n; ++c) next[c] = y[c] - (inner.gradient[c] + by[c]) * etas[c / per_feature];
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
        size += lengths[c / per_feature] * d * d;
      }
      if (bent <= curvature * size * (1 + 1e-9) || size == 0) break;
      curvature = std::max(1.2 * curvature, 1.05 * bent / size);
    }
    double uphill = 0;
    for (std::size_t c = 0; c < n; ++c) uphill += lengths[c / per_feature] * (y[c] - next[c]) * (next[c] - x[c]);
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
    if (size <= kInnerAccuracy * kInnerAccuracy * first) break;
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
        probabilities_(problem_) {}

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
  bool step();

  bool wide_;
  LossQuadratic quadratic_;
  Curvatures curvatures_;
  Probabilities probabilities_;
  double curvature_ = 1;  // of the quadratic, as the last inner problem found it
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
    std::vector<double> x = minimise({part, penalty, w, gradient}, classes, curvature_, progress_);
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

bool Search::step() {
  const std::vector<double> d = direction();
  const double penalty = penalty_.value(point_.w);
  Point next;
  double t = 1;
  for (int trial = 0;; ++trial) {
    next.w = point_.w;
    kernel::axpy(t, d.data(), next.w.data(), problem_.dim());
    const double promised = t * product(d, point_.gradient) + penalty_.value(next.w) - penalty;
    if (!(promised < point_.rounding())) return false;
    expect_decrease(-promised);
    evaluate(next);
    if (next.value <= point_.value + kSufficient * promised + point_.rounding()) break;
    if (trial == kMostTrials || progress_.must_stop()) return false;
    t *= 0.4;
  }
  if (!wide_) {
    Change change = change_to(next);
    quadratic_.remember(std::move(change.moved), std::move(change.gradient));
  }
  std::swap(point_, next);
  return true;
}

Finish Search::run() {
  evaluate(point_);
  const Index sample = std::min(problem_.rows(), 4 * problem_.features());
  const auto build = [&] {
    if (!wide_) quadratic_.build(curvatures_, sample, rng_);
  };
  build();
  int steps = 0, in_vain = 0;
  double least = std::numeric_limits<double>::infinity();
  for (;;) {
    const double gap = estimated_gap(problem_, penalty_, point_.w, point_.gradient, point_.value);
    if (!goes_on(gap)) break;
    in_vain = gap < least ? 0 : in_vain + 1;
    least = std::min(least, gap);
    if (in_vain < kMostInVain && step()) {
      if (++steps % kStepsPerMetric == 0) build();
      continue;
    }
    const bool again = recovers([&] {
      evaluate(point_);
      quadratic_.forget();
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
