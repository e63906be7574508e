#include "exact/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.hpp"
#include "problem/certificate.hpp"
#include "problem/full_pass.hpp"
#include "problem/hessian.hpp"
#include "problem/loss.hpp"

namespace s3gd {
namespace {

// Sensitive (bench/RESULTS.md): kTakenAtOnce, doubled, costs a path 60 % more passes, kSoon 12; kFirstSet, halved, saves 15.
constexpr Index kFirstSet = 100;              // coordinates let off zero at first
constexpr double kTrustMargins = 1e-9;        // tolerances from here on: margins moved along with w are as good as new
constexpr Index kSampleRows = 4096;           // for the diagonal
constexpr double kSoon = 0.7;                 // of the threshold: slopes that will reach it some penalties further on
constexpr Index kTakenAtOnce = 64;            // these are all taken at once
constexpr Index kManyColumns = 4096;          // a look at all of them costs more than steps over a working set
constexpr Index kMostTransposed = 512 << 20;  // bytes of a second copy of sparse rows, by columns

}  // namespace

ActiveSet::ActiveSet(const Problem& problem, std::vector<double> start)
    : ProxNewton({}),
      problem_(problem),
      penalty_(problem),
      constant_curvature_(traits_of(problem.spec().loss.kind).quadratic),
      w_(std::move(start)),
      u_(at(problem.rows()), 0.0),
      gradient_(at(problem.dim())),
      along_(u_.size()),
      trial_u_(u_.size()) {
  if (std::any_of(w_.begin(), w_.end(), [](double v) { return v != 0; })) {
    margins(problem_, w_, u_);
    passes_ += 1;
  }
  evaluate_rows(problem_, u_, terms_);
  value_ = terms_.loss + penalty_.value(std::span<const double>(w_));
  norm_ = norm_of(w_);
  estimate_diagonal();
  begin();
}

void ActiveSet::begin() {
  most_ = kFirstSet;
  chosen_here_ = false;
}

// The loss's own, or where it has none the largest of the rows where w is.
double ActiveSet::curvature_bound() const {
  if (traits_of(problem_.spec().loss.kind).bounded_curvature) return Loss(problem_.spec().loss).curvature_bound();
  double largest = 0;
  for (Index i = 0; i < problem_.rows(); ++i)
    if (problem_.weight(i) > 0) largest = std::max(largest, terms_.curvatures[at(i)] / problem_.weight(i));
  return largest;
}

// From some of the rows: it only sets priorities. A column these rows do not have counts as the flattest they have.
void ActiveSet::estimate_diagonal() {
  const double curvature = curvature_bound();
  const Index every = std::max<Index>(1, problem_.rows() / kSampleRows);
  std::vector<double> bound(u_.size(), 0.0);
  for (Index i = 0; i < problem_.rows(); i += every)
    bound[at(i)] = curvature * problem_.weight(i) * static_cast<double>(every);
  diagonal_ = hessian_diagonal(problem_, bound);
  double least = std::numeric_limits<double>::infinity();
  for (const double value : diagonal_)
    if (value > 0) least = std::min(least, value);
  for (double& value : diagonal_)
    if (!(value > 0)) value = std::isfinite(least) ? least : 1.0;
  passes_ += 1 / static_cast<double>(every);
}

double ActiveSet::norm_of(const std::vector<double>& w) const {
  if (penalty_.norm_strength() == 0) return 0;
  double squares = 0;
  for (Index j = 0; j < penalty_.dim(); ++j)
    if (penalty_.in_norm(j)) squares += w[at(j)] * w[at(j)];
  return std::sqrt(squares);
}

void ActiveSet::change_penalty(const Problem& problem) {
  // Slopes change by no more than the threshold does, as a rule.
  likely_ = std::max(kSoon, 2 - problem_.spec().penalty.lambda / problem.spec().penalty.lambda);
  problem_ = problem;
  penalty_ = Penalty(problem);
  value_ = terms_.loss + penalty_.value(std::span<const double>(w_));
  norm_ = norm_of(w_);
  first_bend_ = predictor_.towards(problem.spec().penalty.lambda);
  first_aim_.clear();
  first_step_ = true;
  if (!worth_carrying()) forget_hessian();
  steps_here_ = 0;
  begin();
}

void ActiveSet::arrived() {
  predictor_.arrived(problem_.spec().penalty.lambda, first_aim_, w_);
  if (!looked_) return;
  if (constant_curvature_)
    find_drift();
  else if (steps_here_ > 0)
    compare_with_hessian();
  before_ = Solved{w_, gradient_, problem_.spec().penalty.lambda};
}

void ActiveSet::carry_on() {
  carries_on_ = true;
  passes_ = 0;  // those so far are the first run's
  if (certificate_needs_positives(problem_)) smaller_class_.emplace(problem_);
  looked_ = false;
  transposed_ = Transposed::of(problem_.x(), kMostTransposed);
  if (constant_curvature_) mean_row_.assign(problem_.mean_row().begin(), problem_.mean_row().end());
}

// After a look at all coordinates: the fewer rows of both classes are summed. `enough`: see RowsSeen.
Certificate ActiveSet::certificate(double enough) const {
  RowsSeen seen{.loss = terms_.loss, .margins = u_, .gradient = gradient_, .mean_row = mean_row_, .enough = enough};
  if (!certificate_needs_positives(problem_)) return certify_seen(problem_, w_, seen);
  OfPositives positives;
  if (positives_.gradient.empty()) positives = sum_positives(problem_, w_, terms_.loss, gradient_, *smaller_class_);
  seen.positives = positives_.gradient.empty() ? &positives : &positives_;
  return certify_seen(problem_, w_, seen);
}

ProxNewton::Certified ActiveSet::certify(double enough) const {
  if (carries_on_ && enough >= kTrustMargins) return {certificate(enough), 0.5};
  return {s3gd::certify(problem_, w_), 1};
}

double ActiveSet::look() {
  if (std::exchange(chosen_here_, false)) {
    if (violators_ > most_) most_ *= 2;
    most_ = std::max(most_, support_size());
  }
  if (!looked_) {
    if (transposed_) {
      transposed_->times(terms_.slopes, gradient_, problem_.spec().threads);
      if (problem_.has_intercept()) gradient_.back() = std::accumulate(terms_.slopes.begin(), terms_.slopes.end(), 0.0);
    } else {
      transpose_times(problem_, terms_.slopes, gradient_);
    }
    passes_ += 1;
  }
  looked_ = true;
  return gap_ = estimated_gap(problem_, penalty_, w_, gradient_, value_);
}

Index ActiveSet::support_size() const {
  return std::count_if(w_.begin(), w_.end(), [](double v) { return v != 0; });
}

// Zero is no kink for it. Where a 2-norm has none either, its coordinates wait for leave_zero().
bool ActiveSet::always_in(Index j) const {
  return w_[at(j)] != 0 || (penalty_.l1_of(j) == 0 && !(norm_ == 0 && penalty_.in_norm(j)));
}

double ActiveSet::violation(Index j) const {
  if (penalty_.norm_strength() > 0 && norm_ == 0 && penalty_.in_norm(j)) return 0;
  const double excess = std::abs(gradient_[at(j)]) - penalty_.l1_of(j);
  if (!(excess > 0)) return 0;
  return excess * excess / (diagonal_[at(j)] + 2 * penalty_.l2_of(j));
}

bool ActiveSet::choose() {
  chosen_here_ = true;
  leave_zero();
  return choose_columns();
}

// Coordinates off zero and those that want to leave it most; the old set when that has them all. False: nothing is left
// to move.
bool ActiveSet::choose_columns() {
  std::vector<Index> chosen;
  std::vector<std::pair<double, Index>> leaving;
  for (Index j = 0; j < penalty_.dim(); ++j) {
    if (always_in(j))
      chosen.push_back(j);
    else if (const double v = violation(j); v > 0)
      leaving.emplace_back(-v, j);
  }
  violators_ = static_cast<Index>(leaving.size());
  if (violators_ > most_) {
    std::nth_element(leaving.begin(), leaving.begin() + most_, leaving.end());
    leaving.resize(at(most_));
  }
  for (const auto& [v, j] : leaving) chosen.push_back(j);
  std::sort(chosen.begin(), chosen.end());
  if (chosen.empty()) return false;
  std::vector<Index> wanted = chosen;
  // Over few columns another look is cheaper than the Hessian of another set.
  if (carries_on_ && first_step_ && penalty_.dim() > kManyColumns) add_soon_leaving(wanted, likely_);
  const bool covered =
      columns_ && static_cast<std::size_t>(columns_->size()) <= 2 * chosen.size() + 16 &&
      std::includes(columns_->chosen().begin(), columns_->chosen().end(), wanted.begin(), wanted.end());
  if (!covered) {
    if (carries_on_) add_soon_leaving(chosen, kSoon);
    columns_ = std::make_unique<WorkingColumns>(problem_, std::move(chosen), transposed_ ? &*transposed_ : nullptr);
    passes_ += columns_->share();
    forget_hessian();
  }
  take_slopes();
  return true;
}

// Coordinates whose slopes are above this share of their thresholds: so that a working set serves several penalties.
void ActiveSet::add_soon_leaving(std::vector<Index>& chosen, double least) const {
  if (penalty_.norm_strength() > 0) return;
  std::vector<std::pair<double, Index>> soon;
  for (Index j = 0; j < penalty_.dim(); ++j) {
    const double slope = std::abs(gradient_[at(j)]), l1 = penalty_.l1_of(j);
    if (!(slope > least * l1) && penalty_.dim() > kTakenAtOnce) continue;
    if (!std::binary_search(chosen.begin(), chosen.end(), j)) soon.emplace_back(-slope / l1, j);
  }
  const std::size_t most = std::max(at(kTakenAtOnce), chosen.size() / 4);
  if (soon.size() > most) {
    std::nth_element(soon.begin(), soon.begin() + static_cast<std::ptrdiff_t>(most), soon.end());
    soon.resize(most);
  }
  for (const auto& [share, j] : soon) chosen.push_back(j);
  std::sort(chosen.begin(), chosen.end());
}

void ActiveSet::take_slopes() {
  slopes_.resize(at(columns_->size()));
  for (std::size_t k = 0; k < slopes_.size(); ++k) slopes_[k] = gradient_[at(columns_->chosen()[k])];
  correct_hessian();
}

// The coordinates that pull hardest at a point where the 2-norm has a kink: enough of them that half of what they all
// pull beyond it is left.
std::vector<Index> ActiveSet::pulling() const {
  std::vector<std::pair<double, Index>> pulls;
  double total = 0;
  for (Index j = 0; j < penalty_.dim(); ++j) {
    const double pull = std::abs(gradient_[at(j)]) - penalty_.l1_of(j);
    if (!penalty_.in_norm(j) || !(pull > 0)) continue;
    pulls.emplace_back(-pull, j);
    total += pull * pull;
  }
  std::sort(pulls.begin(), pulls.end());
  const double beyond = penalty_.norm_strength() * penalty_.norm_strength();
  std::vector<Index> chosen;
  double sum = 0;
  for (const auto& [pull, j] : pulls) {
    if (sum > beyond + 0.5 * (total - beyond)) break;
    sum += pull * pull;
    chosen.push_back(j);
  }
  return chosen;
}

// For a penalty with a 2-norm: off the point where it has no slope, if F falls there. A proximal gradient step over those
// that pull is the only way out of such a point.
bool ActiveSet::leave_zero() {
  if (penalty_.norm_strength() == 0 || norm_ > 0) return false;
  const std::vector<Index> chosen = pulling();
  double largest = 0;
  for (const Index j : chosen) largest = std::max(largest, diagonal_[at(j)]);
  std::vector<double> u(u_.size());
  for (double metric = largest; !chosen.empty() && metric < 1e30 * largest; metric *= 2) {
    std::vector<double> next(w_.size(), 0.0);
    for (const Index j : chosen) next[at(j)] = -gradient_[at(j)] / metric;
    penalty_.prox(1 / metric, std::span<double>(next));
    double model = 0;
    for (Index j = 0; j < penalty_.dim(); ++j) {
      if (!penalty_.in_norm(j)) next[at(j)] = w_[at(j)];
      const double by = next[at(j)] - w_[at(j)];
      model += by * (gradient_[at(j)] + 0.5 * metric * by);
    }
    if (norm_of(next) == 0) return false;
    margins(problem_, next, u);
    passes_ += 1;
    evaluate_rows(problem_, u, trial_terms_);
    if (trial_terms_.loss > terms_.loss + model) continue;
    w_ = next;
    u_ = u;
    looked_ = false;
    positives_.gradient.clear();
    std::swap(terms_, trial_terms_);
    value_ = terms_.loss + penalty_.value(std::span<const double>(w_));
    norm_ = norm_of(w_);
    columns_.reset();
    return true;
  }
  return false;
}

}  // namespace s3gd
