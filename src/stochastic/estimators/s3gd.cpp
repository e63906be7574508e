// S3GD (Algorithm 1 of the paper): h_i is the slope propagated over the anchor graph from the snapshot w~.
//
//     h_i = sum_j gamma_ij phi(W~'z_j) - c(y_i),      drift = (X M) phi - cbar,    cbar = sum_i q_i x_i c(y_i)'
//
// for slopes of the form phi(u) - c(y): one graph and one X M serve all K outputs. Other losses keep one X M for each label:
// h_i = sum_j gamma_ij psi'(w~.z_j, y_i). A snapshot costs m anchor margins and the combination of the m columns of X M; a row costs its k neighbours.
// Outside of the paper's setting each part has a coefficient learnt from past batches (estimators/regression.hpp).
#include <numeric>

#include "anchor/anchors.hpp"
#include "anchor/rows.hpp"
#include "s3gd/error.hpp"
#include "stochastic/estimators/propagated.hpp"

namespace s3gd {
namespace {

template <class T>
class S3gdControl final : public PropagatedControl<T> {
 public:
  explicit S3gdControl(const ControlInput& input) : PropagatedControl<T>(input), graph_(*input.graph) {
    if (graph_.rows() != this->problem_->rows()) throw Error("the graph was built for other rows than these");
    this->edges_ = {graph_.neighbours.data(), graph_.gammas.data(), graph_.neighbours_per_row()};
    this->set_anchors(graph_.anchor_rows);
    build_basis();
    if (!this->has_reference()) return;
    vectors_ = std::move(this->basis_.vectors);
    constant_ = std::move(this->basis_.constant);
    this->basis_.vectors.clear();
    this->basis_.constant.clear();
    this->basis_.count = 0;
  }

  Index drift_vectors() const override {
    return this->problem_->groups() * graph_.anchors() + this->reference_vectors();
  }

  void refresh(Iterate<T>& iterate) override {
    this->take_snapshot(iterate, {});
    if (this->has_reference())
      iterate.set_drift(this->template dense_drift<T>(vectors_, constant_, 1.0));
    else
      iterate.set_drift_from_basis(this->scaled_phi_, this->label_share());
  }

 private:
  void build_basis();

  const Graph& graph_;
  std::vector<T> vectors_, constant_;  // the basis, where a reference makes the drift a dense one
};

template <class T>
void S3gdControl<T>::build_basis() {
  const OutputProblem& problem = *this->problem_;
  DriftBasis<T>& basis = this->basis_;
  if (problem.x().is_dense()) basis.anchors = dense_rows<T>(problem.x(), graph_.anchor_rows);
  basis.count = problem.groups() * graph_.anchors();
  for (Index g = 0; g < problem.groups(); ++g) {
    const auto sums = propagate<T>(problem.x(), graph_, problem.weights(), problem.has_intercept(), problem.threads(),
                                   problem.group(g));
    basis.vectors.insert(basis.vectors.end(), sums.xm.begin(), sums.xm.end());
  }
  if (!problem.separable()) return;
  std::vector<Index> rows(at(problem.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<double> labels(rows.size() * this->numbers()), own(rows.size());
  problem.labels(rows, labels.data());
  for (std::size_t k = 0; k < this->numbers(); ++k) {
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = labels[i * this->numbers() + k];
    const auto sum = weighted_row_sum(problem.x(), problem.weights(), own, problem.has_intercept(), problem.threads());
    basis.constant.insert(basis.constant.end(), sum.begin(), sum.end());
  }
}

}  // namespace

const ControlMaker kS3gdControl = maker<S3gdControl>();

}  // namespace s3gd
