// SCV (Wang, Chen, Smola and Xing): the control is the slope linearised around each class's mean row.
//
//     h_i = psi'(t_c) + psi''(t_c) (W'x_i - t_c),     t_c = W'xbar_c
//     drift = sum_c pi_c [ xbar_c (psi'(t_c) - psi''(t_c) t_c)' + S_c W psi''(t_c) ]
//
// both times a share that past batches found best (estimators/regression.hpp; 1 in the paper's setting),
// with class mass pi_c, mean xbar_c and second moment S_c; slopes are K numbers, second derivatives K x K. The drift follows W,
// so it is made anew for every step: O(d^2) time and memory for each class, as in its paper. Where the S_c would not fit, S_c W
// is applied row by row: O(non-zeros).
#include "kernel/kernel.hpp"
#include "stochastic/control.hpp"
#include "stochastic/estimators/regression.hpp"

namespace s3gd {
namespace {

constexpr double kMostShare = 2;                 // far from the class means slopes may change faster than at them
constexpr Index kStepsPerShare = 20;             // the share stays for so many steps: their batches tell the next
constexpr Index kMostMoments = 2 * 4096 * 4096;  // numbers: 268 MB

struct ClassMoments {
  double mass = 0;
  std::vector<double> mean;    // features
  std::vector<double> second;  // features x features, symmetric; empty when it would not fit
  // At the current W: t_c, psi'(t_c) (K each) and psi''(t_c) (K x K).
  std::vector<double> value, slope, curvature;
};

template <class T>
class ScvControl final : public Control<T> {
 public:
  explicit ScvControl(const ControlInput& input)
      : Control<T>(input),
        by_moments_(std::max<Index>(2, problem_->classes()) * problem_->features() * problem_->features() <=
                    kMostMoments),
        regression_(input.mode == ControlMode::adaptive, 1, kMostShare),
        squares_(input.problem),
        classes_(at(problem_->classes())),
        w_(at(problem_->dim())),
        drift_(w_.size()) {
    for (std::size_t c = 0; c < classes_.size(); ++c) build_moments(c);
  }

  void refresh(Iterate<T>& iterate) override {
    iterate.settle();
    const std::vector<double> before = w_;
    iterate.read(w_);
    if (ready_ && w_ == before) return;  // asked again at the same point
    ready_ = true;
    turn(w_, problem_->features(), turned_w_);
    turned_drift_.assign(w_.size(), 0.0);
    for (std::size_t c = 0; c < classes_.size(); ++c) linearise(c);
    turn(turned_drift_, this->outputs(), drift_);
    if (!by_moments_) add_second_moment_by_rows();
    if (++snapshots_ % kStepsPerShare == 0) regression_.settle();
    for (double& value : drift_) value *= regression_[0];
    iterate.set_drift(drift_);
  }

  void control(std::span<const Index> rows, const double* margins, double* out) const override {
    linearised(rows, margins, out);
    for (std::size_t place = 0; place < rows.size() * at(this->outputs()); ++place) out[place] *= regression_[0];
  }

  void coefficients(const Batch& batch, const double* margins, double* slopes) override {
    const auto k = at(this->outputs());
    controls_.resize(batch.rows.size() * k);
    linearised(batch.rows, margins, controls_.data());
    if (regression_.learns() && batches_++ % kBatchesPerLesson == 0) {
      squares_.find(batch.rows);
      for (std::size_t place = 0; place < controls_.size(); ++place) {
        const double weight = batch.weights[place / k];
        regression_.add(weight * weight * squares_.of(batch.rows[place / k]), slopes[place], {controls_[place]});
      }
    }
    for (std::size_t place = 0; place < controls_.size(); ++place)
      slopes[place] = batch.weights[place / k] * (slopes[place] - regression_[0] * controls_[place]);
  }

  void state(Archive& a) override {
    a(ready_, w_, drift_, passes_, regression_, snapshots_, batches_);
    for (ClassMoments& c : classes_) a(c.value, c.slope, c.curvature);
  }

  double extra_passes() const override { return passes_; }
  double passes_per_snapshot() const override { return by_moments_ ? 0 : 1; }

