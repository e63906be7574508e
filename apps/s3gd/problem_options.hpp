// Options that state a problem over rows, shared by train, path, cv and inspect.
#pragma once

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
  std::string multiclass;      // as typed, or nothing
  bool softmax_loss = false;   // --loss softmax, which is read as logistic
};

// Which of them a command has.
struct ProblemKinds {
  bool many_lambdas = false;  // the command has options of its own for how strong the penalty is
  bool many_classes = false;  // --multiclass, --loss softmax, penalties of the matrix of weights
};
void add_problem_options(Arguments& app, ProblemOptions& options, const ProblemKinds& kinds);

// What depends on the data is filled in: --C, the factors' file, the terms of the penalty.
ProblemSpec problem_spec(const ProblemOptions& options, const Dataset& data, const Common& common);
// The problem as all options state it. Throws UsageError where they contradict each other.
TaskSpec task_spec(ProblemOptions options, const Dataset& data, const Common& common);

// Where rows come from.
struct RowOptions {
  std::string data;
  std::string sample_weight;  // a COLUMN of a CSV file, or a FILE of numbers
  LoadOptions load;
};
void add_sample_weight_option(Arguments& app, RowOptions& options);
// The rows of DATA with those weights. `options.load` are changed to those they were read with.
Dataset load_weighted(RowOptions& options, const Common& common);

// The files of both that are read.
std::vector<FileUse> files_read(const RowOptions& rows, const ProblemOptions& problem);

// What they say on how rows are prepared: --scale, and --class-weight where that is a FILE.
FitOptions fit_options(const ProblemOptions& problem);

int exit_code(Status status);                                                // of a command that fits
void print_advice(const std::vector<Advice>& advice, const Common& common);  // to standard error, one remark each

// One number a line.
std::vector<double> read_numbers(const std::string& path);

// Solvers that only softmax has.
std::vector<SolverInfo> softmax_only_solvers();

}  // namespace s3gd::app
