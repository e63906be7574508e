#include "task_data.hpp"

#include <cmath>
#include <string>

#include "arrays.hpp"
#include "s3gd/error.hpp"

namespace s3gd::python {
namespace {

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
  data.y.kind = settings.classes == 0 ? LabelKind::real : LabelKind::classes;
  if (data.y.values.size() != data.rows())
    throw Error("y has " + std::to_string(data.y.values.size()) + " elements for " + std::to_string(data.rows()) +
                " rows");
  if (settings.classes > 0) check_codes(data.y.values, settings.classes);
  if (!weights.is_none()) data.weights = vector_of(weights, "sample_weight");
  return data;
}

std::optional<Dataset> validation_of(nb::handle x, nb::handle y, const Settings& settings) {
  if (x.is_none() != y.is_none()) throw Error("X_val and y_val go together");
  if (x.is_none()) return std::nullopt;
  return dataset_of(x, y, nb::none(), settings);
}

Task task_of(const Dataset& data, const Settings& settings) {
  TaskSpec spec = settings.task;
  if (settings.classes > 0 && spec.outputs == Outputs::one) spec.problem.positive = "1";
  const Task task(data, spec);
  if (const Index fitted = std::ssize(task.classes()); fitted != settings.classes)
    throw Error("only " + std::to_string(fitted) + " of the " + std::to_string(settings.classes) +
                    " classes have rows of positive weight",
                "leave out the classes without any");
  return task;
}

void append(Coefficients& all, std::span<const double> w, const Task& task) {
  const auto cols = static_cast<std::size_t>(task.data().cols()), dim = static_cast<std::size_t>(task.dim());
  for (; !w.empty(); w = w.subspan(dim)) {
    all.weights.insert(all.weights.end(), w.begin(), w.begin() + task.data().cols());
    all.intercepts.push_back(dim > cols ? w[cols] : 0.0);
  }
}

Coefficients coefficients_of(nb::handle pair, Index outputs, Index features) {
  nb::tuple parts;
  if (!nb::try_cast(pair, parts) || nb::len(parts) != 2) throw Error("start is a tuple of two: coef, intercept");
  const Matrix weights = matrix_of(parts[0]);
  const auto* view = std::get_if<DenseView<double>>(&weights.view());
  if (view == nullptr || view->rows != outputs || view->cols != features)
    throw Error("the start's coef is not float64 of " + std::to_string(outputs) + " x " + std::to_string(features));
  Coefficients all;
  for (Index k = 0; k < outputs; ++k) all.weights.insert(all.weights.end(), view->row(k), view->row(k) + features);
  all.intercepts = numbers_of(parts[1], "the start's intercept");
  if (std::ssize(all.intercepts) != outputs)
    throw Error("the start has " + std::to_string(all.intercepts.size()) + " intercepts, expected " +
                std::to_string(outputs));
  return all;
}

std::vector<double> parameters_of(const Coefficients& all, bool intercept) {
  const std::size_t outputs = all.intercepts.size(), features = all.weights.size() / outputs;
  std::vector<double> w;
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto weights = std::span(all.weights).subspan(k * features, features);
    w.insert(w.end(), weights.begin(), weights.end());
    if (intercept) w.push_back(all.intercepts[k]);
  }
  return w;
}

}  // namespace s3gd::python
