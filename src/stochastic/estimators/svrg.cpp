// SVRG (Johnson and Zhang; with the prox step of Xiao and Zhang): h_i is the row's slope at the snapshot w~.
//
//     g = sum weight_i x_i (psi'(W'x_i) - psi'(W~'x_i))' + grad P(W~)
//
// A snapshot costs a pass over all rows; its slopes are kept (n K numbers), so that an inner step costs what SGD's does.
#include "stochastic/estimators/full_gradient.hpp"

namespace s3gd {
namespace {

template <class T>
class SvrgControl final : public SnapshotControl<T> {
 public:
  using SnapshotControl<T>::SnapshotControl;

  void state(Archive& a) override {
    a(this->w_, this->passes_);
    if (a.reading()) this->make_again();
  }
};

}  // namespace

const ControlMaker kSvrgControl = maker<SvrgControl>();

}  // namespace s3gd
