#include "softmax/propagated.hpp"

#include <algorithm>
#include <numeric>

#include "kernel/blas.hpp"
#include "kernel/table.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr double kMuchLeft = 0.1;         // of the variance SGD would have: more anchors may help
constexpr Index kPassesOverAnchors = 20;  // what choosing anchors costs, in m x d; it must stay below a pass

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

PropagatedClasses::PropagatedClasses(const SoftmaxProblem& problem, const GraphOptions& options, ControlMode mode,
                                     const Graph* graph)
    : problem_(problem),
      classes_(problem.classes()),
      features_(problem.features()),
      coefficient_(mode),
      is_seen_(at(problem.rows()), false),
      drift_(at(problem.dim())) {
  if (graph == nullptr) {
    growing_.emplace(problem.x(), options);
    most_anchors_ = std::min(options.anchors, problem.rows());
    first_anchors_ = coefficient_.adaptive() ? 1 : most_anchors_;
    return;
  }
  if (graph->rows() != problem.rows()) throw Error("the graph was built for other rows than these");
  edges_ = {graph->neighbours.data(), graph->gammas.data(), graph->neighbours_per_row()};
  anchor_rows_ = graph->anchor_rows;
  most_anchors_ = first_anchors_ = anchors();
  xm_.assign(at(anchors() * features_), 0.0);
  labels_.assign(at(classes_ * features_), 0.0);
  seen_.resize(at(problem.rows()));
  std::iota(seen_.begin(), seen_.end(), Index{0});
  add(seen_);
}

Index PropagatedClasses::rows_wanted(Index until_snapshot) const {
  if (complete()) return 0;
  return std::max(until_snapshot, anchors() == 0 ? growing_->sample_size(first_anchors_) : 0);
}

void PropagatedClasses::coming(std::span<const Index> rows, Index until_snapshot) {
  if (anchors() == 0) choose_anchors(rows, first_anchors_);
  const std::size_t before = seen_.size();
  for (const Index row : rows.first(at(until_snapshot))) {
    if (is_seen_[at(row)]) continue;
    is_seen_[at(row)] = true;
    seen_.push_back(row);
  }
  add(std::span<const Index>(seen_).subspan(before));
}

void PropagatedClasses::choose_anchors(std::span<const Index> known, Index wanted) {
  const auto sample = at(growing_->sample_size(wanted));
  std::vector<Index> rows(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(sample, known.size())));
  std::sort(rows.begin(), rows.end());  // a small data set may come round to a row again
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  growing_->choose(rows, wanted);
  anchor_rows_ = growing_->anchor_rows();
  xm_.assign(at(anchors() * features_), 0.0);
  labels_.assign(at(classes_ * features_), 0.0);
}

void PropagatedClasses::add(std::span<const Index> rows) {
  if (growing_) {
    growing_->add(rows);
    edges_ = growing_->edges();
  }
  const bool constant = problem_.has_intercept();
  add_to_propagation(problem_.x(), rows, edges_, anchors(), problem_.weights(), constant, problem_.spec().threads, {},
                     xm_);
  std::vector<std::vector<Index>> of_class(at(classes_));
  for (const Index row : rows) of_class[at(problem_.targets()[at(row)])].push_back(row);
  std::vector<double> weights;
  for (Index k = 0; k < classes_; ++k) {
    weights.clear();
    for (const Index row : of_class[at(k)]) weights.push_back(problem_.weight(row));
    add_weighted_rows(problem_.x(), of_class[at(k)], weights, constant,
                      std::span(labels_).subspan(at(k * features_), at(features_)));
  }
}

// Once every row has been seen, more anchors are taken where one leaves much of the variance: K slopes a row make steps
// dear against the edges of a row. All rows are tied to the new anchors at once, so that the drift stays a mean over all.
const std::vector<Index>& PropagatedClasses::anchor_rows() {
  const Index affordable = problem_.x().stored() / (kPassesOverAnchors * std::max<Index>(1, problem_.cols()));
  const Index wanted = std::min(most_anchors_, affordable);
  if (growing_ && complete() && coefficient_.adaptive() && wanted > anchors() && coefficient_.left() > kMuchLeft) {
    choose_anchors(seen_, wanted);
    add(seen_);
    coefficient_.restart();
    most_anchors_ = anchors();
  }
  return anchor_rows_;
}

void PropagatedClasses::snapshot(std::span<const double> anchor_margins) {
  coefficient_.settle();
  const Index m = anchors(), width = kernel::table_width(classes_);
  std::vector<double> padded(at(m * width), 0.0), ignored(at(m));
  for (Index j = 0; j < m; ++j)
    std::copy_n(anchor_margins.begin() + j * classes_, classes_, padded.begin() + j * width);
  kernel::softmax_rows(m, classes_, width, padded.data(), ignored.data());
  shares_.resize(at(m * classes_));
  for (Index j = 0; j < m; ++j) std::copy_n(padded.begin() + j * width, classes_, shares_.begin() + j * classes_);
  const double scale = coefficient_.value() * static_cast<double>(problem_.rows()) / static_cast<double>(seen_.size());
  for (Index j = 0; j < features_; ++j)
    for (Index k = 0; k < classes_; ++k) drift_[at(j * classes_ + k)] = labels_[at(k * features_ + j)];
  blas::gemm(blas::Op::transposed, blas::Op::plain, features_, classes_, m, scale, xm_.data(), features_,
             shares_.data(), classes_, -scale, drift_.data(), classes_);
}

void PropagatedClasses::propagate(Index row, double* out) const {
  if (edges_.per_row == 0) {
    std::copy_n(shares_.begin(), classes_, out);
  } else {
    std::fill(out, out + classes_, 0.0);
    for (Index e = row * edges_.per_row; e < (row + 1) * edges_.per_row; ++e) {
      const double* at_anchor = shares_.data() + edges_.neighbours[e] * classes_;
      for (Index k = 0; k < classes_; ++k) out[k] += static_cast<double>(edges_.gammas[e]) * at_anchor[k];
    }
  }
  out[problem_.targets()[at(row)]] -= 1;
}

void PropagatedClasses::state(Archive& a) {
  a(coefficient_);
  if (!growing_) return;  // all else follows from the graph
  a(*growing_, most_anchors_, anchor_rows_, seen_, xm_, labels_);
  if (!a.reading()) return;
  if (anchors() > 0) edges_ = growing_->edges();
  for (const Index row : seen_) is_seen_[at(row)] = true;
}

void PropagatedClasses::learn(double size, const double* slopes, const double* controls) {
  for (Index k = 0; k < classes_; ++k) coefficient_.add(size, slopes[k], controls[k]);
}

}  // namespace s3gd
