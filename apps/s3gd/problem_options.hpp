// Options that state a problem over rows, shared by train, path, cv and inspect.
#pragma once

#include "options.hpp"
#include "s3gd/fit.hpp"

namespace s3gd::app {

struct ProblemOptions {
  std::string data;  // where rows come from
  OptionValues values;
  std::string penalty_factor_file, class_weight_file;
  std::string penalty = "l2";  // as typed: a name, or several joined by +
  bool softmax_loss = false;   // --loss softmax, which is read as logistic
};

// Which of them a command has.
struct ProblemKinds {
  bool many_lambdas = false;  // the command has options of its own for how strong the penalty is
  bool many_classes = false;  // --multiclass, --loss softmax, penalties of the matrix of weights
};
void add_problem_options(Arguments& app, ProblemOptions& options, const ProblemKinds& kinds);

// Throws where options would change nothing or contradict each other, before any rows are read.
void check_given(const ProblemOptions& options);
// The problem as all options state it over these rows.
TaskSpec task_spec(const ProblemOptions& options, const Dataset& data, const Common& common);

// The rows of DATA with the weights of --sample-weight. The values are changed to those they were read with.
Dataset load_weighted(ProblemOptions& options, const Common& common);

// Files that are read.
std::vector<FileUse> files_read(const ProblemOptions& options);

// What they say on how rows are prepared: --scale, and --class-weight where that is a FILE.
FitOptions fit_options(const ProblemOptions& options);

int exit_code(Status status);                                                // of a command that fits
void print_advice(const std::vector<Advice>& advice, const Common& common);  // to standard error, one remark each

// One number a line.
std::vector<double> read_numbers(const std::string& path);

// Solvers that only softmax has.
std::vector<SolverInfo> softmax_only_solvers();

}  // namespace s3gd::app
