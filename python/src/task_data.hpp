// The arrays of a call as the library's dataset and problems.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "settings.hpp"

namespace s3gd::python {

// Borrows everything. y holds class codes 0 .. classes - 1, or real targets; None for `weights`: all ones.
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
