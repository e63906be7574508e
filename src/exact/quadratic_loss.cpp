#include "exact/quadratic_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/index.hpp"
#include "kernel/kernel.hpp"
#include "problem/full_pass.hpp"
#include "problem/hessian.hpp"

namespace s3gd {
namespace {

constexpr double kRounding = 64;  // of products of d numbers, in units of the last place; sums over n rows add sqrt(n)

constexpr double kShortStretch = 0.01;  // of the loss is gained
constexpr int kMostStretches = 4;       // where the loss is rounding, every stretch seems long

double mean_target(const Problem& problem) {
  const auto term = [&](Index i) { return problem.weight(i) * problem.targets()[at(i)]; };
  return sum_over_rows(problem, term) / problem.total_weight();
}

}  // namespace

QuadraticLoss::QuadraticLoss(const Problem& problem, std::span<const double> w, const std::function<bool()>& must_stop)
    : problem_(problem),
      free_intercept_(problem.spec().intercept == Intercept::free),
      size_(free_intercept_ ? problem.cols() : problem.dim()),
      rounding_((kRounding + std::sqrt(static_cast<double>(problem.rows()))) * std::numeric_limits<double>::epsilon()),
      w_(w.begin(), w.begin() + size_),
      slopes_(at(size_)),
      intercept_(free_intercept_ ? w.back() : 0.0) {
  // Where nothing else is off zero, the intercept's minimum is the mean: a pass less on the way there.
  if (free_intercept_ && std::all_of(w.begin(), w.end(), [](double value) { return value == 0; }))
    intercept_ = mean_target(problem);
  sum_matrix(must_stop);
  if (!must_stop || !must_stop()) anchor();
}

// Rows that all weigh the same are summed with weight 1: sums of small whole numbers are then exact.
ColumnProducts column_products(const Problem& problem, const std::function<bool()>& must_stop) {
  std::vector<double> h(at(problem.rows()), 1.0);
  if (!problem.weights().empty()) h.assign(problem.weights().begin(), problem.weights().end());
  std::vector<Index> all(at(problem.dim()));
  std::iota(all.begin(), all.end(), Index{0});
  return std::make_shared<const std::vector<double>>(hessian(problem, h, all, must_stop));
}

void QuadraticLoss::sum_matrix(const std::function<bool()>& must_stop) {
  const bool equal = problem_.weights().empty();
  const double factor = equal ? 2 / static_cast<double>(problem_.rows()) : 2.0;
  const Index dim = problem_.dim();
  ColumnProducts products = problem_.known_products();
  if (!products || !equal) {
    products = column_products(problem_, must_stop);
    passes_ += 1;
  }
  const std::vector<double>& lower = *products;
  matrix_.resize(at(size_ * size_));
  length_.resize(at(dim));
  for (Index j = 0; j < dim; ++j) length_[at(j)] = std::sqrt(factor * lower[at(j * dim + j)]);
  for (Index j = 0; j < size_; ++j)
    for (Index k = 0; k <= j; ++k) matrix_[at(j * size_ + k)] = factor * lower[at(j * dim + k)];
  if (free_intercept_) {
    const double* sums = lower.data() + size_ * dim;
    mean_.assign(sums, sums + size_);
    for (double& value : mean_) value /= sums[size_];
    take_out_intercept();
  }
  for (Index j = 0; j < size_; ++j)
    for (Index k = 0; k < j; ++k) matrix_[at(k * size_ + j)] = matrix_[at(j * size_ + k)];
}

// A column of which nothing but rounding is left is constant.
void QuadraticLoss::take_out_intercept() {
  const double total = length_.back() * length_.back();
  std::vector<bool> constant(at(size_));
  for (Index j = 0; j < size_; ++j) {
    kernel::axpy(-total * mean_[at(j)], mean_.data(), matrix_.data() + j * size_, j + 1);
    constant[at(j)] = !(matrix_[at(j * size_ + j)] > rounding_ * length_[at(j)] * length_[at(j)]);
  }
  for (Index j = 0; j < size_; ++j)
    for (Index k = 0; k <= j; ++k)
      if (constant[at(j)] || constant[at(k)]) matrix_[at(j * size_ + k)] = 0;
}

std::vector<double> QuadraticLoss::with_intercept(const std::vector<double>& values, double intercept) const {
  std::vector<double> all = values;
  if (free_intercept_) all.push_back(intercept);
  return all;
}

// The intercept's last stretch needs no pass. A long one would: the loss there is the difference of two larger numbers.
void QuadraticLoss::anchor() {
  std::vector<double> gradient(at(problem_.dim()));
  int stretches = 0;
  for (bool settled = false; !settled; ++passes_) {
    loss_ = loss_and_gradient(problem_, full_w(), gradient);
    std::copy_n(gradient.begin(), size_, slopes_.begin());
    settled = !free_intercept_;
    if (settled) continue;
    const double curvature = length_.back() * length_.back(), slope = gradient.back();
    const double gain = 0.5 * slope * slope / curvature;
    settled = !(gain > kShortStretch * loss_) || ++stretches == kMostStretches;
    intercept_ -= slope / curvature;
    loss_ -= gain;
    for (Index j = 0; j < size_; ++j) slopes_[at(j)] -= slope * mean_[at(j)];
  }
  anchor_w_ = w_;
  anchor_slopes_ = slopes_;
  anchor_intercept_ = intercept_;
  anchor_loss_ = loss_;
  spread_ = 0;
}

void QuadraticLoss::move_to(std::span<const double> w) {
  w_.assign(w.begin(), w.end());
  slopes_ = anchor_slopes_;
  double moved_intercept = 0, reach = 0;
  for (Index j = 0; j < size_; ++j) {
    const double by = w_[at(j)] - anchor_w_[at(j)];
    if (by == 0) continue;
    kernel::axpy(by, matrix_.data() + j * size_, slopes_.data(), size_);
    if (free_intercept_) moved_intercept -= by * mean_[at(j)];
    reach += std::abs(by) * length_[at(j)];
  }
  double change = 0;
  for (std::size_t j = 0; j < w_.size(); ++j) change += 0.5 * (w_[j] - anchor_w_[j]) * (anchor_slopes_[j] + slopes_[j]);
  intercept_ = anchor_intercept_ + moved_intercept;
  loss_ = std::max(0.0, anchor_loss_ + change);
  if (free_intercept_)  // its own last digit counts, too, where it is far from zero
    reach += (std::abs(moved_intercept) + std::abs(intercept_) / kRounding) * length_.back();
  spread_ = w_ == anchor_w_ ? 0.0 : reach + std::sqrt(2 * anchor_loss_);
}

}  // namespace s3gd
