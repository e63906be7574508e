// One function for each finisher; the table lists them.
#pragma once

#include "exact/finisher.hpp"

namespace s3gd {

// The squared loss by the products of its columns, summed once; penalties without a 2-norm.
extern const Need kFewColumns;
bool gram_pays(const Problem& problem, bool for_many);
Finish finish_by_gram(const FinishInput& input, std::vector<double> start, Progress& progress);
std::unique_ptr<FinishSequence> gram_sequence(const Problem& first, std::vector<double> start);

// Prox-Newton over a small, growing set of coordinates, for penalties with a 1-norm.
Finish finish_by_active_set(const FinishInput& input, std::vector<double> start, Progress& progress);
std::unique_ptr<FinishSequence> active_set_sequence(const Problem& first, std::vector<double> start);

// Quasi-Newton in the metric of a sampled Hessian, for smooth penalties and up to a few thousand columns.
extern const Need kCheapFactor;
double start_of_sampled_newton(const Problem& problem);
Finish finish_by_sampled_newton(const FinishInput& input, std::vector<double> start, Progress& progress);
std::unique_ptr<FinishSequence> sampled_newton_sequence(const Problem& first, std::vector<double> start);

// L-BFGS over all rows, for smooth penalties. Never the first choice: there to be asked for by name.
Finish finish_by_lbfgs(const FinishInput& input, std::vector<double> start, Progress& progress);

// The reference solver.
Finish finish_by_newton(const FinishInput& input, std::vector<double> start, Progress& progress);

// Dual coordinate ascent, for l2 on every feature and nothing else. It suits sparse rows that are wide or whose coupling
// is loose.
extern const Need kSparseRows, kLooseRows;
Finish finish_by_dual_ascent(const FinishInput& input, std::vector<double> start, Progress& progress);
std::unique_ptr<FinishSequence> dual_ascent_sequence(const Problem& first, std::vector<double> start);

}  // namespace s3gd
