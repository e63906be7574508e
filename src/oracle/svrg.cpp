// SVRG (Johnson and Zhang; with the prox step of Xiao and Zhang): h_i is the row's slope at the snapshot w~.
//
//     g = sum weight_i (psi'(w.x_i) - psi'(w~.x_i)) x_i + grad P(w~)
//
// A snapshot costs a pass over all rows; its slopes are kept (n numbers), so that an inner step costs what SGD's does.
#include "oracle/control.hpp"
#include "oracle/full_gradient.hpp"

namespace s3gd {
namespace {

template <class T>
class SvrgControl final : public Control<T> {
 public:
  explicit SvrgControl(const ControlInput& input)
      : problem_(input.problem), w_(static_cast<std::size_t>(input.problem.dim())) {}

  void refresh(Iterate<T>& iterate) override {
    iterate.settle();
    iterate.read(w_);
    snapshot_.evaluate(problem_, w_);
    iterate.set_drift(snapshot_.gradient);
    passes_ += 1;
  }

  void control(std::span<const Index> rows, const double*, double* out) const override {
    for (std::size_t b = 0; b < rows.size(); ++b) out[b] = snapshot_.slopes[static_cast<std::size_t>(rows[b])];
  }

  void state(Archive& a) override {
    a(w_, passes_);
    if (a.reading() && passes_ > 0) snapshot_.evaluate(problem_, w_);
  }

  double extra_passes() const override { return passes_; }
  double passes_per_snapshot() const override { return 1; }

 private:
  Problem problem_;
  std::vector<double> w_;
  FullGradient snapshot_;
  double passes_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<Control<T>> make_svrg_control(const ControlInput& input) {
  return std::make_unique<SvrgControl<T>>(input);
}

template std::unique_ptr<Control<float>> make_svrg_control(const ControlInput&);
template std::unique_ptr<Control<double>> make_svrg_control(const ControlInput&);

}  // namespace s3gd
