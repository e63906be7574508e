// S3GD while its graph grows: rows are tied to the anchors when they are first drawn, and added to running sums.
//
//     drift = a (n / s) sum over the s rows seen of q_i x_i h_i',       h_i = sum_j gamma_ij phi(W~'z_j) - c(y_i)
//
// Rows come in a random order, so the mean over those seen stands for the mean over all; over those seen the estimate is
// unbiased exactly. After one pass the sums are X M and cbar of the full graph and are handed to the iterate as a basis.
#include <algorithm>

#include "anchor/anchors.hpp"
#include "anchor/streaming_graph.hpp"
#include "stochastic/estimators/propagated.hpp"

namespace s3gd {
namespace {

// One anchor costs nothing and often does most of the work, since the label term is exact. More are taken once the steps
// so far have cost what the new edges will: a run never takes much more than twice what it would have with the better
// choice. In the first pass that is never so, and measured no faster where it is tried.
constexpr Index kFewestCovered = 200;     // rows
constexpr Index kFewAnchors = 10;         // the next choice, where all that are wanted cost too much
constexpr double kMuchLeft = 0.1;         // of the variance SGD would have
constexpr Index kRowsToJudgeBy = 1000;    // of past batches
constexpr double kStepCost = 3;           // of a row, for each of its entries and outputs
constexpr double kProductSpeed = 8;       // of the product with the anchors, likewise
constexpr Index kPassesOverAnchors = 20;  // what choosing anchors costs, in m x d; it must stay below a pass

// Passes of steps that cost as much as tying all rows to so many anchors.
double edges_in_passes(Index anchors, Index neighbours, Index outputs) {
  return (static_cast<double>(anchors) / kProductSpeed + static_cast<double>(std::min(anchors, neighbours))) /
         (kStepCost * static_cast<double>(outputs));
}

template <class T>
class StreamingControl final : public PropagatedControl<T> {
 public:
  explicit StreamingControl(const ControlInput& input)
      : PropagatedControl<T>(input),
        graph_(input.problem->x(), input.streaming),
        most_anchors_(std::min(input.streaming.anchors, input.problem->rows())),
        first_anchors_(this->has_reference()        ? 0
                       : this->regression_.learns() ? 1
                                                    : most_anchors_),
        neighbours_(input.streaming.neighbours),
        is_seen_(at(input.problem->rows()), false) {}

  Index rows_wanted(Index until_snapshot) const override {
    if (complete()) return 0;
    const Index sample = graph_.anchors() < first_anchors_ ? graph_.sample_size(first_anchors_) : 0;
    return std::max({until_snapshot, sample, rows_ahead()});
  }

  void coming(std::span<const Index> rows, Index until_snapshot) override {
    if (graph_.anchors() < first_anchors_) choose_anchors(rows, first_anchors_);
    const std::size_t before = seen_.size();
    for (const Index row : rows.first(std::min(rows.size(), at(std::max(until_snapshot, rows_ahead()))))) {
      if (is_seen_[at(row)]) continue;
      is_seen_[at(row)] = true;
      seen_.push_back(row);
    }
    const std::span<const Index> fresh = std::span<const Index>(seen_).subspan(before);
    if (graph_.anchors() > 0) add(fresh);
    this->cover(fresh);
  }

  void refresh(Iterate<T>& iterate) override {
    if (const Index wanted = anchors_worth_having(); wanted > graph_.anchors()) grow(wanted);
    const bool by_basis = complete() && !this->has_reference();
    if (by_basis && this->basis_.count == 0) {
      fill_basis();
      iterate.basis_changed();
    }
    this->take_snapshot(iterate, rows_covered());
    if (by_basis)
      iterate.set_drift_from_basis(this->scaled_phi_, this->label_share());
    else
      iterate.set_drift(running_drift());
  }

  void state(Archive& a) override {
    a(graph_, most_anchors_, seen_, sums_, constant_, this->basis_.count, this->basis_.vectors, this->basis_.constant);
    if (a.reading() && graph_.anchors() > 0) adopt_anchors();
    if (a.reading())
      for (const Index row : seen_) is_seen_[at(row)] = true;
    PropagatedControl<T>::state(a);
  }

  std::span<const Index> rows_covered() const override { return complete() ? std::span<const Index>{} : seen_; }

  Index drift_vectors() const override {
    const Index anchors = std::max(first_anchors_, graph_.anchors());
    return this->problem_->groups() * anchors + (complete() ? 0 : 1) + this->reference_vectors();
  }

 private:
  bool complete() const { return static_cast<Index>(seen_.size()) == this->problem_->rows(); }
  std::size_t features() const { return at(this->problem_->features()); }

