#include "exact/class_hessians.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "anchor/rows.hpp"
#include "base/index.hpp"
#include "base/threads.hpp"
#include "exact/curvature_sample.hpp"
#include "exact/output_products.hpp"
#include "kernel/kernel.hpp"
#include "problem/conjugate_gradients.hpp"

namespace s3gd {
namespace {

constexpr Index kVectorsAtOnce = 4;  // that the factor is solved for in one thread

// What each row is drawn by: its share of every class's curvature, so that no class is left out of the sample.
std::vector<double> shares_of_rows(std::span<const ClassCurvature> classes) {
  std::vector<double> shares(classes[0].of_rows.size(), 0.0);
  for (const ClassCurvature& one : classes) {
    const double total = std::accumulate(one.of_rows.begin(), one.of_rows.end(), 0.0);
    if (!(total > 0)) continue;
    for (std::size_t i = 0; i < shares.size(); ++i) shares[i] += one.of_rows[i] / total;
  }
  return shares;
}

}  // namespace

ClassHessians::ClassHessians(const Problem& like, std::vector<double> ridge) : like_(like), ridge_(std::move(ridge)) {}

void ClassHessians::precondition(std::span<const ClassCurvature> classes, std::span<const Index> rows, Index sample,
                                 Rng& rng) {
  std::vector<double> sizes(classes[0].of_rows.size(), 0.0);
  for (const ClassCurvature& one : classes)
    kernel::axpy(one.scale / static_cast<double>(classes.size()), one.of_rows.data(), sizes.data(),
                 static_cast<Index>(sizes.size()));
  const RowSample drawn = sample_by_size(sizes, rows, sample, rng);
  factor_.build(like_, drawn.rows, drawn.weights, ridge_);
}

void ClassHessians::build(std::span<const ClassCurvature> classes, std::span<const Index> rows, Index sample,
                          Rng& rng) {
  const std::vector<double> shares = shares_of_rows(classes);
  RowSample drawn = sample_by_size(shares, sample, rng);
  classes_ = classes.size();
  coefficients_.resize(drawn.rows.size() * classes_);
  for (std::size_t r = 0; r < drawn.rows.size(); ++r) {
    const std::size_t place = at(drawn.rows[r]);
    const double stands_for = drawn.weights[r] / shares[place];
    for (std::size_t k = 0; k < classes_; ++k)
      coefficients_[r * classes_ + k] = static_cast<float>(stands_for * classes[k].scale * classes[k].of_rows[place]);
    if (!rows.empty()) drawn.rows[r] = rows[place];
  }
  sample_ = gather_rows(like_.x(), drawn.rows, like_.spec().threads);
}

void ClassHessians::times(std::span<const std::size_t> classes, std::span<const double> v,
                          std::span<double> out) const {
  const std::size_t features = ridge_.size(), count = classes.size();
  std::vector<double> turned(v.size()), image(v.size());  // the classes of a feature side by side
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t j = 0; j < features; ++j) turned[j * count + c] = v[c * features + j];
  const OutputProducts products{sample_, static_cast<Index>(count), like_.has_intercept(), like_.spec().threads};
  products.times(turned, image, [&](Index row, auto* u) {
    using T = std::decay_t<decltype(*u)>;
    const float* coefficients = coefficients_.data() + at(row) * classes_;
    for (std::size_t c = 0; c < count; ++c) u[c] *= static_cast<T>(coefficients[classes[c]]);
  });
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t j = 0; j < features; ++j)
      out[c * features + j] = image[j * count + c] + ridge_[j] * v[c * features + j];
}

std::vector<Index> ClassHessians::solve(std::span<std::vector<double>> v, const std::function<bool()>& stop) const {
  const std::size_t n = ridge_.size();
  LinearSystems systems;
  systems.times = [this](auto classes, auto in, auto out) { times(classes, in, out); };
  systems.precondition = [&](std::span<double> all) {
    parallel_ranges(
        static_cast<Index>(all.size() / n), kVectorsAtOnce, like_.spec().threads,
        [&](Index begin, Index end, Index) { factor_.solve(all.subspan(at(begin) * n, at(end - begin) * n)); });
  };
  systems.stop = stop;
  return conjugate_gradients(systems, v);
}

}  // namespace s3gd
