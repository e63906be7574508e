#include "finish/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "model/full_pass.hpp"
#include "model/hessian.hpp"
#include "model/loss.hpp"

namespace s3gd {
namespace {

constexpr int kMostSteps = 8;          // over one working set
constexpr double kSolved = 0.05;       // share of the first step's promise at which a working set is left
constexpr double kNewHessian = 1e-3;   // of the promise is left after a step with a new Hessian, about
constexpr double kCheapHessian = 0.5;  // cost, in steps, below which each step gets a new one
constexpr Index kLeastRows = 4096;     // a Hessian is made from, and ...
constexpr Index kRowsPerColumn = 64;   // ... for each of its columns: about 1/64 of the promise is left by a step
constexpr double kAccuracy = 1e-6;     // of the model's minimum
constexpr int kHalvings = 40;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// Differences of F below this are rounding: F is a long sum.
double rounding(double value) { return 512 * std::numeric_limits<double>::epsilon() * std::abs(value); }

// |from + by| - |from| without cancellation.
double absolute_change(double from, double by) {
  if (from > 0 && from + by >= 0) return by;
  if (from < 0 && from + by <= 0) return -by;
  return std::abs(from + by) - std::abs(from);
}

}  // namespace

ActiveSet::ActiveSet(const Problem& problem, std::vector<double> start, std::function<bool()> must_stop)
    : problem_(problem),
      penalty_(problem.spec().penalty, problem.cols(), problem.spec().intercept),
      must_stop_(std::move(must_stop)),
      constant_curvature_(problem.spec().loss.kind == LossKind::squared),
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
}

// From some of the rows: it only sets priorities. A column these rows do not have counts as the flattest they have.
void ActiveSet::estimate_diagonal() {
  const double curvature = Loss(problem_.spec().loss).curvature_bound();
  const Index every = std::max<Index>(1, problem_.rows() / kLeastRows);
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
  for (Index j = 0; j < problem_.dim(); ++j)
    if (penalty_.in_norm(j)) squares += w[at(j)] * w[at(j)];
  return std::sqrt(squares);
}

void ActiveSet::look_at_all() {
  transpose_times(problem_, terms_.slopes, gradient_);
  passes_ += 1;
}

Index ActiveSet::support_size() const {
  return std::count_if(w_.begin(), w_.end(), [](double v) { return v != 0; });
}

// Zero is no kink for it. Where a 2-norm has none either, its coordinates wait for leave_zero().
bool ActiveSet::always_in(Index j) const {
  return w_[at(j)] != 0 || (penalty_.l1_of(j) == 0 && !(norm_ == 0 && penalty_.in_norm(j)));
}

double ActiveSet::violation(Index j) const {
  if (norm_ == 0 && penalty_.in_norm(j)) return 0;
  const double excess = std::abs(gradient_[at(j)]) - penalty_.l1_of(j);
  if (!(excess > 0)) return 0;
  return excess * excess / (diagonal_[at(j)] + 2 * penalty_.l2_of(j));
}

bool ActiveSet::choose(Index most) {
  std::vector<Index> chosen;
  std::vector<std::pair<double, Index>> leaving;
  for (Index j = 0; j < problem_.dim(); ++j)
    if (always_in(j))
      chosen.push_back(j);
    else if (const double v = violation(j); v > 0)
      leaving.emplace_back(-v, j);
  violators_ = static_cast<Index>(leaving.size());
  if (static_cast<Index>(leaving.size()) > most) {
    std::nth_element(leaving.begin(), leaving.begin() + most, leaving.end());
    leaving.resize(at(most));
  }
  for (const auto& [v, j] : leaving) chosen.push_back(j);
  std::sort(chosen.begin(), chosen.end());
  if (chosen.empty()) return false;
  const bool covered =
      columns_ && static_cast<std::size_t>(columns_->size()) <= 2 * chosen.size() + 16 &&
      std::includes(columns_->chosen().begin(), columns_->chosen().end(), chosen.begin(), chosen.end());
  if (!covered) {
    columns_ = std::make_unique<WorkingColumns>(problem_, std::move(chosen));
    passes_ += columns_->share();
    forget_hessian();
  }
  slopes_.resize(at(columns_->size()));
  for (std::size_t k = 0; k < slopes_.size(); ++k) slopes_[k] = gradient_[at(columns_->chosen()[k])];
  return true;
}

void ActiveSet::solve_working_set() {
  double first = 0;
  for (int k = 0; k < kMostSteps && !must_stop_(); ++k) {
    if (k > 0) {
      slopes_ = columns_->transpose_times(terms_.slopes);
      passes_ += columns_->share();
    }
    if (weights_.empty()) refresh_hessian();
    const double before = last_promise_;
    if (!step()) {
      if (age_ == 0 && every_ == 1) return;
      if (age_ == 0) most_skipped_ = 1;
      forget_hessian();
      continue;
    }
    if (k == 0) first = last_promise_;
    ++age_;
    const bool exact = constant_curvature_ && every_ == 1;
    if (!exact && !worth_keeping(last_promise_ / before)) forget_hessian();
    // Where the set is most of the matrix, a look at all coordinates costs no more than one at these.
    if (exact || last_promise_ <= kSolved * first || columns_->share() > 0.5) return;
  }
}

// Whether steps with this Hessian gain as much for their time as with a new one. `left`: share of the promise that the
// step before this one left.
bool ActiveSet::worth_keeping(double left) {
  const double cost = columns_->gram_cost() / static_cast<double>(every_);
  if (!columns_->prefers_gram()) return false;
  if (every_ == 1 && cost < kCheapHessian) return false;
  if (age_ < 2 || left <= std::pow(kNewHessian, 1 / (1 + cost))) return true;
  if (age_ == 2) most_skipped_ = std::max<Index>(1, every_ / 4);  // never was good: more rows
  return false;
}

