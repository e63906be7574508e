// What a Hessian kept from penalty to penalty is worth, and what it will be wrong by.
//
// B has been corrected by the whole step s from the last solution to this one (BFGS): it is the mean Hessian along s. The
// slopes at the next solution differ from what it says by the change of that mean, about T s s with the third derivative
// T, as they did the last time; a new Hessian, made at the last solution, misses half of that. The first step under a
// penalty takes it into account before it is made, so that the model, kinks and all, decides where it goes.
#include <cmath>

#include "base/index.hpp"
#include "exact/active_set.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
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

// The first step under a penalty.
bool ActiveSet::bent_step() {
  const double h = before_ ? std::log(before_->lambda / problem_.spec().penalty.lambda) : 0;
  if (unexpected_.empty() || !(h > 0 && h <= kFurthest * unexpected_h_)) return false;
  const double factor = h * h * share_missed(first_is_new_) / share_missed(unexpected_of_new_);
  L1Model model = make_model();
  for (std::size_t k = 0; k < model.x.size(); ++k) model.gradient[k] += factor * unexpected_[at(columns_->chosen()[k])];
  const std::vector<double> moved = minimise_by_gram(model, gram_);
  const double promised = promise(moved);
  return promised < 0 && walk(moved, promised, 1);
}

}  // namespace s3gd
