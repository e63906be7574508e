// Saved models: made of an estimator's parameters, written, read, exported, and asked for predictions.
#include "s3gd/model_use.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "base/threads.hpp"
#include "problem/loss.hpp"
#include "saved/predictor.hpp"
#include "task.hpp"

namespace s3gd::python {
namespace {

constexpr Index kRowsPerChunk = 4096;

// What goes on record of the spec. A penalty of the whole matrix has its name beside.
void record(const Settings& settings, Model& model) {
  model.loss = settings.task.problem.loss;
  model.penalty = settings.task.problem.penalty;
  model.penalty.factors.clear();
  if (const auto kind = settings.task.matrix_penalty) {
    const bool of_matrix = *kind == MatrixPenaltyKind::group_lasso || *kind == MatrixPenaltyKind::nuclear;
    if (of_matrix)
      model.matrix_penalty = s3gd::name_of(*kind);
    else
      model.penalty.kind = parse_name<PenaltyKind>("penalty", s3gd::name_of(*kind));
    model.link = Link::softmax;
  } else {
    model.link = traits_of(model.loss.kind).link;
  }
}

Model make(nb::object coef, nb::object intercept, nb::dict spec, std::vector<std::string> classes,
           std::vector<std::string> feature_names, double objective, double relative_gap) {
  const Settings settings = settings_of(spec, nb::dict());
  Model model;
  model.classes = std::move(classes);
  record(settings, model);
  if ((settings.classes == 0) != model.classes.empty() || model.classes.size() == 1)
    throw Error(std::to_string(model.classes.size()) + " classes do not go with the task");
  const Matrix weights = matrix_of(coef);
  const Coefficients parts = coefficients_of(nb::make_tuple(coef, intercept), model.outputs(), weights.cols());
  model.weights = parts.weights;
  model.intercepts = parts.intercepts;
  model.feature_names = std::move(feature_names);
  if (!model.feature_names.empty() && static_cast<Index>(model.feature_names.size()) != weights.cols())
    throw Error(std::to_string(model.feature_names.size()) + " names for " + std::to_string(weights.cols()) +
                " features");
  model.objective = objective;
  model.relative_gap = relative_gap;
  return model;
}

// Of each row and output.
std::vector<double> margins_of(const Model& model, nb::handle x, int threads) {
  Dataset data;
  data.x = matrix_of(x);
  data.source = "X";
  if (data.cols() != model.features())
    throw Error("X has " + std::to_string(data.cols()) + " features, the model " + std::to_string(model.features()));
  std::vector<double> margins;
  Work().run([&] {
    data.x.check(threads);
    margins = predict_margins(model, data, threads);
  });
  return margins;
}

nb::object margins(const Model& model, nb::object x, int threads) {
  std::vector<double> all = margins_of(model, x, threads);
  const Index rows = std::ssize(all) / model.outputs();
  return array_from(std::move(all), {rows, model.outputs()});
}

nb::object proba(const Model& model, nb::object x, int threads) {
  require_probabilities(model);
  const std::vector<double> all = margins_of(model, x, threads);
  const std::size_t outputs = static_cast<std::size_t>(model.outputs()), classes = model.classes.size();
  const std::size_t rows = all.size() / outputs;
  std::vector<double> shares(rows * classes);
  parallel_ranges(static_cast<Index>(rows), kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      probabilities(model, std::span(all).subspan(i * outputs, outputs),
                    std::span(shares).subspan(i * classes, classes));
  });
  return array_from(std::move(shares), {static_cast<Index>(rows), std::ssize(model.classes)});
}

nb::list texts(const std::vector<std::string>& words) {
  nb::list list;
  for (const std::string& word : words) list.append(text(word));
  return list;
}

nb::list export_to(const Model& model, const std::string& path, const std::string& format) {
  const Exported exported = export_model(model, format, std::filesystem::path(path).stem().string());
  write_atomically(path, [&](std::ostream& out) { out << exported.bytes; });
  return texts(exported.remarks);
}

nb::dict facts(const Model& model) {
  nb::dict dict;
  dict["coef"] = array_from(model.weights, {model.outputs(), model.features()});
  dict["intercept"] = array_from(model.intercepts);
  dict["class_names"] = texts(model.classes);
  dict["feature_names"] = texts(model.feature_names);
  dict["link"] = std::string(name_of(model.link));
  dict["loss"] = model.loss_name();
  for_each_parameter([&](const LossTraits& traits) {
    dict[std::string(traits.parameter_name).c_str()] = model.loss.*traits.parameter;
  });
  dict["penalty"] = model.penalty_name();
  dict["lambda"] = model.penalty.lambda;
  dict["alpha"] = model.penalty.alpha;
  dict["unit_rows"] = model.unit_rows;
  dict["objective"] = model.objective;
  dict["relative_gap"] = model.relative_gap;
  return dict;
}

}  // namespace

void bind_model(nb::module_& m) {
  nb::class_<Model>(m, "Model", kSee)
      .def(nb::new_(&make), "coef"_a, "intercept"_a, nb::kw_only(), "spec"_a, "class_names"_a = nb::list(),
           "feature_names"_a = nb::list(), "objective"_a = 0.0, "relative_gap"_a = 0.0, kSee)
      .def_static(
          "load", [](const std::string& path) { return load_model(path); }, "path"_a, kSee)
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) {
            return load_model_bytes({bytes.c_str(), bytes.size()}, "pickled model");
          },
          "bytes"_a, kSee)
      .def(
          "save", [](const Model& model, const std::string& path) { save_model(model, path); }, "path"_a, kSee)
      .def("export", &export_to, "path"_a, "format"_a, kSee)
      .def("facts", &facts, kSee)
      .def("margins", &margins, "X"_a, "threads"_a = 0, kSee)
      .def("probabilities", &proba, "X"_a, "threads"_a = 0, kSee);
  m.def(
      "export_formats",
      [] {
        nb::dict formats;
        for (const ExportFormat& format : export_formats()) formats[text(format.name)] = text(format.summary);
        return formats;
      },
      kSee);
}

}  // namespace s3gd::python
