// What a run is a function of, in one line: the version, the data by its checksums, and every option that has a say in
// the result. Threads, limits of time and the place of files have none.
#pragma once

#include <string>

#include "solve/inputs.hpp"

namespace s3gd {

// The rows, targets and weights by their checksums: one pass over the rows.
std::string rows_identity(const Problem& problem);
// Every option that has a say, as JSON: {"lambda": "0.001", ..}.
std::string options_identity(const ProblemSpec& spec, const SolveOptions& options);

// JSON: {"version": .., "data": .., "options": {"lambda": "0.001", ..}}
std::string run_identity(const Problem& problem, const SolveOptions& options, const OneOutputInput& input);

// The same of other kinds of problems.
std::string run_identity(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input);
std::string run_identity(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input);

// In words, the first thing that differs between what was kept and what is asked for; empty when nothing does.
std::string identity_difference(const std::string& kept, const std::string& asked);

}  // namespace s3gd
