// From margins to classes and probabilities.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/mention.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"

namespace s3gd {
namespace {

double sigmoid(double t) { return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); }
double log_sigmoid(double t) { return std::min(0.0, t) - std::log1p(std::exp(-std::abs(t))); }

// What the sigmoid is taken of.
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
    out[0] = sigmoid(-t);
    out[1] = sigmoid(t);
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

}  // namespace s3gd
