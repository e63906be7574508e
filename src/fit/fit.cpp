#include "s3gd/fit.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "data/columns.hpp"
#include "s3gd/error.hpp"
#include "s3gd/platt.hpp"
#include "solve/warm_start.hpp"

namespace s3gd {
namespace {

void check_fraction(double fraction, const char* of) {
  if (!(fraction >= 0 && fraction < 1))
    throw Error(fmt::format("the share of rows held out for {} is {}", of, fraction), "give a number between 0 and 1");
}

// Moves a share of the rows elsewhere.
Dataset taken_out(Dataset& rows, double fraction, std::uint64_t seed) {
  const Split split = split_rows(rows, fraction, seed);
  Dataset out = take_rows(rows, split.test);
  rows = take_rows(rows, split.train);
  return out;
}

// A sigmoid is fitted for each class.
void require_all_classes(const Dataset& held_out, const std::vector<double>& classes) {
  for (const double value : classes)
    if (std::find(held_out.y.values.begin(), held_out.y.values.end(), value) == held_out.y.values.end())
      throw Error(fmt::format("{} rows are held out to fit probabilities on, 0 of class {}", held_out.rows(),
                              held_out.y.name_of(value)),
                  "probabilities need some of each class: hold out a larger fraction");
}

Dataset calibration_rows(Dataset& rows, double fraction, std::uint64_t seed) {
  if (rows.y.kind != LabelKind::classes)
    throw Error("probabilities are fitted for classes, and the labels are none", "hold out no rows for them");
  const std::vector<double> classes = rows.y.distinct();
  Dataset out = taken_out(rows, fraction, seed);
  require_all_classes(out, classes);
  return out;
}

void check_calibration(const Task& task) {
  if (task.kind() == Outputs::softmax)
    throw Error("softmax has probabilities of its own",
                "hold out no rows for them, or fit each class against the rest");
  if (task.classes().empty())
    throw Error("probabilities are fitted for classes, and this fit predicts numbers", "hold out no rows for them");
}

}  // namespace

FitRows prepare(Dataset data, const FitOptions& options, int threads) {
  check_fraction(options.validation_fraction, "validation");
  check_fraction(options.calibration_fraction, "probabilities");
  const std::uint64_t seed = options.solve.seed;
  data.verify(threads);
  FitRows rows{std::move(data), options.validation, {}, {}};
  if (options.calibration_fraction > 0)
    rows.calibration = calibration_rows(rows.train, options.calibration_fraction, seed);
  if (options.class_weights) rows.train = with_class_weights(std::move(rows.train), *options.class_weights);
  if (rows.validation) {
    if (options.class_weights)
      rows.validation = with_class_weights(std::move(*rows.validation), *options.class_weights, true);
    match_widths(rows.train, *rows.validation, threads);
  } else if (options.validation_fraction > 0) {
    rows.validation = taken_out(rows.train, options.validation_fraction, seed);
  }
  rows.scaling = learn_scaling(rows.train, options.scale, threads);
  rows.train = apply_scaling(rows.train, rows.scaling, threads);
  if (rows.validation) rows.validation = apply_scaling(*rows.validation, rows.scaling, threads);
  return rows;
}

Fit fit(const FitRows& rows, const Task& task, const FitOptions& options) {
  if (rows.calibration) check_calibration(task);
  std::optional<JudgedRows> judged;
  if (rows.validation) judged = task.judged(*rows.validation);
  SolveOptions solving = options.solve;
  if (options.start != nullptr) solving.start = start_from(*options.start, task, rows.scaling);
  const SolveInput input{options.graph, judged ? &judged->rows : nullptr, options.watch, options.watch_class};
  Solution solution = solve(task, solving, input);
  Model model = task.model(solution.w, rows.scaling, solution.summary.certificate);
  Fit result{std::move(solution), task, std::move(model), {}, {}};
  if (judged) result.validation = {judged->rows.rows(), judged->left_out, task.mean_loss(judged->rows, result.w)};
  if (rows.calibration) {
    calibrate(result.model, *rows.calibration, task.threads());
    result.calibration = {rows.calibration->rows(), result.model.platt};
  }
  return result;
}

Fit fit(const Dataset& data, const TaskSpec& spec, const FitOptions& options) {
  const FitRows rows = prepare(data, options, spec.problem.threads);
  return fit(rows, Task(rows.train, spec, options.solve.solver), options);
}

}  // namespace s3gd