  // A row is covered for a small part of what a step with it costs, and the mean over more rows is closer to that over
  // all: those drawn are a part of those covered. They grow in number when the reference is renewed, at which all of them
  // are visited.
  Index rows_ahead() const {
    if (!this->has_reference() || !this->renewal_is_due()) return 0;
    const Index wanted = std::max(kFewestCovered, this->kCoveredPerDrawn * this->rows_drawn());
    return std::min(wanted, this->problem_->rows()) - this->rows_drawn();  // which are covered
  }

  Index anchors_worth_having() const {
    const Index now = graph_.anchors(), rows = this->rows_drawn();
    if (!this->regression_.learns() || !complete() || rows < kRowsToJudgeBy) return now;
    if (this->regression_.left() <= kMuchLeft) return now;
    const Index affordable =
        this->problem_->x().stored() / (kPassesOverAnchors * std::max<Index>(1, this->problem_->cols()));
    const double passes = static_cast<double>(rows) / static_cast<double>(this->problem_->rows());
    for (const Index wanted : {std::min(most_anchors_, affordable), std::min(kFewAnchors, most_anchors_)})
      if (wanted <= affordable && wanted > now && passes >= edges_in_passes(wanted, neighbours_, this->outputs()))
        return wanted;
    return now;
  }

  // All rows are tied to the new anchors at once, so that the drift stays the mean over all rows.
  void grow(Index wanted) {
    choose_anchors(seen_, wanted);
    add(seen_);
    this->regression_.forget();
    this->basis_.count = 0;
    if (graph_.anchors() < wanted) most_anchors_ = graph_.anchors();  // there are no more distinct rows
  }

  void choose_anchors(std::span<const Index> known, Index wanted) {
    const auto sample = at(graph_.sample_size(wanted));
    std::vector<Index> rows(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(std::min(sample, known.size())));
    std::sort(rows.begin(), rows.end());  // a small data set may come round to a row again
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    graph_.choose(rows, wanted);
    adopt_anchors();
    sums_.assign(at(this->problem_->groups() * graph_.anchors()) * features(), 0.0);
    constant_.assign(this->problem_->separable() ? this->numbers() * features() : 0, 0.0);
  }

  void adopt_anchors() {
    this->set_anchors(graph_.anchor_rows());
    this->edges_ = graph_.edges();
    if (this->problem_->x().is_dense()) this->basis_.anchors = dense_rows<T>(this->problem_->x(), graph_.anchor_rows());
  }

  void add(std::span<const Index> rows) {
    const OutputProblem& problem = *this->problem_;
    graph_.add(rows);
    const std::size_t size = at(graph_.anchors()) * features();
    for (Index g = 0; g < problem.groups(); ++g)
      add_to_propagation(problem.x(), rows, this->edges_, graph_.anchors(), problem.weights(), problem.has_intercept(),
                         problem.threads(), problem.group(g), std::span(sums_).subspan(at(g) * size, size));
    if (!constant_.empty()) add_labels(rows);
  }

  void add_labels(std::span<const Index> rows) {
    const OutputProblem& problem = *this->problem_;
    std::vector<double> labels(rows.size() * this->numbers()), weighted;
    std::vector<Index> labelled;
    problem.labels(rows, labels.data());
    for (std::size_t k = 0; k < this->numbers(); ++k) {
      labelled.clear();
      weighted.clear();
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double label = labels[r * this->numbers() + k];
        if (label == 0 && this->numbers() > 1) continue;  // most of them: a row has one class
        labelled.push_back(rows[r]);
        weighted.push_back(problem.weight(rows[r]) * label);
      }
      add_weighted_rows(problem.x(), labelled, weighted, problem.has_intercept(),
                        std::span(constant_).subspan(k * features(), features()));
    }
  }

  std::span<const double> running_drift() {
    const double scale = static_cast<double>(this->problem_->rows()) / static_cast<double>(seen_.size());
    return this->template dense_drift<double>(sums_, constant_, scale);
  }

  void fill_basis() {
    this->basis_.count = this->problem_->groups() * graph_.anchors();
    this->basis_.vectors.assign(sums_.begin(), sums_.end());
    this->basis_.constant.assign(constant_.begin(), constant_.end());
    sums_ = {};
  }

  StreamingGraph graph_;
  Index most_anchors_, first_anchors_, neighbours_;
  std::vector<bool> is_seen_;
  std::vector<Index> seen_;       // in the order they came
  std::vector<double> sums_;      // (groups * anchors) x features: X M of the rows seen
  std::vector<double> constant_;  // K x features: their label term, where the loss has one
};

}  // namespace

const ControlMaker kStreamingControl = maker<StreamingControl>();

}  // namespace s3gd
