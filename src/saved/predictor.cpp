#include "saved/predictor.hpp"

#include <algorithm>
#include <cmath>

#include "base/threads.hpp"
#include "data/columns.hpp"
#include "data/row_access.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 1024;

}  // namespace

Predictor::Predictor(const Model& model, const Dataset& like)
    : outputs_(model.outputs()),
      known_(model.features()),
      unit_rows_(model.unit_rows),
      intercepts_(model.intercepts),
      weights_(model.weights) {
  const std::vector<Index> places = column_places(like, model.feature_names, known_);
  if (outputs_ == 1 && places.empty()) return;
  arranged_.resize(model.weights.size());
  for (Index k = 0; k < outputs_; ++k) {
    const auto own = model.weights_of(k);
    for (std::size_t j = 0; j < own.size(); ++j)
      arranged_[j * static_cast<std::size_t>(outputs_) + static_cast<std::size_t>(k)] =
          own[places.empty() ? j : static_cast<std::size_t>(places[j])];
  }
  weights_ = arranged_;
}

void Predictor::margins(const Matrix& x, Index begin, Index end, double* out) const {
  x.visit([&](const auto& view) {
    for (Index i = begin; i < end; ++i, out += outputs_) {
      const RowLength length = unit_rows_ ? row_length(view, i) : RowLength{};
      const auto scaled = [&](double value) { return unit_rows_ ? length.unit(value) : value; };
      if (outputs_ == 1) {
        double sum = 0;
        for_each_nonzero(view, i, [&](Index j, double value) {
          if (j < known_) sum += scaled(value) * weights_[static_cast<std::size_t>(j)];
        });
        out[0] = sum + intercepts_[0];
        continue;
      }
      std::fill(out, out + outputs_, 0.0);
      for_each_nonzero(view, i, [&](Index j, double value) {
        if (j >= known_) return;
        const double entry = scaled(value);
        const double* const w = weights_.data() + j * outputs_;
        for (Index k = 0; k < outputs_; ++k) out[k] += entry * w[k];
      });
      for (Index k = 0; k < outputs_; ++k) out[k] += intercepts_[static_cast<std::size_t>(k)];
    }
  });
}

void require_finite(std::span<const double> margins, Index outputs, Index first_row, const std::string& source) {
  const auto bad = std::find_if(margins.begin(), margins.end(), [](double margin) { return !std::isfinite(margin); });
  if (bad == margins.end()) return;
  const Index row = first_row + (bad - margins.begin()) / outputs;
  throw Error("the prediction of row " + std::to_string(row) + " of " + source + " is not a finite number",
              "its values are too large for the weights: scale the data as for training");
}

std::vector<double> predict_margins(const Model& model, const Dataset& data, int threads) {
  data.verify(threads);
  const Predictor predictor(model, data);
  const Index outputs = predictor.outputs();
  std::vector<double> margins(static_cast<std::size_t>(data.rows() * outputs));
  parallel_ranges(data.rows(), kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    predictor.margins(data.x, begin, end, margins.data() + begin * outputs);
  });
  require_finite(margins, outputs, 0, data.source);
  return margins;
}

}  // namespace s3gd
