// Options that state a problem and a run, shared by train, graph and inspect.
#pragma once

#include <optional>
#include <string>

#include "options.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::app {

struct ProblemOptions {
  ProblemSpec spec;
  Scale scale = Scale::none;
  std::optional<double> c;  // --C
  std::string penalty_factor_file;
  std::string penalty = "l2";  // as typed: a name, or several joined by +
};

void add_problem_options(CLI::App& app, ProblemOptions& options);
void add_graph_options(CLI::App& app, GraphOptions& options);
void add_control_options(CLI::App& app, SolveOptions& options);

// Fills in what depends on the data: --C, the factors' file, the terms of the penalty.
ProblemSpec problem_spec(const ProblemOptions& options, const Dataset& data, const Common& common);

// The same problem on other rows: the class that was positive stays so.
ProblemSpec same_problem(const Problem& problem);

// "auto", a number, or "decay:STEP,T0".
void parse_step(const std::string& text, SolveOptions& options);

// One number a line.
std::vector<double> read_numbers(const std::string& path);

}  // namespace s3gd::app
