// Options of train, path and cv for more than two classes.
#pragma once

#include <string>
#include <vector>

#include "fit_options.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd::app {

// --multiclass and --loss softmax, which is read as logistic.
struct MulticlassOptions {
  std::string multiclass;  // as typed, or nothing
  bool softmax_loss = false;
  void add(Arguments& app);  // after --loss and --binary are there
};

// What the options ask for together: "ovr", "softmax", or nothing. --loss softmax and penalties of the whole matrix of
// weights mean softmax. Throws UsageError where they contradict each other.
std::string asked_multiclass(const MulticlassOptions& options, const ProblemOptions& problem);

// How the classes of the data are dealt with: "ovr", "softmax", or nothing where there is one binary problem or a
// regression. `asked` is that of the options; where it is nothing, logistic regression is softmax, as users of other
// libraries expect, and what softmax does not have is ovr.
std::string multiclass_kind(const std::string& asked, const ProblemSpec& spec, const std::string& solver,
                            const Dataset& data);

// --penalty group, nuclear: of the matrix of weights of all classes.
bool is_matrix_penalty(const std::string& name);

// The problem as the options state it, for softmax; `penalty` as typed.
SoftmaxSpec softmax_spec(const ProblemSpec& spec, const std::string& penalty);

// All solvers, for --solver; and those that only softmax has.
std::vector<std::string> solver_names();
std::vector<SolverInfo> softmax_only_solvers();

}  // namespace s3gd::app
