#include "exact/row_terms.hpp"

#include <algorithm>

#include "base/threads.hpp"
#include "problem/loss.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 4096;

}  // namespace

void evaluate_rows(const Problem& problem, std::span<const double> margins, RowTerms& terms) {
  const Loss loss(problem.spec().loss);
  terms.slopes.resize(margins.size());
  terms.curvatures.resize(margins.size());
  const Index rows = problem.rows();
  std::vector<double> parts(static_cast<std::size_t>((rows + kRowsPerChunk - 1) / kRowsPerChunk));
  parallel_ranges(rows, kRowsPerChunk, problem.spec().threads, [&](Index begin, Index end, Index chunk) {
    double value[kRowsPerChunk];
    double* slope = terms.slopes.data() + begin;
    double* curvature = terms.curvatures.data() + begin;
    loss.terms(margins.data() + begin, problem.targets().data() + begin, end - begin, {value, slope, curvature});
    const double* weights = problem.weights().empty() ? nullptr : problem.weights().data() + begin;
    const double equal = 1.0 / static_cast<double>(rows);
    double sum = 0;
    for (Index r = 0; r < end - begin; ++r) {
      const double q = weights == nullptr ? equal : weights[r];
      sum += q * value[r];
      slope[r] *= q;
      curvature[r] *= q;
    }
    parts[static_cast<std::size_t>(chunk)] = sum;
  });
  terms.loss = 0;
  for (const double part : parts) terms.loss += part;
}

}  // namespace s3gd
