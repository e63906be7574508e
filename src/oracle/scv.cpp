// SCV (Wang, Chen, Smola and Xing): the control is the slope linearised around each class's mean row.
//
//     h_i = psi'(t_c) + psi''(t_c) (w.x_i - t_c),     t_c = w.xbar_c
//     drift = sum_c pi_c [ (psi'(t_c) - psi''(t_c) t_c) xbar_c + psi''(t_c) S_c w ]
//
// with class mass pi_c, mean xbar_c and second moment S_c. The drift follows w, so it is made anew for every step:
// O(d^2) time and memory, as in its paper. Where S_c would not fit, S_c w is applied row by row: O(non-zeros).
#include <array>
#include <numeric>

#include "kernel/kernel.hpp"
#include "model/full_pass.hpp"
#include "model/hessian.hpp"
#include "oracle/control.hpp"

namespace s3gd {
namespace {

constexpr Index kLargestMomentDim = 4096;  // two classes: 2 x 4096^2 doubles = 268 MB

struct ClassMoments {
  double mass = 0;
  std::vector<double> mean;                         // dim
  std::vector<double> second;                       // dim x dim, symmetric; empty when it would not fit
  double value = 0, slope_term = 0, curvature = 0;  // at the current w: t_c, psi'(t_c) and psi''(t_c)
};

// sum_i share_i x_i x_i', both triangles.
std::vector<double> second_moment(const Problem& problem, std::span<const double> share) {
  std::vector<Index> every(static_cast<std::size_t>(problem.dim()));
  std::iota(every.begin(), every.end(), Index{0});
  std::vector<double> moment = hessian(problem, share, every);
  const std::size_t dim = every.size();
  for (std::size_t a = 0; a < dim; ++a)
    for (std::size_t b = 0; b < a; ++b) moment[b * dim + a] = moment[a * dim + b];
  return moment;
}

template <class T>
class ScvControl final : public Control<T> {
 public:
  explicit ScvControl(const ControlInput& input)
      : problem_(input.problem),
        loss_(input.problem.spec().loss),
        w_(static_cast<std::size_t>(problem_.dim())),
        drift_(w_.size()) {
    for (int c = 0; c < 2; ++c) build_moments(c);
  }

  void refresh(Iterate<T>& iterate) override {
    iterate.settle();
    const std::vector<double> before = w_;
    iterate.read(w_);
    if (ready_ && w_ == before) return;  // asked again at the same point
    ready_ = true;
    std::fill(drift_.begin(), drift_.end(), 0.0);
    for (int c = 0; c < 2; ++c) linearise(c);
    if (problem_.dim() > kLargestMomentDim) add_second_moment_by_rows();
    iterate.set_drift(drift_);
  }

  void control(std::span<const Index> rows, const double* margins, double* out) const override {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const ClassMoments& c = classes_[class_of(rows[b])];
      out[b] = c.slope_term + c.curvature * (margins[b] - c.value);
    }
  }

  void state(Archive& a) override {
    a(ready_, w_, drift_, passes_);
    for (ClassMoments& c : classes_) a(c.value, c.slope_term, c.curvature);
  }

  double extra_passes() const override { return passes_; }
  double passes_per_snapshot() const override { return problem_.dim() > kLargestMomentDim ? 1 : 0; }

 private:
  // Regression has one class of all rows; its targets' mean stands in for the label.
  std::size_t class_of(Index row) const {
    return loss_.classifies() && problem_.targets()[static_cast<std::size_t>(row)] < 0 ? 1 : 0;
  }
  double label_of(int c) const { return loss_.classifies() ? (c == 0 ? 1.0 : -1.0) : mean_target_; }

  void build_moments(int index);
  void linearise(int index);
  void add_second_moment_by_rows();

  Problem problem_;
  Loss loss_;
  std::array<ClassMoments, 2> classes_;
  double mean_target_ = 0;
  bool ready_ = false;
  std::vector<double> w_, drift_;
  double passes_ = 0;
};

template <class T>
void ScvControl<T>::build_moments(int index) {
  ClassMoments& moments = classes_[static_cast<std::size_t>(index)];
  const auto targets = problem_.targets();
  std::vector<double> share(targets.size(), 0.0);
  for (std::size_t i = 0; i < share.size(); ++i) {
    const auto row = static_cast<Index>(i);
    if (class_of(row) != static_cast<std::size_t>(index)) continue;
    share[i] = problem_.weight(row);
    moments.mass += share[i];
    if (index == 0) mean_target_ += share[i] * targets[i] / problem_.total_weight();
  }
  if (moments.mass == 0) return;
  for (double& weight : share) weight /= moments.mass;
  moments.mean.resize(w_.size());
  transpose_times(problem_, share, moments.mean);
  if (problem_.dim() <= kLargestMomentDim) moments.second = second_moment(problem_, share);
}

template <class T>
void ScvControl<T>::linearise(int index) {
  ClassMoments& c = classes_[static_cast<std::size_t>(index)];
  if (c.mass == 0) return;
  const auto dim = static_cast<Index>(w_.size());
  c.value = kernel::dot(c.mean.data(), w_.data(), dim);
  c.slope_term = loss_.slope(c.value, label_of(index));
  c.curvature = loss_.curvature(c.value, label_of(index));
  kernel::axpy(c.mass * (c.slope_term - c.curvature * c.value), c.mean.data(), drift_.data(), dim);
  if (c.second.empty()) return;
  for (Index j = 0; j < dim; ++j)
    drift_[static_cast<std::size_t>(j)] +=
        c.mass * c.curvature * kernel::dot(c.second.data() + j * dim, w_.data(), dim);
}

template <class T>
void ScvControl<T>::add_second_moment_by_rows() {
  std::vector<double> curvature(static_cast<std::size_t>(problem_.rows())), sum(w_.size());
  for (std::size_t i = 0; i < curvature.size(); ++i) {
    const auto row = static_cast<Index>(i);
    curvature[i] = problem_.weight(row) * classes_[class_of(row)].curvature;
  }
  hessian_times(problem_, curvature, w_, sum);
  kernel::axpy(1.0, sum.data(), drift_.data(), static_cast<Index>(sum.size()));
  passes_ += 1;
}

}  // namespace

template <class T>
std::unique_ptr<Control<T>> make_scv_control(const ControlInput& input) {
  return std::make_unique<ScvControl<T>>(input);
}

template std::unique_ptr<Control<float>> make_scv_control(const ControlInput&);
template std::unique_ptr<Control<double>> make_scv_control(const ControlInput&);

}  // namespace s3gd
