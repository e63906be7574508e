#include "task_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "arrays.hpp"
#include "model/targets.hpp"
#include "s3gd/error.hpp"

namespace s3gd::python {
namespace {

constexpr double kNextToNothing = 1e-200;  // of a row: lost in any sum over others

void check_codes(const Array<double>& codes, Index classes) {
  for (Index i = 0; i < codes.size(); ++i)
    if (!(codes[i] >= 0 && codes[i] < static_cast<double>(classes) && codes[i] == std::floor(codes[i])))
      throw Error("y holds " + std::to_string(codes[i]) + " in row " + std::to_string(i),
                  "classes are numbered from 0 to " + std::to_string(classes - 1));
}

}  // namespace

Dataset dataset_of(nb::handle x, nb::handle y, nb::handle weights, const Settings& settings) {
  Dataset data;
  data.x = matrix_of(x);
  data.y.values = vector_of(y, "y");
  data.y.kind = settings.task == Task::regression ? LabelKind::real : LabelKind::classes;
  if (data.y.values.size() != data.rows())
    throw Error("y has " + std::to_string(data.y.values.size()) + " elements for " + std::to_string(data.rows()) +
                " rows");
  if (settings.task != Task::regression) check_codes(data.y.values, settings.classes);
  if (!weights.is_none()) data.weights = vector_of(weights, "sample_weight");
  return data;
}

std::optional<Dataset> validation_of(nb::handle x, nb::handle y, const Settings& settings) {
  if (x.is_none() != y.is_none()) throw Error("X_val and y_val go together");
  if (x.is_none()) return std::nullopt;
  return dataset_of(x, y, nb::none(), settings);
}

Dataset with_both_classes(const Dataset& rows) {
  const Array<double>& codes = rows.y.values;
  if (codes.empty() || std::any_of(codes.begin(), codes.end(), [&](double code) { return code != codes[0]; }))
    return rows;
  std::vector<Index> order(static_cast<std::size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  order.push_back(0);
  Dataset more = take_rows(rows, order);
  std::vector<double> labels(order.size(), codes[0]), weights(order.size(), 1.0);
  labels.back() = 1 - codes[0];
  weights.back() = kNextToNothing;
  more.y.values = Array<double>(std::move(labels));
  more.weights = Array<double>(std::move(weights));
  return more;
}

ProblemSpec one_output_spec(const Settings& settings) {
  ProblemSpec spec = settings.problem;
  if (settings.task == Task::binary) spec.positive = "1";
  return spec;
}

void require_all_classes(Index fitted, const Settings& settings) {
  if (fitted != settings.classes)
    throw Error("only " + std::to_string(fitted) + " of the " + std::to_string(settings.classes) +
                    " classes have rows of positive weight",
                "leave out the classes without any");
}

ProblemFamily family_of(const Dataset& data, const Settings& settings) {
  if (settings.check) data.x.check(settings.problem.threads);
  switch (settings.task) {
    case Task::ovr:
      require_all_classes(static_cast<Index>(classes_of(data, settings.problem.loss.kind).size()), settings);
      return ProblemFamily::one_vs_rest(data, settings.problem);
    case Task::softmax: {
      const SoftmaxProblem problem(data, settings.softmax);
      require_all_classes(problem.classes(), settings);
      return problem;
    }
    default:
      return Problem(data, one_output_spec(settings));
  }
}

std::optional<Coefficients> start_of(nb::handle start, Index outputs, Index features) {
  if (start.is_none()) return std::nullopt;
  nb::tuple parts;
  if (!nb::try_cast(start, parts) || nb::len(parts) != 2) throw Error("start is a tuple of two: coef, intercept");
  const Matrix weights = matrix_of(parts[0]);
  const auto* view = std::get_if<DenseView<double>>(&weights.view());
  if (view == nullptr || view->rows != outputs || view->cols != features)
    throw Error("the start's coef is not float64 of " + std::to_string(outputs) + " x " + std::to_string(features));
  Coefficients all;
  for (Index k = 0; k < outputs; ++k) all.weights.insert(all.weights.end(), view->row(k), view->row(k) + features);
  all.intercepts = numbers_of(parts[1], "the start's intercept");
  if (static_cast<Index>(all.intercepts.size()) != outputs)
    throw Error("the start has " + std::to_string(all.intercepts.size()) + " intercepts, expected " +
                std::to_string(outputs));
  return all;
}

void append_output(Coefficients& all, std::span<const double> w, Index features) {
  const auto weights = w.first(static_cast<std::size_t>(features));
  all.weights.insert(all.weights.end(), weights.begin(), weights.end());
  all.intercepts.push_back(w.size() > weights.size() ? w.back() : 0.0);
}

std::vector<double> parameters_of(const Coefficients& all, Index k, Index features, bool intercept) {
  const auto first = all.weights.begin() + k * features;
  std::vector<double> w(first, first + features);
  if (intercept) w.push_back(all.intercepts[static_cast<std::size_t>(k)]);
  return w;
}

}  // namespace s3gd::python
