// train --calibrate FRACTION: rows on which not the weights but the probabilities are fitted (s3gd/platt.hpp).
#pragma once

#include <optional>

#include "command.hpp"
#include "fit/fit_json.hpp"
#include "s3gd/model.hpp"

namespace s3gd::app {

struct CalibrateOptions {
  double fraction = 0;  // 0: none
};

void add_calibrate_option(Arguments& app, CalibrateOptions& options);

// Takes the rows to hold out from `rows`; none unless asked for.
std::optional<Dataset> hold_out(Dataset& rows, const CalibrateOptions& options, const Common& common);

// With rows held out, gives the model probabilities.
std::optional<CalibrationFacts> calibrate_on(const std::optional<Dataset>& held_out, Model& model,
                                             const Common& common);

}  // namespace s3gd::app
