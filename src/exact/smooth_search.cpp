#include "exact/smooth_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "exact/row_terms.hpp"
#include "kernel/kernel.hpp"
#include "problem/loss.hpp"

namespace s3gd {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr int kMostAttempts = 12;  // at one step

}  // namespace

SmoothSearch::SmoothSearch(const FinishInput& input, std::vector<double> start, Progress& progress)
    : input_(&input), problem_(input.problem), progress_(&progress), memory_(kStepMemory), penalty_(problem_) {
  point_.w = std::move(start);
  point_.w.resize(at(problem_.dim()), 0.0);
  ridge_ = penalty_.ridge();
}

void SmoothSearch::go_on(const FinishInput& input, Progress& progress) {
  const std::vector<double> gradient = point_.gradient.empty() ? point_.gradient : point_.loss_gradient(ridge_);
  const double loss = point_.value - penalty_.value(std::span<const double>(point_.w));
  input_ = &input;
  progress_ = &progress;
  problem_ = input.problem;
  penalty_ = Penalty(problem_);
  std::vector<double> ridge = penalty_.ridge(), change = ridge;
  kernel::axpy(-1.0, ridge_.data(), change.data(), problem_.dim());
  memory_.curvature_changed(change);
  ridge_ = std::move(ridge);
  arithmetic_ = Arithmetic::exact;
  finish_ = {};
  running_ = goes_on_ = true;
  needs_positives_ = certificate_needs_positives(problem_);
  point_.value = loss + penalty_.value(std::span<const double>(point_.w));
  for (std::size_t j = 0; j < gradient.size(); ++j) point_.gradient[j] = gradient[j] + ridge_[j] * point_.w[j];
}

void SmoothSearch::evaluate(std::span<const Index> rows, Point& at_point, const PerRow& keep) {
  at_point.gradient.resize(at_point.w.size());
  at_point.made_in = arithmetic_;
  PerRow wanted = keep;
  at_point.positives.reset();
  if (rows.empty() && goes_on_ && needs_positives_)
    wanted.positive_gradient =
        at_point.positives.emplace(OfPositives{0, std::vector<double>(at_point.w.size())}).gradient;
  const RowSums sums = sum_rows(problem_, rows, at_point.w, arithmetic_, at_point.gradient, wanted);
  if (at_point.positives) at_point.positives->loss = sums.positive_loss;
  const double scale = sums.weight > 0 ? problem_.total_weight() / sums.weight : 1.0;
  at_point.complete(scale, sums.loss, penalty_, ridge_);
  const Index count = rows.empty() ? problem_.rows() : static_cast<Index>(rows.size());
  finish_.passes += static_cast<double>(count) / static_cast<double>(problem_.rows());
}

void SmoothSearch::evaluate_all() {
  for (auto* one : {&margins_, &new_margins_, &curvatures_}) one->resize(at(problem_.rows()));
  evaluate({}, point_, {margins_, curvatures_});
}

// Few steps are followed by a new metric: passes leave them out.
const std::vector<double>& SmoothSearch::curvatures() {
  if (!curvatures_.empty()) return curvatures_;
  RowTerms terms;
  evaluate_rows(problem_, margins_, terms);
  curvatures_ = std::move(terms.curvatures);
  return curvatures_;
}

bool SmoothSearch::report(std::span<const double> w) {
  if (progress_->moved(w, finish_.passes, kNotANumber, kNotANumber) && ++finish_.iterations < input_->max_iterations)
    return true;
  running_ = false;
  finish_.end = FinishEnd::stopped;
  return false;
}

double SmoothSearch::gap() const {
  return estimated_gap(problem_, penalty_, point_.w, point_.loss_gradient(ridge_), point_.value);
}

bool SmoothSearch::certified() {
  if (goes_on_ && knows_point() && (point_.positives || !needs_positives_)) {
    const std::vector<double> gradient = point_.loss_gradient(ridge_);
    const double loss = point_.value - penalty_.value(std::span<const double>(point_.w));
    RowsSeen seen{.loss = loss, .margins = margins_, .gradient = gradient, .enough = input_->tol};
    if (point_.positives) seen.positives = &*point_.positives;
    finish_.certificate = certify_seen(problem_, point_.w, seen);
  } else {
    finish_.certificate = certify(problem_, point_.w);
    finish_.passes += 1;
  }
  return finish_.certificate.relative_gap <= input_->tol;
}

