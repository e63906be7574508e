#include "train_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/file.hpp"
#include "data/columns.hpp"
#include "output.hpp"
#include "problem/loss.hpp"
#include "problem/names.hpp"

namespace s3gd::app {
namespace {

constexpr Index kFew = 10;  // rows of a class: a sigmoid fitted on less says little

// The share of the rows that `validate` asks to hold out; 0 where it names data, or nothing.
double held_out_fraction(const std::string& validate) {
  double fraction = 0;
  const char* const end = validate.data() + validate.size();
  const auto [stop, problem] = std::from_chars(validate.data(), end, fraction);
  if (validate.empty() || problem != std::errc() || stop != end) return 0;
  if (fraction > 0 && fraction < 1) return fraction;
  if (file_exists(validate)) return 0;
  throw UsageError("--validate is " + validate + ", but a fraction lies between 0 and 1, such as 0.2");
}

}  // namespace

void add_row_options(Arguments& app, RowOptions& options) {
  const std::string group = "Data";
  add_sample_weight_option(app, options.sample_weight);
  app.add_option("--validate", options.validate, "rows to judge by: other DATA, or a FRACTION held out")
      ->type_name("DATA")
      ->group(group);
  app.add_option("--calibrate", options.calibrate, "rows held out to fit probabilities on (Platt scaling)")
      ->type_name("FRACTION")
      ->group(group);
  add_load_options(app, options.load);
}

FitRows read_rows(RowOptions options, FitOptions& with, const Common& common) {
  if (!(options.calibrate >= 0 && options.calibrate < 1))
    throw UsageError("--calibrate takes a fraction between 0 and 1, such as 0.2");
  with.calibration_fraction = options.calibrate;
  with.validation_fraction = held_out_fraction(options.validate);
  Dataset rows = load_weighted(options.data, options.sample_weight, options.load, common);
  if (options.calibrate > 0 && rows.y.kind != LabelKind::classes)
    throw UsageError("--calibrate fits probabilities of classes, and the labels are none");
  if (!options.validate.empty() && with.validation_fraction == 0) {
    read_alike(options.load, rows.index_base, rows.label_column);
    with.validation = load(options.validate, options.load);
  }
  FitRows ready = prepare(std::move(rows), with, common.threads);
  with.validation.reset();  // they are there, scaled
  return ready;
}

void check_calibration(const FitRows& rows, const Task& task, const TaskSpec& spec, const Common& common) {
  if (!rows.calibration) return;
  if (task.kind() == Outputs::softmax)
    throw UsageError("softmax has probabilities of its own: leave out --calibrate, or use --multiclass ovr");
  if (task.kind() == Outputs::one && !Loss(spec.problem.loss).classifies())
    throw UsageError("--calibrate fits probabilities of classes, and --loss " + name_of(spec.problem.loss.kind) +
                     " predicts numbers");
  const Labels& labels = rows.calibration->y;
  for (const double value : labels.distinct()) {
    const auto few = std::count(labels.values.begin(), labels.values.end(), value);
    if (few >= kFew) continue;
    remark(common, fmt::format("advice: --calibrate holds out {} rows, {} of class {}: too few for good probabilities",
                               rows.calibration->rows(), few, labels.name_of(value)));
    return;
  }
}

}  // namespace s3gd::app
