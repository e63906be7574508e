// Columns of a matrix one after another: what coordinate descent walks along.
#pragma once

#include <memory>
#include <vector>

#include "s3gd/matrix.hpp"

namespace s3gd {

// Entries keep the data's precision, sums are double.
class ColumnStore {
 public:
  virtual ~ColumnStore() = default;
  virtual double dot(Index k, const double* v) const = 0;                          // x_k . v
  virtual double square(Index k, const double* h) const = 0;                       // sum_i h_i x_ik^2
  virtual void add(Index k, double factor, const double* h, double* v) const = 0;  // v_i += factor h_i x_ik
};

// The chosen columns (ascending); x.cols() stands for a column of ones.
std::unique_ptr<ColumnStore> make_column_store(const Matrix& x, const std::vector<Index>& chosen, int threads);

}  // namespace s3gd
