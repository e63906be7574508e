// Columns of a matrix one after another: what coordinate descent walks along.
#pragma once

#include <memory>
#include <vector>

#include "exact/transposed.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd {

// Entries keep the data's precision, sums are double.
class ColumnStore {
 public:
  virtual ~ColumnStore() = default;
  virtual double dot(Index k, const double* v) const = 0;     // x_k . v
  virtual double square(Index k, const double* h) const = 0;  // sum_i h_i x_ik^2
  // v_i += factor h_i x_ik; all h_i are 1 without them
  virtual void add(Index k, double factor, const double* h, double* v) const = 0;
};

// The chosen columns (ascending); x.cols() stands for a column of ones. Those of `all` are used where they lie.
std::unique_ptr<ColumnStore> make_column_store(const Matrix& x, const std::vector<Index>& chosen, int threads);
std::unique_ptr<ColumnStore> make_column_store(const Transposed& all, const std::vector<Index>& chosen);

}  // namespace s3gd
