// train --validate: the rows a fit is watched by.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "fit/fit_json.hpp"
#include "model/judged_rows.hpp"

namespace s3gd::app {

// The share of the rows that `validate` asks to hold out; 0 where it names data, or nothing. Throws UsageError where it
// is a number, but none that can be.
double held_out_fraction(const std::string& validate);

// The rows of these classes (all where there are none named), and a remark on the others.
JudgedRows keep_known(const Dataset& rows, const std::vector<std::string>& classes, const Common& common);

// The mean loss over rows to validate on, without the penalty.
double validation_loss(const Problem& test, std::span<const double> w);

}  // namespace s3gd::app
