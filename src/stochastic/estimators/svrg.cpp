// SVRG (Johnson and Zhang; with the prox step of Xiao and Zhang): h_i is the row's slope at the snapshot w~.
//
//     g = sum weight_i x_i (psi'(W'x_i) - psi'(W~'x_i))' + grad P(W~)
//
// A snapshot costs a pass over all rows; its slopes are kept (n K numbers), so that an inner step costs what SGD's does.
#include "stochastic/control.hpp"
#include "stochastic/estimators/full_gradient.hpp"

namespace s3gd {
namespace {

template <class T>
class SvrgControl final : public Control<T> {
 public:
  explicit SvrgControl(const ControlInput& input)
      : Control<T>(input.problem->outputs()), problem_(input.problem), w_(static_cast<std::size_t>(problem_->dim())) {}

  void refresh(Iterate<T>& iterate) override {
    iterate.settle();
    iterate.read(w_);
    snapshot_.evaluate(problem_, w_);
    iterate.set_drift(snapshot_.gradient);
    passes_ += 1;
  }

  void control(std::span<const Index> rows, const double*, double* out) const override {
    snapshot_.slopes_of(rows, this->outputs(), out);
  }

  void state(Archive& a) override {
    a(w_, passes_);
    if (a.reading() && passes_ > 0) snapshot_.evaluate(problem_, w_);
  }

  double extra_passes() const override { return passes_; }
  double passes_per_snapshot() const override { return 1; }

 private:
  StochasticProblem problem_;
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
