// SGD, SSGD and importance-sampled SGD: nothing is subtracted, the sampler alone makes the difference.
//
//     g = sum over the batch of weight_i x_i psi'(W'x_i)'
#include "stochastic/control.hpp"

namespace s3gd {

template <class T>
std::unique_ptr<Control<T>> make_plain_control(const ControlInput& input) {
  return std::make_unique<Control<T>>(input.problem->outputs());
}

template std::unique_ptr<Control<float>> make_plain_control(const ControlInput&);
template std::unique_ptr<Control<double>> make_plain_control(const ControlInput&);

}  // namespace s3gd
