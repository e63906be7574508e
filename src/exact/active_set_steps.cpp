// Steps over a working set: the Hessian, the model, how far to go.

#include "base/index.hpp"
#include "base/random.hpp"
#include "exact/active_set.hpp"
#include "kernel/kernel.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"
#include "problem/optimality.hpp"

namespace s3gd {
namespace {

constexpr double kNewHessian = 1e-3;   // of the promise is left after a step with a new Hessian, about
constexpr double kStillGood = 0.05;    // of the promise is left after a step with one kept from another penalty
constexpr double kCheapHessian = 0.5;  // cost, in steps, below which each step gets a new one
constexpr double kFinalHessian = 6;    // the same where it is the last one needed
constexpr Index kLeastRows = 4096;     // a Hessian is made from, and ...
constexpr Index kRowsPerColumn = 64;   // ... for each of its columns: about 1/64 of the promise is left by a step
constexpr double kBestAccuracy = 1e-6, kLeastAccuracy = 1e-2;  // of the model's minimum
// Share of the gap asked for by which slopes may be wrong, of their thresholds; where that was too much, less.
constexpr double kSlack = 2, kTighter = 0.2;
constexpr Index kNarrow = 4096;                                // columns up to which a sum of rows stays in the cache
constexpr double kFirstDamping = 0.01, kLeastDamping = 1e-12;  // of the diagonal: times ten or a tenth
constexpr double kShortStep = 0.1;                             // calls for damping

}  // namespace

bool ActiveSet::again() {
  ++age_;
  const bool exact = constant_curvature_ && every_ == 1;
  if (!exact && !worth_keeping(left_)) forget_hessian();
  // Where the set is most of the matrix, a look at all coordinates costs no more than one at these.
  return !exact && !(columns_->share() > 0.5);
}

bool ActiveSet::refused() {
  if (age_ == 0 && every_ == 1 && (damping_ == 1 || constant_curvature_)) return false;
  if (age_ == 0 && every_ > 1) most_skipped_ = 1;
  if (age_ == 0 && every_ == 1) more_damping();
  forget_hessian();
  return true;
}

double ActiveSet::look_at_chosen() {
  if (!looked_) {
    const std::vector<double> slopes = columns_->transpose_times(terms_.slopes);
    passes_ += columns_->share();
    for (std::size_t k = 0; k < slopes.size(); ++k) gradient_[at(columns_->chosen()[k])] = slopes[k];
  }
  take_slopes();
  return gap_ = estimated_gap(problem_, penalty_, w_, gradient_, value_);
}

// Whether steps with this Hessian gain as much for their time as with a new one. `left`: share of the promise that the
// step before this one left.
bool ActiveSet::worth_keeping(double left) {
  const double cost = columns_->gram_cost() / static_cast<double>(every_);
  if (!columns_->prefers_gram()) return false;
  if (carries_on_ && (steps_here_ < 2 || left <= kStillGood)) return true;
  if (!carries_on_ && every_ == 1 && cost < kCheapHessian) return false;
  if (!carries_on_ && (age_ < 2 || left <= std::pow(kNewHessian, 1 / (1 + cost)))) return true;
  if (age_ == 2) most_skipped_ = std::max<Index>(1, every_ / 4);  // never was good: more rows
  return false;
}

void ActiveSet::forget_hessian() {
  gram_.clear();
  weights_.clear();
  last_step_.clear();
  age_ = kept_for_ = 0;
}

void ActiveSet::correct_hessian() {
  const std::vector<double> s = std::exchange(last_step_, {});
  if (s.empty() || gram_.empty()) return;
  std::vector<double> y = slopes_;
  kernel::axpy(-1.0, last_slopes_.data(), y.data(), columns_->size());
  correct_by(gram_, s, y);
}

void ActiveSet::more_damping() { damping_ = damping_ == 0 ? kFirstDamping : std::min(1.0, 10 * damping_); }

// Where curvature vanishes with distance, a step by what is left of it goes far too far: part of the way to the bound,
// all of which is safe.
void ActiveSet::damp(std::vector<double>& curvatures) const {
  if (damping_ == 0 || constant_curvature_) return;
  const double bound = curvature_bound();
  for (Index i = 0; i < problem_.rows(); ++i)
    curvatures[at(i)] += damping_ * (bound * problem_.weight(i) - curvatures[at(i)]);
}

// From one row of every block of `every_`, standing for all of them.
void ActiveSet::refresh_hessian() {
  weights_ = terms_.curvatures;
  damp(weights_);
  age_ = 0;
  renewed_ = true;
  every_ = 1;
  if (!columns_->prefers_gram()) return;
  const Index rows = problem_.rows();
  const auto affordable =
      static_cast<Index>(columns_->gram_cost() / (constant_curvature_ ? kFinalHessian : kCheapHessian));
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
  model.accuracy = std::clamp(0.1 * gap_, kBestAccuracy, kLeastAccuracy);
  if (constant_curvature_) {
    model.slack = kSlack * std::pow(kTighter, steps_here_) * goal() * penalty_.l1_strength();
    model.start = foreseen();
  }
  model.must_stop = [this] { return must_stop(); };
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

// The first step under a penalty, bent by what the last one's has missed.
bool ActiveSet::guess() {
  if (weights_.empty()) refresh_hessian();
  planned_.clear();
  if (!carries_on_ || !std::exchange(first_step_, false)) return false;
  if (columns_->prefers_gram()) {
    if (constant_curvature_) return false;
    remember_hessian();
    const std::vector<double> moved = bent_direction();
    return !moved.empty() && walk(moved, promise(moved), 1);
  }
  planned_ = direction();
  const double promised = promise(planned_);
  if (!(promised < 0)) return false;
  first_aim_ = w_;
  for (std::size_t k = 0; k < planned_.size(); ++k) first_aim_[at(columns_->chosen()[k])] += planned_[k];
  return !first_bend_.empty() && walk(bent(planned_), promised, 1);
}

std::vector<double> ActiveSet::direction() {
  if (!planned_.empty()) return std::exchange(planned_, {});
  if (columns_->prefers_gram()) return minimise_by_gram(make_model(), gram_);
  passes_ += columns_->share();
  return minimise_by_columns(make_model(), *columns_, weights_);
}

// The step with what the last penalty's first step missed added to it, where that keeps zeros and signs.
std::vector<double> ActiveSet::bent(const std::vector<double>& moved) const {
  std::vector<double> sum = moved;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const Index j = columns_->chosen()[k];
    const double aim = first_aim_[at(j)], bend = first_bend_[at(j)];
    if (penalty_.l1_of(j) == 0 || (aim + bend) * aim > 0) sum[k] += bend;
  }
  return sum;
}

// R at w + t moved: what is outside the working set is zero.
double ActiveSet::penalty_at(const std::vector<double>& moved, double t) const {
  double sum = 0, squares = 0;
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const Index j = columns_->chosen()[k];
    const double x = std::abs(w_[at(j)] + t * moved[k]);
    sum += (penalty_.l1_of(j) + penalty_.l2_of(j) * x) * x;
    if (penalty_.norm_strength() > 0 && penalty_.in_norm(j)) squares += x * x;
  }
  return sum + penalty_.norm_strength() * std::sqrt(squares);
}

