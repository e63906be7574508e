// What needs no sum of rows: their lengths, and what they contribute at given margins.
#include "problem/full_pass.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "problem/penalty.hpp"

namespace s3gd {
namespace {

constexpr Index kChunk = 4096;  // rows

// sum_i q_i psi(u_i); slopes and curvatures as well, unless null.
double sum_losses(const Problem& problem, std::span<const double> margins, double* slopes, double* curvatures) {
  const WeighedLoss loss(problem);
  std::vector<double> parts(at((problem.rows() + kChunk - 1) / kChunk));
  parallel_ranges(problem.rows(), kChunk, problem.spec().threads, [&](Index begin, Index end, Index chunk) {
    double value[WeighedLoss::kMost], sum = 0;
    for (Index first = begin; first < end; first += WeighedLoss::kMost) {
      const Index count = std::min(WeighedLoss::kMost, end - first);
      loss(first, count, nullptr, margins.data() + first,
           {value, slopes == nullptr ? nullptr : slopes + first, curvatures == nullptr ? nullptr : curvatures + first});
      for (Index r = 0; r < count; ++r) sum += value[r];
    }
    parts[at(chunk)] = sum;
  });
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

}  // namespace

WeighedLoss::WeighedLoss(const Problem& problem)
    : loss_(problem.spec().loss),
      targets_(problem.targets()),
      weights_(problem.weights()),
      even_(1.0 / static_cast<double>(problem.rows())) {}

double WeighedLoss::operator()(Index first, Index count, const Index* places, const double* u,
                               const kernel::SoftplusTerms& out) const {
  double gathered[kMost] = {};
  const auto gather = [&](std::span<const double> values) {
    for (Index r = 0; r < count; ++r) gathered[r] = values[at(places[r])];
    return gathered;
  };
  loss_.terms(u, places == nullptr ? targets_.data() + first : gather(targets_), count, out);
  const auto weigh = [&](const auto& q) {
    for (double* const values : {out.value, out.slope, out.curvature})
      for (Index r = 0; r < count && values != nullptr; ++r) values[r] *= q(r);
    return sum_of(count, q);
  };
  if (weights_.empty()) return weigh([even = even_](Index) { return even; });
  return weigh([q = places == nullptr ? weights_.data() + first : gather(weights_)](Index r) { return q[r]; });
}

void evaluate_rows(const Problem& problem, std::span<const double> margins, RowTerms& terms) {
  terms.slopes.resize(margins.size());
  terms.curvatures.resize(margins.size());
  terms.loss = sum_losses(problem, margins, terms.slopes.data(), terms.curvatures.data());
}

double loss_at(const Problem& problem, std::span<const double> margins) {
  return sum_losses(problem, margins, nullptr, nullptr);
}

double objective(const Problem& problem, std::span<const double> w) {
  std::vector<double> u(at(problem.rows()));
  margins(problem, w, u);
  return loss_at(problem, u) + Penalty(problem).value(w);
}

std::vector<double> squared_row_norms(const Problem& problem) {
  std::vector<double> norms(at(problem.rows()));
  problem.x().visit([&](const auto& view) {
    parallel_ranges(view.rows, kChunk, problem.spec().threads, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) {
        double sum = problem.has_intercept() ? 1.0 : 0.0;
        if constexpr (requires { view.stride; }) {
          sum += kernel::dot(view.row(i), view.row(i), view.cols);
        } else {
          for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k)
            sum += static_cast<double>(view.values[k]) * static_cast<double>(view.values[k]);
        }
        norms[at(i)] = sum;
      }
    });
  });
  return norms;
}

}  // namespace s3gd
