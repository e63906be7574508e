#include "ovr/curvature.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "anchor/rows.hpp"
#include "base/threads.hpp"
#include "finish/curvature_sample.hpp"
#include "kernel/kernel.hpp"
#include "softmax/sandwich.hpp"

namespace s3gd {
namespace {

constexpr int kMostProducts = 60;
constexpr Index kVectorsAtOnce = 4;  // that the factor is solved for in one thread
constexpr double kAccuracy = 0.1;    // of the residual at the start, in the norm of the preconditioner

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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

// One of the systems that are solved side by side.
struct System {
  std::vector<double> x, r, direction;
  double rz = 0, enough = 0;
  bool running = true;
};

}  // namespace

ClassHessians::ClassHessians(const Problem& like, std::vector<double> ridge, std::function<bool()> stop)
    : like_(like), ridge_(std::move(ridge)), stop_(std::move(stop)) {}

void ClassHessians::precondition(std::span<const ClassCurvature> classes, std::span<const Index> rows, Index sample,
                                 Rng& rng) {
  std::vector<double> sizes(classes[0].of_rows.size(), 0.0);
  for (const ClassCurvature& one : classes)
    kernel::axpy(one.scale / static_cast<double>(classes.size()), one.of_rows.data(), sizes.data(),
                 static_cast<Index>(sizes.size()));
  RowSample drawn = sample_by_size(sizes, sample, rng);
  for (Index& row : drawn.rows)
    if (!rows.empty()) row = rows[at(row)];
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
  const Sandwich sandwich{sample_, static_cast<Index>(count), like_.has_intercept(), like_.spec().threads};
  sandwich.times(turned, image, [&](Index row, auto* u) {
    using T = std::decay_t<decltype(*u)>;
    const float* coefficients = coefficients_.data() + at(row) * classes_;
    for (std::size_t c = 0; c < count; ++c) u[c] *= static_cast<T>(coefficients[classes[c]]);
  });
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t j = 0; j < features; ++j)
      out[c * features + j] = image[j * count + c] + ridge_[j] * v[c * features + j];
}

std::vector<Index> ClassHessians::solve(std::span<std::vector<double>> v) const {
  const auto n = static_cast<Index>(ridge_.size());
  std::vector<System> systems(v.size());
  std::vector<Index> made(v.size(), 0);
  std::vector<std::size_t> running(v.size());
  std::iota(running.begin(), running.end(), std::size_t{0});
  std::vector<double> all, images;
  const auto preconditioned = [&] {  // of the residuals of those that run, into `all`
    all.clear();
    for (const std::size_t k : running) all.insert(all.end(), systems[k].r.begin(), systems[k].r.end());
    parallel_ranges(static_cast<Index>(running.size()), kVectorsAtOnce, like_.spec().threads,
                    [&](Index begin, Index end, Index) {
                      factor_.solve(std::span<double>(all).subspan(at(begin * n), at((end - begin) * n)));
                    });
  };
  for (std::size_t k = 0; k < v.size(); ++k) {
    systems[k].r = v[k];
    systems[k].x.assign(v[k].size(), 0.0);
  }
  preconditioned();
  for (std::size_t k = 0; k < v.size(); ++k) {
    System& one = systems[k];
    one.direction.assign(all.begin() + static_cast<Index>(k) * n, all.begin() + static_cast<Index>(k + 1) * n);
    one.rz = kernel::dot(one.r.data(), one.direction.data(), n);
    one.enough = kAccuracy * kAccuracy * one.rz;
  }
  std::erase_if(running, [&](std::size_t k) { return !(systems[k].rz > 0); });
  for (int step = 0; step < kMostProducts && !running.empty() && !(stop_ && stop_()); ++step) {
    all.clear();
    for (const std::size_t k : running) all.insert(all.end(), systems[k].direction.begin(), systems[k].direction.end());
    images.resize(all.size());
    times(running, all, images);
    for (std::size_t c = 0; c < running.size(); ++c) {
      System& one = systems[running[c]];
      const double* image = images.data() + static_cast<Index>(c) * n;
      const double bent = kernel::dot(one.direction.data(), image, n);
      one.running = bent > 0;
      ++made[running[c]];
      if (!one.running) continue;
      const double length = one.rz / bent;
      kernel::axpy(length, one.direction.data(), one.x.data(), n);
      kernel::axpy(-length, image, one.r.data(), n);
    }
    preconditioned();
    for (std::size_t c = 0; c < running.size(); ++c) {
      System& one = systems[running[c]];
      const double* z = all.data() + static_cast<Index>(c) * n;
      const double next = kernel::dot(one.r.data(), z, n), carry = next / one.rz;
      for (std::size_t j = 0; j < one.direction.size(); ++j) one.direction[j] = z[j] + carry * one.direction[j];
      one.rz = next;
      one.running = one.running && next > one.enough;
    }
    std::erase_if(running, [&](std::size_t k) { return !systems[k].running; });
  }
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = std::move(systems[k].x);
  return made;
}

}  // namespace s3gd
