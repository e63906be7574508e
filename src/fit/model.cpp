#include "s3gd/model.hpp"

#include <cmath>

#include "base/threads.hpp"
#include "data/columns.hpp"
#include "kernel/kernel.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

std::string name_of_class(const Problem& problem, double value) {
  return std::isnan(value) ? "rest" : problem.data().y.name_of(value);
}

// Squared length of a row, and its margin without the intercept, over the columns the model knows.
template <class View>
double row_margin(const View& view, Index i, const Model& model) {
  const auto known = static_cast<Index>(model.weights.size());
  double margin = 0, square = 0;
  if constexpr (requires { view.stride; }) {
    margin = kernel::dot(view.row(i), model.weights.data(), std::min(known, view.cols));
    if (model.unit_rows) square = kernel::dot(view.row(i), view.row(i), view.cols);
  } else {
    for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k) {
      const auto value = static_cast<double>(view.values[k]);
      square += value * value;
      if (view.columns[k] < known) margin += value * model.weights[static_cast<std::size_t>(view.columns[k])];
    }
  }
  return model.unit_rows && square > 0 ? margin / std::sqrt(square) : margin;
}

}  // namespace

Model make_model(const Problem& problem, std::span<const double> w, const Scaling& scaling,
                 const Certificate& certificate) {
  Model model;
  const auto cols = static_cast<std::size_t>(problem.cols());
  model.weights.assign(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(cols));
  if (problem.has_intercept()) model.intercept = w.back();
  for (std::size_t j = 0; j < scaling.shift.size(); ++j) model.intercept -= model.weights[j] * scaling.shift[j];
  for (std::size_t j = 0; j < scaling.factor.size(); ++j) model.weights[j] *= scaling.factor[j];
  model.unit_rows = scaling.kind == Scale::unit_rows;
  model.loss = problem.spec().loss;
  model.penalty = problem.spec().penalty;
  model.penalty.factors.clear();
  if (!std::isnan(problem.positive_class())) {
    model.positive = name_of_class(problem, problem.positive_class());
    model.negative = name_of_class(problem, problem.negative_class());
  }
  model.feature_names = problem.data().feature_names;
  model.index_base = problem.data().index_base;
  model.label_column = problem.data().label_column;
  model.objective = certificate.primal;
  model.relative_gap = certificate.relative_gap;
  return model;
}

std::vector<double> predict_margins(const Model& model, const Dataset& data, int threads) {
  data.verify(threads);
  const Dataset matched = match_columns(data, model.feature_names, static_cast<Index>(model.weights.size()), threads);
  std::vector<double> margins(static_cast<std::size_t>(data.rows()));
  matched.x.visit([&](const auto& view) {
    parallel_ranges(view.rows, 1024, threads, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i)
        margins[static_cast<std::size_t>(i)] = row_margin(view, i, model) + model.intercept;
      for (Index i = begin; i < end; ++i)
        if (!std::isfinite(margins[static_cast<std::size_t>(i)]))
          throw Error("the prediction of row " + std::to_string(i) + " of " + data.source + " is not a finite number",
                      "its values are too large for the weights: scale the data as for training");
    });
  });
  return margins;
}

double probability(const Model& model, double margin) {
  if (model.loss.kind != LossKind::logistic)
    throw Error("this model has no probabilities",
                "only logistic models have; use --margin, or train with --loss logistic");
  return margin >= 0 ? 1 / (1 + std::exp(-margin)) : std::exp(margin) / (1 + std::exp(margin));
}

}  // namespace s3gd
