#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.hpp"
#include "exact/finisher.hpp"
#include "exact/quadratic_loss.hpp"
#include "exact/working_columns.hpp"
#include "kernel/kernel.hpp"
#include "problem/certificate.hpp"
#include "problem/full_pass.hpp"
#include "problem/hessian.hpp"
#include "problem/optimality.hpp"
#include "problem/penalty.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr double kRounding = 64;  // of products of d numbers, in units of the last place; sums over n rows add sqrt(n)

constexpr double kShortStretch = 0.01;  // of the loss is gained
constexpr int kMostStretches = 4;       // where the loss is rounding, every stretch seems long

double mean_target(const Problem& problem) {
  const auto term = [&](Index i) { return problem.weight(i) * problem.targets()[at(i)]; };
  return sum_of(problem.rows(), term) / problem.total_weight();
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
  mirror(matrix_, size_);
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
  const double noise =
      rounding_ * std::sqrt(2 * loss_);  // all there is of a constant column's slope beside the intercept
  for (Index j = 0; free_intercept_ && j < size_; ++j)
    if (curvature(j, j) == 0 && std::isfinite(length_[at(j)]) && std::abs(slopes_[at(j)]) <= noise * length_[at(j)])
      slopes_[at(j)] = 0;
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
  loss_ = std::max(anchor_loss_ + change, 0.0);  // in this order, which keeps what is not a number
  if (free_intercept_)                           // its own last digit counts, too, where it is far from zero
    reach += (std::abs(moved_intercept) + std::abs(intercept_) / kRounding) * length_.back();
  spread_ = w_ == anchor_w_ ? 0.0 : reach + std::sqrt(2 * anchor_loss_);
}

// The squared loss over few columns: the products of columns are summed once (quadratic_loss.hpp), and no row is needed
// from then on, for any penalty without a 2-norm: neither for steps nor for certificates.

namespace {

constexpr Index kMostColumns = 2000;  // 32 MB of products
// Sensitive: kMostKinked[0], with half of which the lasso takes five times the passes.
// Passes that summing the matrix may take: for one problem, and for a sequence of them. Without a 1-norm others are quick.
constexpr double kMostKinked[2] = {4.5, 200}, kMostSmooth[2] = {0, 30};
constexpr double kFilled = 0.15;   // share of stored entries above which rows are multiplied as dense ones
constexpr Index kMostRounds = 60;  // a guard
constexpr int kPatience = 4;       // rounds without a smaller gap before rounding is taken to be reached
constexpr double kDoubtful = 0.1;  // share of a gap that may be rounding
constexpr double kBestAccuracy = 1e-10, kLeastAccuracy = 1e-2;  // of the model's minimum

// What summing the matrix costs, in passes over the rows.
double matrix_passes(const Problem& problem) {
  const auto dim = static_cast<double>(problem.dim());
  const double stored = static_cast<double>(problem.x().stored()) / static_cast<double>(problem.rows()) + 1;
  const bool dense = problem.x().is_dense(), filled = dense || stored > kFilled * dim;
  return (filled ? 0.04 * dim * dim : 0.5 * stored * stored) / ((dense ? 0.8 : 2) * stored + 4);
}

class GramSequence final : public FinishSequence {
 public:
  GramSequence(const Problem& first, std::vector<double> start) : start_(std::move(start)), penalty_(first) {}

  Finish next(const FinishInput& input, Progress& progress) override {
    if (!quadratic_) {
      quadratic_.emplace(input.problem, start_, [&] { return progress.must_stop(); });
      if (progress.must_stop()) {
        quadratic_.reset();
        return {.w = start_};
      }
    }
    change_penalty(input.problem);
    drop_constants();
    return descend(input, progress);
  }

 private:
  Finish descend(const FinishInput& input, Progress& progress) {
    Finish finish;
    VainSteps vain(0.5);
    bool stopped = false;
    for (;; ++finish.iterations) {
      const Certificate here = certificate(input);
      if (finish.w.empty() || here.relative_gap < finish.certificate.relative_gap) {
        finish.w = quadratic_->full_w();
        finish.certificate = here;
      }
      finish.passes = quadratic_->passes() - told_;
      if (here.relative_gap <= input.tol) finish.end = FinishEnd::converged;
      stopped = stopped || finish.iterations >= input.max_iterations || progress.must_stop();
      if (stopped || here.relative_gap <= input.tol) break;
      vain.count(here.relative_gap, std::numeric_limits<double>::infinity(), 0);
      if (vain.steps() > kPatience || finish.iterations >= kMostRounds) {
        finish.end = FinishEnd::stalled;
        break;
      }
      if (vain.steps() > 0 && doubt(here) > kDoubtful * here.relative_gap)
        quadratic_->anchor();  // rounding may be what holds it up
      else
        step(input, here.relative_gap, progress);
      const double value = quadratic_->loss() + penalty_.value(quadratic_->full_w());
      stopped = !progress.moved(quadratic_->full_w(), quadratic_->passes() - told_, value, std::nan(""));
    }
    told_ = quadratic_->passes();
    return finish;
  }

  // Slopes change by no more than the threshold does, as a rule: coordinates below what that leaves stay at zero.
  void change_penalty(const Problem& problem) {
    problem_.emplace(problem);
    penalty_ = Penalty(problem);
    threshold_.resize(at(quadratic_->size()));
    for (Index j = 0; j < quadratic_->size(); ++j) {
      const double l1 = penalty_.l1_of(j), before = previous_.empty() ? l1 : previous_[at(j)];
      threshold_[at(j)] = std::clamp(2 * l1 - before, 0.0, l1);
    }
    previous_.resize(at(quadratic_->size()));
    for (Index j = 0; j < quadratic_->size(); ++j) previous_[at(j)] = penalty_.l1_of(j);
  }

