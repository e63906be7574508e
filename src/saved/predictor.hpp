// Margins of rows that come block by block: what depends on the model and the columns alone is prepared once.
//
// A margin is a sum over the row's columns in their order, whatever the storage of the row: dense or sparse, in a block
// or with all others, it has the same bits.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "problem/names.hpp"
#include "s3gd/model.hpp"

namespace s3gd {

// 1 / (1 + exp(-t)), for any t without overflow.
inline double logistic_of(double t) { return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); }

template <>
std::span<const Name<Link>> names();

class Predictor {
 public:
  // like: has the columns of all rows to come (it may have no rows). The model must outlive this. Throws when the
  // columns do not fit: see predict_margins.
  Predictor(const Model& model, const Dataset& like);

  Index outputs() const { return outputs_; }
  // out: outputs() numbers for each of the rows begin .. end-1 of x.
  void margins(const Matrix& x, Index begin, Index end, double* out) const;

 private:
  Index outputs_;
  Index known_;  // columns that have weights
  bool unit_rows_;
  std::span<const double> intercepts_;
  std::span<const double> weights_;  // columns x outputs, column after column
  std::vector<double> arranged_;     // holds them unless the model's own are in that order
};

// Throws an Error that names the first row of which a margin is not finite; the first of them is row number first_row.
void require_finite(std::span<const double> margins, Index outputs, Index first_row, const std::string& source);

}  // namespace s3gd
