// GD (proximal gradient): the whole gradient as drift, no rows drawn. One pass a step.
//
// Accelerated (Beck and Teboulle, with O'Donoghue and Candes' restart): the gradient is taken at an extrapolated point,
//     y = w_k + (t_{k-1} - 1)/t_k (w_k - w_{k-1}),
// and the momentum starts again whenever it points uphill.
#include <cmath>

#include "stochastic/control.hpp"
#include "stochastic/estimators/full_gradient.hpp"

namespace s3gd {
namespace {

template <class T>
class GdControl final : public Control<T> {
 public:
  explicit GdControl(const ControlInput& input)
      : Control<T>(input.problem->outputs()),
        problem_(input.problem),
        accelerated_(input.accelerated),
        point_(static_cast<std::size_t>(problem_->dim())) {}

  void refresh(Iterate<T>& iterate) override {
    iterate.settle();
    iterate.read(point_);
    full_.evaluate(problem_, point_);
    iterate.set_drift(full_.gradient);
    passes_ += 1;
  }

  void control(std::span<const Index> rows, const double*, double* out) const override {
    full_.slopes_of(rows, this->outputs(), out);
  }

  void after_step(const Batch&, Iterate<T>& iterate) override {
    if (!accelerated_) return;
    std::vector<double> w(point_.size());
    iterate.read(w);
    if (last_.empty()) last_ = point_;
    double uphill = 0;
    for (std::size_t j = 0; j < w.size(); ++j) uphill += (point_[j] - w[j]) * (w[j] - last_[j]);
    if (uphill > 0) momentum_ = 1;
    const double next = 0.5 * (1 + std::sqrt(1 + 4 * momentum_ * momentum_));
    const double weight = (momentum_ - 1) / next;
    momentum_ = next;
    std::vector<double> extrapolated(w.size());
    for (std::size_t j = 0; j < w.size(); ++j) extrapolated[j] = w[j] + weight * (w[j] - last_[j]);
    iterate.assign(extrapolated);
    last_ = std::move(w);
  }

  void report(Iterate<T>& iterate, std::span<double> w) const override {
    if (last_.empty())
      iterate.read(w);
    else
      std::copy(last_.begin(), last_.end(), w.begin());
  }

  void state(Archive& a) override {
    a(point_, last_, momentum_, passes_);
    if (a.reading() && passes_ > 0) full_.evaluate(problem_, point_);
  }

  double extra_passes() const override { return passes_; }
  double passes_per_snapshot() const override { return 1; }
  bool draws_rows() const override { return false; }

 private:
  StochasticProblem problem_;
  bool accelerated_;
  std::vector<double> point_, last_;
  FullGradient full_;
  double momentum_ = 1;
  double passes_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<Control<T>> make_gd_control(const ControlInput& input) {
  return std::make_unique<GdControl<T>>(input);
}

template std::unique_ptr<Control<float>> make_gd_control(const ControlInput&);
template std::unique_ptr<Control<double>> make_gd_control(const ControlInput&);

}  // namespace s3gd
