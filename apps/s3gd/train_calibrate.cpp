#include "train_calibrate.hpp"

#include "options.hpp"
#include "output.hpp"
#include "s3gd/platt.hpp"

namespace s3gd::app {

void add_calibrate_option(Arguments& app, CalibrateOptions& options) {
  app.add_option("--calibrate", options.fraction, "rows held out to fit probabilities on (Platt scaling)")
      ->type_name("FRACTION")
      ->group("Data");
}

std::optional<Dataset> hold_out(Dataset& rows, const CalibrateOptions& options, const Common& common) {
  if (options.fraction == 0) return std::nullopt;
  if (!(options.fraction > 0 && options.fraction < 1))
    throw UsageError("--calibrate takes a fraction between 0 and 1, such as 0.2");
  if (rows.y.kind != LabelKind::classes)
    throw UsageError("--calibrate fits probabilities of classes, and the labels are none");
  const Split split = split_rows(rows, options.fraction, common.seed);
  Dataset held_out = take_rows(rows, split.test);
  rows = take_rows(rows, split.train);
  return held_out;
}

void calibrate_on(const std::optional<Dataset>& held_out, Model& model, const Common& common) {
  if (!held_out) return;
  calibrate(model, *held_out, common.threads);
  remark(common, "probabilities fitted on " + format_count(held_out->rows()) + " rows held out");
}

}  // namespace s3gd::app
