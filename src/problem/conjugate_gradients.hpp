// Conjugate gradients on one or several systems H_k x_k = v_k of one size side by side, so that what they share (rows, a
// factor) is read once for all of them. Those that are accurate enough drop out.
#pragma once

#include <cstddef>
#include <functional>

#include "s3gd/matrix.hpp"

namespace s3gd {

struct LinearSystems {
  // H_k v_k for the systems listed, vectors one after the other.
  std::function<void(std::span<const std::size_t> systems, std::span<const double> v, std::span<double> out)> times;
  // v <- about H^-1 v for vectors one after the other, whichever systems they are of.
  std::function<void(std::span<double> v)> precondition;
  double accuracy = 0.1;  // of the residual at the start, in the norm of the preconditioner
  int most_products = 60;
  std::function<bool()> stop = {};  // asked before each product; where it says yes, what there is by then is the answer
};

// v_k <- about H_k^-1 v_k. Returns the products made, for each.
std::vector<Index> conjugate_gradients(const LinearSystems& systems, std::span<std::vector<double>> v);

}  // namespace s3gd