void ActiveSet::forget_hessian() {
  gram_.clear();
  weights_.clear();
  age_ = 0;
}

// From one row of every block of `every_`, standing for all of them.
void ActiveSet::refresh_hessian() {
  weights_ = terms_.curvatures;
  age_ = 0;
  every_ = 1;
  if (!columns_->prefers_gram()) return;
  const Index rows = problem_.rows();
  const auto affordable = static_cast<Index>(columns_->gram_cost() / kCheapHessian);
  every_ = std::min({rows / std::max(kLeastRows, kRowsPerColumn * columns_->size()), affordable, most_skipped_});
  every_ = std::max<Index>(1, every_);
  if (every_ > 1) {
    Rng rng(static_cast<std::uint64_t>(++draws_));
    for (Index begin = 0; begin < rows; begin += every_) {
      const Index count = std::min(every_, rows - begin), kept = begin + rng.below(count);
      const double weight = weights_[at(kept)] * static_cast<double>(count);
      std::fill_n(weights_.begin() + begin, count, 0.0);
      weights_[at(kept)] = weight;
    }
  }
  gram_ = columns_->gram(weights_);
  passes_ += columns_->share() / static_cast<double>(every_);
}

L1Model ActiveSet::make_model() const {
  const auto& chosen = columns_->chosen();
  L1Model model;
  model.accuracy = kAccuracy;
  model.must_stop = must_stop_;
  const double ring = norm_ > 0 ? penalty_.norm_strength() / norm_ : 0.0;
  if (ring > 0) model.radial_curvature = ring;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Index j = chosen[k];
    const double x = w_[at(j)];
    const bool curved = ring > 0 && penalty_.in_norm(j);
    model.x.push_back(x);
    model.l1.push_back(penalty_.l1_of(j));
    model.gradient.push_back(slopes_[k] + 2 * penalty_.l2_of(j) * x + (curved ? ring * x : 0.0));
    model.ridge.push_back(2 * penalty_.l2_of(j) + (curved ? ring : 0.0));
    if (ring > 0) model.radial.push_back(curved ? x / norm_ : 0.0);
  }
  return model;
}

// First-order change of F, the penalty's taken whole: term by term, or the last digits would drown in rounding.
double ActiveSet::promise(const std::vector<double>& moved) const {
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const Index j = columns_->chosen()[k];
    const double from = w_[at(j)], by = moved[k];
    sum += by * (slopes_[k] + penalty_.l2_of(j) * (2 * from + by)) + penalty_.l1_of(j) * absolute_change(from, by);
    if (penalty_.norm_strength() > 0 && penalty_.in_norm(j)) squares += by * (2 * from + by);
  }
  if (norm_ > 0)  // sqrt(a + b) - sqrt(a)
    sum += penalty_.norm_strength() * squares / (std::sqrt(std::max(0.0, norm_ * norm_ + squares)) + norm_);
  return sum;
}

bool ActiveSet::step() {
  const L1Model model = make_model();
  std::vector<double> moved;
  if (columns_->prefers_gram()) {
    moved = minimise_by_gram(model, gram_);
  } else {
    moved = minimise_by_columns(model, *columns_, weights_);
    passes_ += columns_->share();
  }
  const double promised = promise(moved);
  if (!(promised < 0)) return false;
  return walk(moved, promised);
}

// Halves the step until F falls by a fair share of what was promised.
bool ActiveSet::walk(const std::vector<double>& moved, double promised) {
  columns_->times(moved, along_);
  passes_ += columns_->share();
  double t = 1;
  for (int halving = 0; halving < kHalvings; ++halving, t *= 0.5) {
    std::vector<double> next = w_;
    for (std::size_t k = 0; k < moved.size(); ++k) {
      double& value = next[at(columns_->chosen()[k])];
      value = t == 1 && moved[k] == -value ? 0.0 : value + t * moved[k];
    }
    for (std::size_t i = 0; i < u_.size(); ++i) trial_u_[i] = u_[i] + t * along_[i];
    evaluate_rows(problem_, trial_u_, trial_terms_);
    const double value = trial_terms_.loss + penalty_.value(std::span<const double>(next));
    if (!(value <= value_ + 1e-4 * t * promised + rounding(value_))) continue;
    w_ = std::move(next);
    std::swap(u_, trial_u_);
    std::swap(terms_, trial_terms_);
    value_ = value;
    norm_ = norm_of(w_);
    last_promise_ = -promised;
    return true;
  }
  return false;
}

// A proximal gradient step over all coordinates: the only way out of a point where the 2-norm has a kink.
bool ActiveSet::leave_zero() {
  if (penalty_.norm_strength() == 0 || norm_ > 0) return false;
  double largest = 0;
  for (Index j = 0; j < problem_.dim(); ++j)
    if (penalty_.in_norm(j)) largest = std::max(largest, diagonal_[at(j)]);
  if (!(largest > 0)) return false;
  std::vector<double> next(w_.size()), u(u_.size());
  for (double metric = largest; metric < 1e30 * largest; metric *= 2) {
    for (std::size_t j = 0; j < next.size(); ++j) next[j] = w_[j] - gradient_[j] / metric;
    penalty_.prox(1 / metric, std::span<double>(next));
    double model = 0;
    for (Index j = 0; j < problem_.dim(); ++j) {
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
    std::swap(terms_, trial_terms_);
    value_ = terms_.loss + penalty_.value(std::span<const double>(w_));
    norm_ = norm_of(w_);
    columns_.reset();
    return true;
  }
  return false;
}

}  // namespace s3gd
