// From rows to margins, and from these to classes and probabilities.
#include "saved/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mention.hpp"
#include "base/threads.hpp"
#include "data/columns.hpp"
#include "data/row_access.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 1024;

double log_sigmoid(double t) { return std::min(0.0, t) - std::log1p(std::exp(-std::abs(t))); }

// What the logistic_of is taken of.
double score(const Model& model, std::span<const double> margins, std::size_t output) {
  if (model.link != Link::platt) return margins[output];
  return -(model.platt[2 * output] * margins[output] + model.platt[2 * output + 1]);
}

// Several outputs: a number for each whose exponentials are in the ratio of the probabilities.
double log_share(const Model& model, std::span<const double> margins, std::size_t output) {
  return model.link == Link::softmax ? margins[output] : log_sigmoid(score(model, margins, output));
}

}  // namespace

bool has_probabilities(const Model& model) { return model.classifies() && model.link != Link::identity; }

void require_probabilities(const Model& model) {
  if (!has_probabilities(model))
    throw Error("this model has no probabilities", "use " + opt("margin") + ", or train with " +
                                                       opt("loss", "logistic") + ", or with " +
                                                       opt("calibrate", "0.2") + " for any loss");
}

// The largest double at the most: what is predicted stays a number.
double predicted_number(const Model& model, double margin) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return model.link == Link::log ? std::min(std::exp(margin), kMost) : margin;
}

Index predicted_class(const Model& model, std::span<const double> margins) {
  if (model.outputs() == 1) return margins[0] > 0 ? 1 : 0;
  return std::max_element(margins.begin(), margins.end()) - margins.begin();
}

void probabilities(const Model& model, std::span<const double> margins, std::span<double> out) {
  require_probabilities(model);
  if (model.outputs() == 1) {
    const double t = score(model, margins, 0);
    out[0] = logistic_of(-t);
    out[1] = logistic_of(t);
    return;
  }
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = log_share(model, margins, k);
  const double largest = *std::max_element(out.begin(), out.end());
  double sum = 0;
  for (double& share : out) sum += share = std::exp(share - largest);
  for (double& share : out) share /= sum;
}

double log_probability(const Model& model, std::span<const double> margins, Index of_class) {
  require_probabilities(model);
  if (model.outputs() == 1) {
    const double t = score(model, margins, 0);
    return log_sigmoid(of_class == 1 ? t : -t);
  }
  const double own = log_share(model, margins, static_cast<std::size_t>(of_class));
  double largest = own, sum = 0;
  for (std::size_t k = 0; k < margins.size(); ++k) largest = std::max(largest, log_share(model, margins, k));
  for (std::size_t k = 0; k < margins.size(); ++k) sum += std::exp(log_share(model, margins, k) - largest);
  return own - largest - std::log(sum);
}

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
