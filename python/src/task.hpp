// What a fit is asked to do: the dicts `spec` and `options` of _core, read into the library's structures, and the arrays of a
// call as its dataset and task.
#pragma once

#include <optional>
#include <vector>

#include "convert.hpp"
#include "solve/options/table.hpp"
#include "work.hpp"

namespace s3gd::python {

struct Settings {
  TaskSpec task;      // its outputs are never automatic
  Index classes = 2;  // 0: regression
  SolveOptions solve;
  bool scale = false;  // huber: the scale of the errors is found, and the knee is in units of it
  bool check = true;   // the rows, before they are used
  OnInterrupt on_interrupt = OnInterrupt::raise;
};

// All options of a group that a text can say; those that the core has something in place of are the program's.
void read_group(DictReader& from, const std::string& group, OptionValues& values, const std::string& skipped = {});
Settings settings_of(const nb::dict& spec, const nb::dict& options);

// Borrows everything.
Dataset dataset_of(nb::handle x, nb::handle y, nb::handle weights, LabelKind labels);
// y holds class codes 0 .. classes - 1, or real targets; None for `weights`: all ones.
Dataset dataset_of(nb::handle x, nb::handle y, nb::handle weights, const Settings& settings);
// None and None: none.
std::optional<Dataset> validation_of(nb::handle x, nb::handle y, const Settings& settings);

// What the settings state over these rows. Coefficients are given for every class: throws unless each was there to be fitted.
Task task_of(const Dataset& data, const Settings& settings);

// Weights and intercepts, outputs x features and outputs, as Python knows them.
struct Coefficients {
  std::vector<double> weights;
  std::vector<double> intercepts;
};
Coefficients coefficients_of(nb::handle pair, Index outputs, Index features);  // (coef, intercept)
// Appends those of a task's parameters; and as parameters.
void append(Coefficients& all, std::span<const double> w, const Task& task);
std::vector<double> parameters_of(const Coefficients& all, bool intercept);

}  // namespace s3gd::python