 private:
  // h_i before its share is taken.
  void linearised(std::span<const Index> rows, const double* margins, double* out) const {
    const auto k = at(this->outputs());
    for (std::size_t b = 0; b < rows.size(); ++b, margins += k, out += k) {
      const ClassMoments& c = classes_[at(problem_->class_of(rows[b]))];
      for (std::size_t o = 0; o < k; ++o) {
        out[o] = c.slope[o];
        for (std::size_t l = 0; l < k; ++l) out[o] += c.curvature[o * k + l] * (margins[l] - c.value[l]);
      }
    }
  }

  void build_moments(std::size_t index);
  void linearise(std::size_t index);
  void add_second_moment_by_rows();

  using Control<T>::problem_;
  bool by_moments_;
  Regression regression_;
  RowSquares squares_;
  Index snapshots_ = 0, batches_ = 0;
  std::vector<ClassMoments> classes_;
  bool ready_ = false;
  std::vector<double> w_, drift_, turned_w_, turned_drift_, controls_;
  double passes_ = 0;
};

template <class T>
void ScvControl<T>::build_moments(std::size_t index) {
  ClassMoments& moments = classes_[index];
  const auto k = at(this->outputs());
  moments.value.assign(k, 0.0);
  moments.slope.assign(k, 0.0);
  moments.curvature.assign(k * k, 0.0);
  std::vector<double> share(at(problem_->rows()), 0.0);
  for (Index i = 0; i < problem_->rows(); ++i) {
    if (problem_->class_of(i) != static_cast<Index>(index)) continue;
    moments.mass += share[at(i)] = problem_->weight(i);
  }
  if (moments.mass == 0) return;
  for (double& weight : share) weight /= moments.mass;
  moments.mean.resize(at(problem_->features()));
  problem_->row_sum(share, moments.mean);
  if (by_moments_) moments.second = problem_->second_moment(share);
}

// Adds a class's part to the drift. Both W and the drift are turned round here: an output's numbers lie together.
template <class T>
void ScvControl<T>::linearise(std::size_t index) {
  ClassMoments& c = classes_[index];
  if (c.mass == 0) return;
  const Index k = this->outputs(), features = problem_->features();
  for (Index o = 0; o < k; ++o) c.value[at(o)] = kernel::dot(c.mean.data(), turned_w_.data() + o * features, features);
  problem_->derivatives(static_cast<Index>(index), c.value.data(), c.slope.data(), c.curvature.data());
  for (Index o = 0; o < k; ++o) {
    double* drift = turned_drift_.data() + o * features;
    const double* curvature = c.curvature.data() + o * k;
    double constant = c.slope[at(o)];
    for (Index l = 0; l < k; ++l) constant -= curvature[l] * c.value[at(l)];
    kernel::axpy(c.mass * constant, c.mean.data(), drift, features);
  }
  if (!by_moments_) return;
  for (Index l = 0; l < k; ++l)
    for (Index j = 0; j < features; ++j) {
      const double product = kernel::dot(c.second.data() + j * features, turned_w_.data() + l * features, features);
      for (Index o = 0; o < k; ++o)
        turned_drift_[at(o * features + j)] += c.mass * c.curvature[at(o * k + l)] * product;
    }
}

template <class T>
void ScvControl<T>::add_second_moment_by_rows() {
  const auto k = at(this->outputs());
  std::vector<double> sum(w_.size());
  const Fill fill = [&](Index first, std::span<const double> u, std::span<double> coefficients) {
    for_each_slope(u.size() / k, this->outputs(), [&](std::size_t r, std::size_t place) {
      const Index row = first + static_cast<Index>(r);
      const double* curvature = classes_[at(problem_->class_of(row))].curvature.data() + (place - r * k) * k;
      coefficients[place] = 0;
      for (std::size_t l = 0; l < k; ++l) coefficients[place] += problem_->weight(row) * curvature[l] * u[r * k + l];
    });
  };
  problem_->margins_then_sum(w_, fill, sum);
  kernel::axpy(1.0, sum.data(), drift_.data(), static_cast<Index>(sum.size()));
  passes_ += 1;
}

}  // namespace

const ControlMaker kScvControl = maker<ScvControl>();

}  // namespace s3gd
