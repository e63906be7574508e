// GD (proximal gradient): the whole gradient as drift, no rows drawn. One pass a step.
//
// Accelerated (Beck and Teboulle, with O'Donoghue and Candes' restart): the gradient is taken at an extrapolated point,
//     y = w_k + (t_{k-1} - 1)/t_k (w_k - w_{k-1}),
// and the momentum starts again whenever it points uphill.
#include <cmath>

#include "stochastic/estimators/full_gradient.hpp"

namespace s3gd {
namespace {

template <class T>
class GdControl final : public SnapshotControl<T> {
  using SnapshotControl<T>::w_;  // the point the gradient is taken at

 public:
  explicit GdControl(const ControlInput& input) : SnapshotControl<T>(input), accelerated_(input.accelerated) {}

  void after_step(const Batch&, Iterate<T>& iterate) override {
    if (!accelerated_) return;
    std::vector<double> w(w_.size());
    iterate.read(w);
    if (last_.empty()) last_ = w_;
    double uphill = 0;
    for (std::size_t j = 0; j < w.size(); ++j) uphill += (w_[j] - w[j]) * (w[j] - last_[j]);
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
    a(w_, last_, momentum_, this->passes_);
    if (a.reading()) this->make_again();
  }

  bool draws_rows() const override { return false; }

 private:
  bool accelerated_;
  std::vector<double> last_;
  double momentum_ = 1;
};

}  // namespace

const ControlMaker kGdControl = maker<GdControl>();

}  // namespace s3gd
