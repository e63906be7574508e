// Advice for fits of every kind; none where there is nothing to say. What the rows have to say is asked of a sample of them.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/row_access.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

// A sample of the rows, spread evenly over all of them: a few thousand, two million entries at most or those of 200 rows.
// Calls visit(view, row) for the rows of the sample that have a weight.
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

// What it shows at parameters w; rows of no weight are left out.
struct ClassReport {
  Index rows = 0;
  double astray = 0;  // share of its rows beyond the other class's median margin
};

// What does not depend on the parameters, nor on which class is positive.
struct SampleReport {
  Index rows = 0;
  Index zero_rows = 0;
  double least_column = 0,
         largest_column = 0;  // largest magnitude in a column: the least and largest of those not zero
};

struct RowReport : SampleReport {
  bool classes = false;  // whether the rows below mean anything
  Index wrong = 0;       // rows on the other class's side, or on neither
  ClassReport positive, negative;
  double by_features = 0;  // largest margin without the intercept
};

SampleReport report_sample(const Matrix& x, const std::function<double(Index)>& weight);
SampleReport report_sample(const Problem& problem);
SampleReport report_sample(const Dataset& data);
// Two classes by the margins of their rows; those of the first should be larger.
std::pair<ClassReport, ClassReport> compare_classes(const std::vector<double>& high, const std::vector<double>& low);
RowReport report_rows(const Problem& problem, const std::vector<double>& w, const SampleReport& sample);

// Features on wild scales, rows without entries.
void advise_on_rows(const SampleReport& sample, std::vector<Advice>& advice);

// Classes with hardly a mistake (`wrong`) among the sample's rows: nothing holds weights back that only have to grow.
// The last mistakes may be there only because the tolerance ended the run.
std::optional<Advice> advice_on_separable(Index wrong, const SampleReport& sample, bool unpenalised, double objective,
                                          double objective_at_zero);

// Rows of one class where the other's typical rows are, and hardly any the other way round: overlap is mutual, wrong
// labels are not.
struct NamedClass {
  std::string name;
  ClassReport report;
};
std::optional<Advice> advice_on_labels(const NamedClass& a, const NamedClass& b);

// All weights zero at this lambda, and from `largest` on; NaN: that is not known.
Advice advice_on_zero_weights(double lambda, double largest);
// A smooth penalty that leaves the features no weight to speak of.
Advice advice_on_vanishing_weights();
// Margins of at most `by_features` are left to the features, although they have entries.
bool weights_vanish(double by_features, const SampleReport& sample);
// Weights are zero because no slope asks for any, whatever the penalty (as in XOR). slopes: of the loss by the
// features' weights; typical: a row's slope by its margin.
bool features_are_mute(std::span<const double> slopes, double typical, const SampleReport& sample);
Advice advice_on_mute_features();

// A run that diverged; `safe`: a step that may not.
Advice advice_on_divergence(double step, double safe);
// A run that stopped short of the tolerance. exact: by a solver that would reach it.
std::optional<Advice> advice_on_limits(const Summary& summary, const SolveOptions& options, bool exact);

}  // namespace s3gd
