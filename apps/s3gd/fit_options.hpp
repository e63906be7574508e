// Options that state a problem and a run, shared by train, graph and inspect.
#pragma once

#include <optional>
#include <string>

#include "file_use.hpp"
#include "options.hpp"
#include "s3gd/fit.hpp"

namespace s3gd::app {

struct ProblemOptions {
  ProblemSpec spec;
  Scale scale = Scale::none;
  std::optional<double> c;  // --C
  std::string penalty_factor_file;
  std::string class_weight_file;
  std::string penalty = "l2";  // as typed: a name, or several joined by +
};

// How strong the penalty is: one lambda (or C), or many, for which a command has options of its own.
enum class Strength : bool { one, many };

void add_problem_options(Arguments& app, ProblemOptions& options, Strength strength = Strength::one);
void add_graph_options(Arguments& app, GraphOptions& options);

// The files that state the problem: --penalty-factor, --class-weight; and the rows: DATA, --labels, --sample-weight.
std::vector<FileUse> files_read(const std::string& data, const ProblemOptions& problem, const LoadOptions& load,
                                const std::string& sample_weight);

// Fills in what depends on the data: --C, the factors' file, the terms of the penalty.
ProblemSpec problem_spec(const ProblemOptions& options, const Dataset& data, const Common& common);

// --sample-weight: a COLUMN of a CSV file, or a FILE of numbers.
void add_sample_weight_option(Arguments& app, std::string& sample_weight);
// The rows of DATA with those weights. `options` are changed to those they were read with.
Dataset load_weighted(const std::string& data, const std::string& sample_weight, LoadOptions& options,
                      const Common& common);
// What they say on how rows are prepared: --scale, and --class-weight where that is a FILE.
FitOptions fit_options(const ProblemOptions& problem);

int exit_code(Status status);  // of a command that fits

// One number a line.
std::vector<double> read_numbers(const std::string& path);

}  // namespace s3gd::app
