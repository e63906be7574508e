// S3GD (Algorithm 1 of the paper): h_i is the slope propagated over the anchor graph from the snapshot w~.
//
//     h_i = sum_j gamma_ij phi(w~.z_j) - c(y_i),      drift = (X M) phi - cbar,    cbar = sum_i q_i c(y_i) x_i
//
// for slopes of the form phi(u) - c(y). Other losses keep one X M for each label: h_i = sum_j gamma_ij psi'(w~.z_j,
// y_i). A snapshot costs m anchor margins and the combination of the m columns of X M; a row costs its k neighbours.
#include <algorithm>

#include "anchor/propagate.hpp"
#include "oracle/control.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

template <class T>
class S3gdControl final : public Control<T> {
 public:
  explicit S3gdControl(const ControlInput& input)
      : problem_(input.problem), loss_(input.problem.spec().loss), graph_(*input.graph) {
    if (graph_.rows() != problem_.rows()) throw Error("the graph was built for other rows than these");
    if (!loss_.separable() && !loss_.classifies())
      throw Error("S3GD cannot propagate this loss over the graph for real labels", "use --solver svrg or saga");
    build_basis();
    margins_.resize(static_cast<std::size_t>(graph_.anchors()));
    phi_.resize(static_cast<std::size_t>(basis_.count));
  }

  const DriftBasis<T>* basis() const override { return &basis_; }

  void refresh(Iterate<T>& iterate) override {
    iterate.anchor_margins(graph_.anchor_rows, margins_.data());
    const std::size_t m = margins_.size();
    for (std::size_t j = 0; j < m; ++j) {
      if (loss_.separable()) {
        phi_[j] = loss_.phi(margins_[j]);
      } else {
        phi_[j] = loss_.slope(margins_[j], 1.0);
        phi_[m + j] = loss_.slope(margins_[j], -1.0);
      }
    }
    iterate.set_drift_from_basis(phi_);
  }

  void control(std::span<const Index> rows, const double*, double* out) const override {
    const Index k = graph_.neighbours_per_row();
    const auto targets = problem_.targets();
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const double y = targets[static_cast<std::size_t>(rows[b])];
      const double* phi = phi_.data() + (!loss_.separable() && y < 0 ? margins_.size() : 0);
      double sum = 0;
      for (Index e = rows[b] * k; e < (rows[b] + 1) * k; ++e)
        sum += static_cast<double>(graph_.gammas[e]) * phi[graph_.neighbours[e]];
      out[b] = loss_.separable() ? sum - loss_.label(y) : sum;
    }
  }

 private:
  void build_basis();

  Problem problem_;
  Loss loss_;
  const Graph& graph_;
  DriftBasis<T> basis_;
  std::vector<double> margins_, phi_;
};

template <class T>
void S3gdControl<T>::build_basis() {
  const auto targets = problem_.targets();
  const auto sums = [&](const RowGroup& group) {
    return propagate<T>(problem_.x(), graph_, problem_.weights(), problem_.has_intercept(), problem_.spec().threads,
                        group)
        .xm;
  };
  basis_.dim = problem_.dim();
  if (problem_.x().is_dense()) basis_.anchors = anchor_matrix<T>(problem_.x(), graph_);
  if (loss_.separable()) {
    basis_.count = graph_.anchors();
    basis_.vectors = sums({});
    std::vector<double> labels(targets.size());
    std::transform(targets.begin(), targets.end(), labels.begin(), [&](double y) { return loss_.label(y); });
    const auto constant =
        weighted_row_sum(problem_.x(), problem_.weights(), labels, problem_.has_intercept(), problem_.spec().threads);
    basis_.constant.assign(constant.begin(), constant.end());
  } else {
    basis_.count = 2 * graph_.anchors();
    basis_.vectors = sums({targets, 1.0});
    const auto negative = sums({targets, -1.0});
    basis_.vectors.insert(basis_.vectors.end(), negative.begin(), negative.end());
  }
}

}  // namespace

template <class T>
std::unique_ptr<Control<T>> make_s3gd_control(const ControlInput& input) {
  return std::make_unique<S3gdControl<T>>(input);
}

template std::unique_ptr<Control<float>> make_s3gd_control(const ControlInput&);
template std::unique_ptr<Control<double>> make_s3gd_control(const ControlInput&);

}  // namespace s3gd