// All rows at w + moved in one walk over them: margins, curvatures and the gradient in every coordinate.
void ActiveSet::look_with_all_rows(const std::vector<double>& moved) {
  trial_w_ = w_;
  for (std::size_t k = 0; k < moved.size(); ++k) trial_w_[at(columns_->chosen()[k])] += moved[k];
  trial_gradient_.resize(w_.size());
  trial_terms_.curvatures.resize(u_.size());
  trial_positives_.gradient.resize(smaller_class_ ? w_.size() : 0);
  const RowSums sums = sum_rows(problem_, {}, trial_w_, Arithmetic::exact, trial_gradient_,
                                {trial_u_, trial_terms_.curvatures, trial_positives_.gradient});
  trial_terms_.loss = sums.loss;
  trial_positives_.loss = sums.positive_loss;
  passes_ += 1;
}

double ActiveSet::value_at(const std::vector<double>& moved, double t, double) {
  if (t == 1) has_along_ = false;
  all_rows_ = t == 1 && carries_on_ && !columns_->gathered() && problem_.dim() <= kNarrow;
  if (all_rows_) {
    look_with_all_rows(moved);
  } else {
    if (!std::exchange(has_along_, true)) {
      columns_->times(moved, along_);
      passes_ += columns_->share();
    }
    for (std::size_t i = 0; i < u_.size(); ++i) trial_u_[i] = u_[i] + t * along_[i];
    evaluate_rows(problem_, trial_u_, trial_terms_);
  }
  return trial_value_ = trial_terms_.loss + penalty_at(moved, t);
}

void ActiveSet::accept(const std::vector<double>& moved, double t, double promised) {
  if (carries_on_ && !constant_curvature_) {
    last_step_ = moved;
    kernel::scale(t, last_step_.data(), columns_->size());
    last_slopes_ = slopes_;
  }
  for (std::size_t k = 0; k < moved.size(); ++k) w_[at(columns_->chosen()[k])] += t * moved[k];
  looked_ = all_rows_;
  positives_.gradient.clear();
  if (all_rows_) {
    std::swap(gradient_, trial_gradient_);
    std::swap(positives_, trial_positives_);
  }
  std::swap(u_, trial_u_);
  std::swap(terms_, trial_terms_);
  value_ = trial_value_;
  norm_ = norm_of(w_);
  left_ = -promised / last_promise_;
  last_promise_ = -promised;
  ++steps_here_;
  if (t < kShortStep) more_damping();
  if (t == 1 && damping_ > kLeastDamping) damping_ *= 0.1;
  if (t < 1) forget_hessian();
}

// What a Hessian kept from penalty to penalty is worth, and what it will be wrong by.
//
// B has been corrected by the whole step s from the last solution to this one (BFGS): it is the mean Hessian along s. The
// slopes at the next solution differ from what it says by the change of that mean, about T s s with the third derivative
// T, as they did the last time; a new Hessian, made at the last solution, misses half of that. The first step under a
// penalty takes it into account before it is made, so that the model, kinks and all, decides where it goes.