  // A column without curvature does nothing that the intercept does not do for free.
  void drop_constants() {
    std::vector<double> w = quadratic_->w();
    for (Index j = 0; j < quadratic_->size(); ++j)
      if (quadratic_->curvature(j, j) == 0 && penalty_.l1_of(j) > 0) w[at(j)] = 0;
    if (w != quadratic_->w()) quadratic_->move_to(w);
  }

  // With what rounding may have hidden added to the gap. Where that is more than the tolerance bears, from the rows.
  Certificate certificate(const FinishInput& input) {
    Certificate found = by_matrix();
    if (!quadratic_->at_anchor() && found.relative_gap <= input.tol &&
        !(found.relative_gap + doubt(found) <= input.tol)) {
      quadratic_->anchor();
      found = by_matrix();
    }
    const double hidden = doubt(found);
    found.relative_gap += hidden;
    if (found.kind == Certificate::Kind::duality_gap) found.dual = std::max(0.0, found.dual - hidden * found.primal);
    return found;
  }

  Certificate by_matrix() const {
    const std::vector<double> w = quadratic_->full_w(), gradient = quadratic_->full_slopes();
    return certify_seen(
        *problem_, w,
        {.loss = quadratic_->loss(), .margins = {}, .gradient = gradient, .mean_row = quadratic_->mean_row()});
  }

  // How much larger the relative gap may be than it seems: slopes that are larger shrink the dual point, or add to the
  // conjugate where that is finite.
  double doubt(const Certificate& found) const {
    if (quadratic_->at_anchor()) return 0;
    double shrink = 0, conjugate = 0, squares = 0, product = 0, length = 0;
    for (Index j = 0; j < quadratic_->size(); ++j) {
      const double error = quadratic_->slope_error(j), w = quadratic_->w()[at(j)];
      const double slope = quadratic_->slopes()[at(j)], l1 = penalty_.l1_of(j), l2 = penalty_.l2_of(j);
      conjugate += std::abs(w) * error;
      if (l2 > 0)
        conjugate += error * (std::max(0.0, std::abs(slope) - l1) + error) / (2 * l2);
      else
        shrink = std::max(shrink, error / l1);  // without either, there is no dual, and this is not used
      product += std::abs(w * slope);
      squares += error * error;
      length += w * w;
    }
    if (found.kind == Certificate::Kind::prox_gradient) return std::sqrt(squares) / std::max(1.0, std::sqrt(length));
    const double sum = quadratic_->loss_error() + conjugate + shrink * (product + 2 * quadratic_->loss());
    return sum / std::max(found.primal, std::numeric_limits<double>::min());
  }

  void step(const FinishInput& input, double gap, Progress& progress) {
    L1Model model;
    model.accuracy = std::clamp(0.1 * input.tol / gap, kBestAccuracy, kLeastAccuracy);
    model.must_stop = [&] { return progress.must_stop(); };
    std::vector<Index> chosen;
    for (Index j = 0; j < quadratic_->size(); ++j) {
      const double x = quadratic_->w()[at(j)], l1 = penalty_.l1_of(j), l2 = penalty_.l2_of(j),
                   slope = quadratic_->slopes()[at(j)];
      if (x == 0 && l1 > 0 && std::abs(slope) <= threshold_[at(j)]) continue;
      chosen.push_back(j);
      model.x.push_back(x);
      model.l1.push_back(l1);
      model.gradient.push_back(slope + 2 * l2 * x);
      model.ridge.push_back(2 * l2);
    }
    std::vector<double> matrix(chosen.size() * chosen.size());
    for (std::size_t a = 0; a < chosen.size(); ++a)
      for (std::size_t b = 0; b < chosen.size(); ++b)
        matrix[a * chosen.size() + b] = quadratic_->curvature(chosen[a], chosen[b]);
    const std::vector<double> moved = minimise_by_gram(model, std::move(matrix));
    std::vector<double> w = quadratic_->w();
    for (std::size_t a = 0; a < chosen.size(); ++a) w[at(chosen[a])] += moved[a];
    quadratic_->move_to(w);
  }

  std::vector<double> start_;
  std::optional<QuadraticLoss> quadratic_;  // made when the first problem comes
  std::optional<Problem> problem_;
  Penalty penalty_;
  std::vector<double> threshold_, previous_;  // of slopes, to be let in; l1 under the last penalty
  double told_ = 0;                           // passes that earlier problems were told of
};

}  // namespace

std::unique_ptr<FinishSequence> gram_sequence(const Problem& first, std::vector<double> start) {
  if (start.empty()) start.assign(at(first.dim()), 0.0);
  if (static_cast<Index>(start.size()) != first.dim())
    throw Error("the start has " + std::to_string(start.size()) + " numbers, expected " + std::to_string(first.dim()));
  return std::make_unique<GramSequence>(first, std::move(start));
}

Finish finish_by_gram(const FinishInput& input, std::vector<double> start, Progress& progress) {
  return gram_sequence(input.problem, std::move(start))->next(input, progress);
}

const Need kFewColumns{"at most 2000 columns", rows_in, "have more",
                       [](const Problem& problem) { return problem.cols() <= kMostColumns; }};

bool gram_pays(const Problem& problem, bool for_many) {
  const auto& most = Penalty(problem).l1_strength() > 0 ? kMostKinked : kMostSmooth;
  return problem.rows() > problem.cols() && matrix_passes(problem) <= most[for_many ? 1 : 0];
}

}  // namespace s3gd
