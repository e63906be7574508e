// Sentences for the Summary: what is off, and what to do about it.
#pragma once

#include "solve/sample.hpp"

namespace s3gd {

void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution);
// The same where what the rows say by themselves is known: for several problems over the same rows.
void add_advice(const Problem& problem, const SolveOptions& options, Solution& solution, const SampleReport& sample);
void add_advice(const SoftmaxProblem& problem, const SolveOptions& options, Solution& solution);

}  // namespace s3gd