namespace {

constexpr int kTryAgain = 8;              // penalties
constexpr double kFurthest = 3;           // times as far as from the last penalty to this one, nothing is expected
constexpr double kLeastCurvature = 1e-3;  // of what was expected along a step: less is taken to be rounding

// matrix * v
std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& v) {
  const auto size = static_cast<Index>(v.size());
  std::vector<double> product(v.size());
  for (Index k = 0; k < size; ++k) product[at(k)] = kernel::dot(matrix.data() + k * size, v.data(), size);
  return product;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// What is expected of a new Hessian over what is expected of one kept.
double share_missed(bool is_new) { return is_new ? 0.5 : 1.0; }

}  // namespace

// While it takes no more steps than when it was new. From time to time a new one is tried where that may save a step.
bool ActiveSet::worth_carrying() {
  if (constant_curvature_ || gram_.empty() || steps_here_ == 0) return true;
  if (++kept_for_ == 1) steps_when_new_ = steps_here_;
  return steps_here_ <= std::max(1, kept_for_ < kTryAgain ? steps_when_new_ : 1);
}

// B + y y' / y.s - B s s' B / s.B s: the least change that has a step s change the slopes by y.
void ActiveSet::correct_by(std::vector<double>& gram, const std::vector<double>& s,
                           const std::vector<double>& y) const {
  const auto size = static_cast<Index>(s.size());
  const std::vector<double> b = times(gram, s);
  const double found = dot(y, s), expected = dot(b, s);
  if (!(found > kLeastCurvature * expected && expected > kLeastCurvature * found)) return;
  for (Index k = 0; k < size; ++k) {
    kernel::axpy(y[at(k)] / found, y.data(), gram.data() + k * size, size);
    kernel::axpy(-b[at(k)] / expected, b.data(), gram.data() + k * size, size);
  }
}

void ActiveSet::remember_hessian() {
  first_gram_ = gram_;
  first_set_ = columns_->chosen();
  first_is_new_ = age_ == 0;
  renewed_ = false;
}

// At the solution: how wrong the Hessian was that the first step was made with. It then takes the place of the one that
// single steps have corrected.
void ActiveSet::compare_with_hessian() {
  unexpected_.clear();
  const bool comparable = before_ && !first_gram_.empty() && columns_ && columns_->chosen() == first_set_;
  const double h = comparable ? std::log(before_->lambda / problem_.spec().penalty.lambda) : 0;
  if (!(h > 0)) return;
  std::vector<double> s(first_set_.size()), y(s.size());
  for (std::size_t k = 0; k < s.size(); ++k) {
    const std::size_t j = at(first_set_[k]);
    s[k] = w_[j] - before_->w[j];
    y[k] = gradient_[j] - before_->gradient[j];
  }
  const std::vector<double> said = times(first_gram_, s);
  unexpected_.assign(w_.size(), 0.0);
  for (std::size_t k = 0; k < s.size(); ++k) unexpected_[at(first_set_[k])] = (y[k] - said[k]) / (h * h);
  unexpected_of_new_ = first_is_new_;
  unexpected_h_ = h;
  last_step_.clear();
  if (gram_.empty() || renewed_) return;
  gram_ = std::move(first_gram_);
  correct_by(gram_, s, y);
}

// Between two changes of the support, the solution of a quadratic loss moves in proportion to lambda.
void ActiveSet::find_drift() {
  drift_.clear();
  const double by = before_ ? problem_.spec().penalty.lambda - before_->lambda : 0;
  if (by == 0) return;
  drift_ = w_;
  for (std::size_t j = 0; j < w_.size(); ++j) drift_[j] = before_->w[j] != 0 ? (w_[j] - before_->w[j]) / by : 0.0;
}

// Where it will be under the present penalty, as far as signs stay: a start for the model over the working set.
std::vector<double> ActiveSet::foreseen() const {
  if (drift_.empty() || steps_here_ > 0) return {};
  const double by = problem_.spec().penalty.lambda - before_->lambda;
  std::vector<double> start;
  for (const Index j : columns_->chosen()) {
    const double x = w_[at(j)], step = by * drift_[at(j)];
    start.push_back(penalty_.l1_of(j) == 0 || (x + step) * x > 0 ? step : 0.0);
  }
  return start;
}

// Of the first step under a penalty; empty: nothing is known about it.
std::vector<double> ActiveSet::bent_direction() {
  const double h = before_ ? std::log(before_->lambda / problem_.spec().penalty.lambda) : 0;
  if (unexpected_.empty() || !(h > 0 && h <= kFurthest * unexpected_h_)) return {};
  const double factor = h * h * share_missed(first_is_new_) / share_missed(unexpected_of_new_);
  L1Model model = make_model();
  for (std::size_t k = 0; k < model.x.size(); ++k) model.gradient[k] += factor * unexpected_[at(columns_->chosen()[k])];
  return minimise_by_gram(model, gram_);
}

}  // namespace s3gd
