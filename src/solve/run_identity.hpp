// What a run is a function of, in one line: the version, the data by its checksums, and every option that has a say in
// the result. Threads, limits of time and the place of files have none.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "solve/inputs.hpp"

namespace s3gd {

// The rows, targets and weights by their checksums: one pass over the rows.
std::string rows_identity(const Problem& problem);
// Every option that has a say, as JSON: {"lambda": "0.001", ..}.
std::string options_identity(const ProblemSpec& spec, const SolveOptions& options);

// JSON: {"version": .., "data": .., "options": {"lambda": "0.001", ..}}
std::string run_identity(const Problem& problem, const SolveOptions& options, const OneOutputInput& input);

// The same of other kinds of problems, from its parts: rows as rows_checksum() gives them, with whatever stands for labels
// and weights added; the options that state the problem, and further ones by name; the rows to judge by, or nothing.
struct IdentityParts {
  std::string data;
  ProblemSpec problem;
  std::vector<std::pair<std::string, std::string>> further;
  std::string validate;
  const Graph* graph = nullptr;
};
std::string run_identity(const IdentityParts& parts, const SolveOptions& options);

std::string rows_checksum(const Matrix& x, int threads);
std::string checksum_text(std::span<const std::byte> bytes);

// In words, the first thing that differs between what was kept and what is asked for; empty when nothing does.
std::string identity_difference(const std::string& kept, const std::string& asked);

}  // namespace s3gd
