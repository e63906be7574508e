#include "finish/row_terms.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "kernel/softplus.hpp"
#include "model/loss.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 4096;
constexpr Index kTile = 256;

// Losses of the form softplus(b (m - y u)) / b: logistic has b = 1, m = 0, the smooth hinge b = beta, m = 1.
double add_softplus(const Problem& problem, std::span<const double> u, Index begin, Index end, RowTerms& terms,
                    double steepness, double margin) {
  const double* y = problem.targets().data();
  const double* weights = problem.weights().empty() ? nullptr : problem.weights().data();
  const double equal = 1.0 / static_cast<double>(problem.rows());
  double t[kTile], value[kTile], slope[kTile], curvature[kTile];
  double sum = 0;
  for (Index first = begin; first < end; first += kTile) {
    const Index count = std::min(kTile, end - first);
    for (Index r = 0; r < count; ++r)
      t[r] = steepness * (margin - y[first + r] * u[static_cast<std::size_t>(first + r)]);
    kernel::softplus(t, count, value, slope, curvature);
    for (Index r = 0; r < count; ++r) {
      const double q = weights == nullptr ? equal : weights[first + r];
      const auto i = static_cast<std::size_t>(first + r);
      sum += q * value[r];
      terms.slopes[i] = -q * y[i] * slope[r];
      terms.curvatures[i] = q * steepness * curvature[r];
    }
  }
  return sum / steepness;
}

double add_any(const Problem& problem, std::span<const double> u, Index begin, Index end, RowTerms& terms) {
  const Loss loss(problem.spec().loss);
  const auto y = problem.targets();
  const double* weights = problem.weights().empty() ? nullptr : problem.weights().data();
  const double equal = 1.0 / static_cast<double>(problem.rows());
  double sum = 0;
  for (Index k = begin; k < end; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double q = weights == nullptr ? equal : weights[k];
    sum += q * loss.value(u[i], y[i]);
    terms.slopes[i] = q * loss.slope(u[i], y[i]);
    terms.curvatures[i] = q * loss.curvature(u[i], y[i]);
  }
  return sum;
}

}  // namespace

void evaluate_rows(const Problem& problem, std::span<const double> margins, RowTerms& terms) {
  const LossSpec& loss = problem.spec().loss;
  terms.slopes.resize(margins.size());
  terms.curvatures.resize(margins.size());
  const Index rows = problem.rows();
  std::vector<double> parts(static_cast<std::size_t>((rows + kRowsPerChunk - 1) / kRowsPerChunk));
  parallel_ranges(rows, kRowsPerChunk, problem.spec().threads, [&](Index begin, Index end, Index chunk) {
    double& part = parts[static_cast<std::size_t>(chunk)];
    if (loss.kind == LossKind::logistic)
      part = add_softplus(problem, margins, begin, end, terms, 1, 0);
    else if (loss.kind == LossKind::smooth_hinge)
      part = add_softplus(problem, margins, begin, end, terms, loss.beta, 1);
    else
      part = add_any(problem, margins, begin, end, terms);
  });
  terms.loss = 0;
  for (const double part : parts) terms.loss += part;
}

}  // namespace s3gd
