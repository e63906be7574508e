// Options of train, path and cv for more than two classes.
#pragma once

#include <string>
#include <vector>

#include "fit_options.hpp"
#include "s3gd/task.hpp"

namespace s3gd::app {

// --multiclass and --loss softmax, which is read as logistic.
struct MulticlassOptions {
  std::string multiclass;  // as typed, or nothing
  bool softmax_loss = false;
  void add(Arguments& app);  // after --loss and --binary are there
};

// The problem as all options state it. Throws UsageError where they contradict each other.
TaskSpec task_spec(const MulticlassOptions& options, ProblemOptions problem, const Dataset& data, const Common& common);

// Solvers that only softmax has.
std::vector<SolverInfo> softmax_only_solvers();

}  // namespace s3gd::app
