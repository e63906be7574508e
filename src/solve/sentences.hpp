// Advice for fits of every kind; none where there is nothing to say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "s3gd/solve.hpp"
#include "solve/row_report.hpp"

namespace s3gd {

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