bool SmoothSearch::reached(double gap) {
  if (!GapWatch(input_->tol).worth_certifying(gap) || !certified()) return false;
  finish_.end = FinishEnd::converged;
  return true;
}

void SmoothSearch::conclude() {
  if (running_) finish_.end = certified() ? FinishEnd::converged : FinishEnd::stalled;
}

Finish SmoothSearch::take_result() {
  finish_.w = point_.w;
  return std::move(finish_);
}

void SmoothSearch::remember(const Point& from, const Point& to) {
  StepTaken step(from, to);
  memory_.add(std::move(step.moved), std::move(step.gradient));
}

// The share of the step at which F is least, by bisection on the slope along the way. No pass: the margins of both
// ends are known.
double SmoothSearch::best_between(std::span<const double> direction) const {
  const Loss loss(problem_.spec().loss);
  const auto y = problem_.targets();
  const auto slope_at = [&](double t) {
    double slope = 0;
    for (std::size_t j = 0; j < direction.size(); ++j)
      slope += ridge_[j] * (point_.w[j] + t * direction[j]) * direction[j];
    constexpr Index kBlock = 512;
    double u[kBlock], slopes[kBlock];
    for (Index first = 0; first < problem_.rows(); first += kBlock) {
      const Index count = std::min(kBlock, problem_.rows() - first);
      for (Index r = 0; r < count; ++r)
        u[r] = margins_[at(first + r)] + t * (new_margins_[at(first + r)] - margins_[at(first + r)]);
      loss.terms(u, y.data() + first, count, {nullptr, slopes, nullptr});
      for (Index r = 0; r < count; ++r)
        slope += problem_.weight(first + r) * slopes[r] * (new_margins_[at(first + r)] - margins_[at(first + r)]);
    }
    return slope;
  };
  double low = 0, high = 1;
  for (int halving = 0; halving < 40 && high - low > 0.1 * high; ++halving) {
    const double middle = 0.5 * (low + high);
    (slope_at(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// All rows at the present point plus t times the direction; false: the run is over.
bool SmoothSearch::look(std::span<const double> direction, double t, Point& next) {
  step_from(point_, t, direction, next);
  if (!report(next.w)) return false;
  evaluate({}, next, {new_margins_, {}});
  return true;
}

void SmoothSearch::move_to(Point& next) {
  remember(point_, next);
  std::swap(margins_, new_margins_);
  curvatures_.clear();
  std::swap(point_, next);
}

bool SmoothSearch::full_step(const Metric& metric, std::span<const double> bend) {
  std::vector<double> direction = memory_.direction(point_.gradient, metric);
  const double slope = kernel::dot(direction.data(), point_.gradient.data(), problem_.dim());
  if (!(slope < 0)) return false;
  if (point_.needs_digits(-slope)) arithmetic_ = Arithmetic::exact;
  aim_ = point_.w;
  kernel::axpy(1.0, direction.data(), aim_.data(), problem_.dim());
  const LineSearch line = point_.line(slope);
  Point next;
  if (!bend.empty()) {
    std::vector<double> bent = direction;
    kernel::axpy(1.0, bend.data(), bent.data(), problem_.dim());
    if (!look(bent, 1, next)) return false;
    if (line.enough(1, next.value)) {
      move_to(next);
      return true;
    }
  }
  double t = 1;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (!look(direction, t, next)) return false;
    if (line.enough(t, next.value)) break;
    if (attempt + 1 == kMostAttempts) return false;
    t *= attempt == 0 ? best_between(direction) : 0.3;
  }
  move_to(next);
  return true;
}

// A step that gained nothing over float rows may have been rounding.
bool SmoothSearch::try_exact_arithmetic() {
  if (!running_ || point_.made_in == Arithmetic::exact) return false;
  arithmetic_ = Arithmetic::exact;
  evaluate_all();
  memory_.clear();
  return true;
}

}  // namespace s3gd
