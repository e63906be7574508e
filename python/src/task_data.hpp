// The arrays of a call as the library's dataset and problems.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "s3gd/dataset.hpp"
#include "s3gd/path.hpp"
#include "settings.hpp"

namespace s3gd::python {

// Borrows everything. y holds class codes 0 .. classes - 1, or real targets; None for `weights`: all ones.
Dataset dataset_of(nb::handle x, nb::handle y, nb::handle weights, const Settings& settings);
// None and None: none.
std::optional<Dataset> validation_of(nb::handle x, nb::handle y, const Settings& settings);

// Rows for validation need not have both classes, but a Problem does: where one is missing, a copy of the rows with a row
// of it that weighs next to nothing.
Dataset with_both_classes(const Dataset& rows);

// Of a problem with one output.
ProblemSpec one_output_spec(const Settings& settings);

// Coefficients are given for every class: throws unless each was there to be fitted.
void require_all_classes(Index fitted, const Settings& settings);

// The problem at every lambda; the rows are looked at where `settings.check` says so.
ProblemFamily family_of(const Dataset& data, const Settings& settings);

// Weights and intercepts, outputs x features and outputs, as Python knows them.
struct Coefficients {
  std::vector<double> weights;
  std::vector<double> intercepts;
};
// (coef, intercept), or nothing for None.
std::optional<Coefficients> start_of(nb::handle start, Index outputs, Index features);

// Appends the parameters of one output; and the parameters of output k.
void append_output(Coefficients& all, std::span<const double> w, Index features);
std::vector<double> parameters_of(const Coefficients& all, Index k, Index features, bool intercept);

}  // namespace s3gd::python
