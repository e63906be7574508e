// Sentences for the Summary: what is off, and what to do about it. What the rows have to say is asked of a sample of them, at most a
// few thousand, so that advice costs next to nothing however large the data is.
#pragma once

#include <algorithm>
#include <functional>

#include "data/row_access.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

// Spread evenly over all rows: a few thousand, two million entries at most or those of 200 rows. Calls visit(view, row) for the
// rows of the sample that have a weight.
template <class Weight, class Visit>
void for_each_in_sample(const Matrix& x, Weight&& weight, Visit&& visit) {
  constexpr Index fewest = 200, most = 5000, most_entries = 2'000'000;
  const Index n = x.rows();
  const Index per_row = std::max<Index>(1, x.stored() / std::max<Index>(1, n));
  const Index wanted = std::min(n, std::clamp(most_entries / per_row, fewest, most));
  x.visit([&](const auto& view) {
    for (Index k = 0; k < wanted; ++k) {
      const auto row =
          static_cast<Index>(static_cast<double>(k) * (static_cast<double>(n) / static_cast<double>(wanted)));
      if (weight(row) != 0) visit(view, row);
    }
  });
}

// What does not depend on the parameters, nor on which class is positive.
struct SampleReport {
  Index rows = 0;
  Index zero_rows = 0;
  // Largest magnitude in a column: the least and largest of those not zero.
  double least_column = 0, largest_column = 0;
};
SampleReport report_sample(const Matrix& x, const std::function<double(Index)>& weight);
SampleReport report_sample(const Problem& problem);

// Features on wild scales, rows without entries.
void advise_on_rows(const SampleReport& sample, std::vector<Advice>& advice);

void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution);
// The same where what the rows say by themselves is known: for several problems over the same rows.
void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution, const SampleReport& sample);
void add_advice(const SoftmaxProblem& problem, const SolveOptions& options, Solution& solution);

}  // namespace s3gd
