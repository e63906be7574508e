#include "train_calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options.hpp"
#include "output.hpp"
#include "s3gd/error.hpp"
#include "s3gd/platt.hpp"

namespace s3gd::app {
namespace {

constexpr Index kFew = 10;  // rows of a class: a sigmoid fitted on less says little

void check_classes(const Dataset& held_out, const std::vector<double>& classes, const Common& common) {
  const auto rows_of = [&](double value) {
    return std::count(held_out.y.values.begin(), held_out.y.values.end(), value);
  };
  const auto rarest =
      *std::min_element(classes.begin(), classes.end(), [&](double a, double b) { return rows_of(a) < rows_of(b); });
  const Index rows = rows_of(rarest);
  const std::string found =
      fmt::format("--calibrate holds out {} rows, {} of class {}", held_out.rows(), rows, held_out.y.name_of(rarest));
  if (rows == 0) throw Error(found, "probabilities need some of each class: hold out a larger fraction");
  if (rows < kFew) remark(common, "advice: " + found + ": too few for good probabilities");
}

}  // namespace

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
  check_classes(held_out, rows.y.distinct(), common);
  rows = take_rows(rows, split.train);
  return held_out;
}

std::optional<CalibrationFacts> calibrate_on(const std::optional<Dataset>& held_out, Model& model,
                                             const Common& common) {
  if (!held_out) return std::nullopt;
  calibrate(model, *held_out, common.threads);
  return CalibrationFacts{held_out->rows(), model.platt};
}

}  // namespace s3gd::app
