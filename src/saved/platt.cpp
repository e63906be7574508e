#include "s3gd/model_use.hpp"

#include <algorithm>
#include <cmath>

#include "s3gd/error.hpp"
#include "saved/predictor.hpp"
#include "saved/score.hpp"

namespace s3gd {
namespace {

constexpr int kMostSteps = 100;  // a dozen are usual
constexpr double kShortestStep = 1e-12;
constexpr double kTinyGradient = 1e-12;  // relative to the total weight: about what rounding leaves of millions of rows

double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// In z = slope u + offset, with u the margins brought to mean 0 and deviation 1, where the curvatures in both directions
// are alike: p = sigmoid(z), and a row's term is softplus(z) - t z.
struct Line {
  double slope = 0;
  double offset = 0;
};

struct Row {
  double u, target, weight;
};

double value_at(const std::vector<Row>& rows, const Line& line) {
  double sum = 0;
  for (const Row& row : rows) {
    const double z = line.slope * row.u + line.offset;
    sum += row.weight * (softplus(z) - row.target * z);
  }
  return sum;
}

struct Derivatives {
  Line gradient;
  double slope_slope = 0, slope_offset = 0, offset_offset = 0;
};

Derivatives derivatives_at(const std::vector<Row>& rows, const Line& line) {
  Derivatives sums;
  for (const Row& row : rows) {
    const double p = logistic_of(line.slope * row.u + line.offset);
    const double residual = row.weight * (p - row.target);
    const double curvature = row.weight * p * (1 - p);
    sums.gradient.slope += residual * row.u;
    sums.gradient.offset += residual;
    sums.slope_slope += curvature * row.u * row.u;
    sums.slope_offset += curvature * row.u;
    sums.offset_offset += curvature;
  }
  return sums;
}

// The Newton step downhill; a little is added to the diagonal in case all curvature has vanished.
Line newton_step(const Derivatives& at, double total) {
  const double ridge = 1e-14 * total;
  const double ss = at.slope_slope + ridge, oo = at.offset_offset + ridge, so = at.slope_offset;
  const double determinant = ss * oo - so * so;
  return {-(oo * at.gradient.slope - so * at.gradient.offset) / determinant,
          -(ss * at.gradient.offset - so * at.gradient.slope) / determinant};
}

// Halves the step until the value falls as it should. Close to the minimum it falls by less than its own rounding,
// which is forgiven: there the full step is right.
Line minimise(const std::vector<Row>& rows, double total, Line line) {
  double value = value_at(rows, line);
  for (int step = 0; step < kMostSteps; ++step) {
    const Derivatives at = derivatives_at(rows, line);
    if (std::hypot(at.gradient.slope, at.gradient.offset) <= kTinyGradient * total) break;
    const Line full = newton_step(at, total);
    const double descent = at.gradient.slope * full.slope + at.gradient.offset * full.offset;
    const double rounding = 1e-14 * value;
    Line next;
    double there = 0, length = 2;
    do {
      length /= 2;
      next = {line.slope + length * full.slope, line.offset + length * full.offset};
      there = value_at(rows, next);
    } while (there > value + 1e-4 * length * descent + rounding && length > kShortestStep);
    if (there > value + rounding) break;
    line = next;
    value = there;
  }
  return line;
}

// Weighted mean of a field of the rows.
template <class Of>
double mean(const std::vector<Row>& rows, double total, Of of) {
  double sum = 0;
  for (const Row& row : rows) sum += row.weight * of(row);
  return sum / total;
}

// The smoothed targets; weights are brought to mean 1, so that n+ and n- count rows.
std::vector<Row> rows_of(std::span<const double> margins, std::span<const char> in_class,
                         std::span<const double> weights) {
  double total = 0, positives = 0;
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  for (std::size_t i = 0; i < margins.size(); ++i) {
    total += weight(i);
    if (in_class[i] != 0) positives += weight(i);
  }
  if (!(total > 0)) throw Error("there are no rows to fit probabilities on", "hold out more of them");
  const auto count = static_cast<double>(margins.size());
  const double in = count * positives / total, out = count - in;
  std::vector<Row> rows;
  rows.reserve(margins.size());
  for (std::size_t i = 0; i < margins.size(); ++i)
    rows.push_back({margins[i], in_class[i] != 0 ? (in + 1) / (in + 2) : 1 / (out + 2), count * weight(i) / total});
  return rows;
}

}  // namespace

PlattSigmoid fit_platt(std::span<const double> margins, std::span<const char> in_class,
                       std::span<const double> weights) {
  if (margins.size() != in_class.size() || (!weights.empty() && weights.size() != margins.size()))
    throw Error("margins, classes and weights differ in number");
  std::vector<Row> rows = rows_of(margins, in_class, weights);
  const auto total = static_cast<double>(rows.size());
  const double centre = mean(rows, total, [](const Row& row) { return row.u; });
  const double spread =
      std::sqrt(mean(rows, total, [&](const Row& row) { return (row.u - centre) * (row.u - centre); }));
  const double share = mean(rows, total, [](const Row& row) { return row.target; });
  const Line constant{0, std::log(share / (1 - share))};
  if (!(spread > 1e-14 * std::abs(centre)))
    return {0, -constant.offset};  // one margin for all: nothing to tell rows apart

  for (Row& row : rows) row.u = (row.u - centre) / spread;
  const Line line = minimise(rows, total, constant);
  return {-line.slope / spread, line.slope * centre / spread - line.offset};
}

void calibrate(Model& model, const Dataset& held_out, int threads) {
  if (!model.classifies())
    throw Error("a model that predicts numbers has no probabilities to fit", "train it on classes");
  const std::vector<double> margins = predict_margins(model, held_out, threads);
  const auto outputs = static_cast<std::size_t>(model.outputs());
  ClassFinder finder(model);
  finder.start(held_out.y);
  std::vector<Index> classes, rows;  // of the rows whose class is known
  std::vector<double> weights;
  for (Index i = 0; i < held_out.rows(); ++i) {
    const Index place = finder.find(held_out.y, held_out.y.values[i]);
    if (place < 0) continue;
    rows.push_back(i);
    classes.push_back(place);
    if (!held_out.weights.empty()) weights.push_back(held_out.weights[i]);
  }

  std::vector<double> platt, own_margins(rows.size());
  std::vector<char> in_class(rows.size());
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto own_class = static_cast<Index>(outputs == 1 ? 1 : k);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      own_margins[i] = margins[static_cast<std::size_t>(rows[i]) * outputs + k];
      in_class[i] = classes[i] == own_class ? 1 : 0;
    }
    const PlattSigmoid sigmoid = fit_platt(own_margins, in_class, weights);
    platt.insert(platt.end(), {sigmoid.a, sigmoid.b});
  }
  model.platt = std::move(platt);
  model.link = Link::platt;
}

}  // namespace s3gd
