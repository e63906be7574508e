// load, save, inspect, and the known datasets.
#include <nanobind/stl/optional.h>

#include "data/catalog.hpp"
#include "saved/inspect.hpp"
#include "task.hpp"

namespace s3gd::python {
namespace {

LoadOptions load_options(const nb::dict& dict) {
  DictReader given(dict, "options");
  OptionValues values;
  read_group(given, kReadingOptions, values, "labels");
  LoadOptions& options = values.load;
  given.read("labels_path", options.labels_path);
  given.read("threads", options.threads);
  given.read("cols", options.cols);
  given.finish();
  return options;
}

template <class T>
nb::object rows_to_python(const DenseView<T>& view, const Matrix& matrix) {
  if (view.stride == view.cols) return array_over(view.values, {view.rows, view.cols}, matrix.owner());
  throw Error("rows with gaps between them were read");  // no reader makes such
}

template <class T, class I>
nb::object rows_to_python(const CsrView<T, I>& view, const Matrix& matrix) {
  const auto first = view.rows == 0 ? 0 : view.starts[0];
  if (first != 0) throw Error("sparse rows that begin after the first entry were read");  // no reader makes such
  return nb::make_tuple(array_over(view.values, {view.nonzeros()}, matrix.owner()),
                        array_over(view.columns, {view.nonzeros()}, matrix.owner()),
                        array_over(view.starts, {view.rows + 1}, matrix.owner()), view.cols);
}

nb::object numbers(const Array<double>& values) {
  if (values.empty()) return nb::none();
  return array_over(values.data(), {values.size()}, values.owner());
}

// Labels as classes with the names given, as numbers, or none at all.
Dataset described(nb::handle x, nb::handle y, nb::handle weights, const std::string& labels,
                  std::vector<std::string> class_names) {
  Dataset data = dataset_of(x, y, weights, parse_name<LabelKind>("kind of labels", labels));
  const std::size_t count = class_names.size();
  for (const double code : data.y.values)
    if (count > 0 && !(code >= 0 && code < static_cast<double>(count)))
      throw Error("y holds " + std::to_string(code) + ", but only " + std::to_string(count) + " classes have a name");
  if (data.y.kind != LabelKind::none) data.y.class_names = std::move(class_names);
  if (!data.weights.empty() && data.weights.size() != data.rows())
    throw Error(std::to_string(data.weights.size()) + " sample weights for " + std::to_string(data.rows()) + " rows");
  return data;
}

TheoryQuestion question_of(const nb::dict& dict) {
  DictReader given(dict, "options");
  TheoryQuestion question;
  given.read("batch", question.batch);
  given.read("inner", question.inner);
  given.read("step", question.step);
  given.read("seed", question.seed);
  given.read("threads", question.threads);
  bool variance = false;
  given.read("variance", variance);
  OptionValues values;
  read_group(given, kGraphOptions, values);
  if (variance) question.graph = values.solve.graph;
  given.finish();
  return question;
}

// Null where the data is no problem for the loss: what is in it is worth knowing even then.
Json theory_of(const Dataset& data, const ProblemSpec& spec, bool loss_was_given, const TheoryQuestion& question) {
  if (data.y.kind == LabelKind::none) return nullptr;
  try {
    const Problem problem(data, usual_spec(spec, data, loss_was_given));
    return to_json(theory_facts(problem, question));
  } catch (const Error& error) {
    return {{"problem", error.in_words(python_words)}};
  }
}

Json to_json(const KnownDataset& entry) {
  return {{"name", entry.name},
          {"summary", entry.summary},
          {"train_rows", entry.train_rows},
          {"test_rows", entry.test_rows},
          {"cols", entry.cols},
          {"classes", entry.classes},
          {"homepage", entry.homepage},
          {"here", find_known(entry.name).has_value()}};
}

nb::dict load(const std::string& source, nb::dict options) {
  const LoadOptions with = load_options(options);
  Dataset data;
  Work().run([&] {
    data = s3gd::load(source, with);
    data.verify(with.threads);
  });
  nb::dict result;
  result["X"] = data.x.visit([&](const auto& view) { return rows_to_python(view, data.x); });
  result["y"] = numbers(data.y.values);
  result["labels"] = name_of(data.y.kind);
  result["class_names"] = data.y.class_names;
  result["sample_weight"] = numbers(data.weights);
  result["feature_names"] = data.feature_names;
  result["source"] = data.source;
  return result;
}

void save(const std::string& path, nb::object x, nb::object y, nb::object sample_weight, const std::string& labels,
          std::vector<std::string> class_names, std::vector<std::string> feature_names) {
  Dataset data = described(x, y, sample_weight, labels, std::move(class_names));
  data.feature_names = std::move(feature_names);
  Work().run([&] {
    data.x.check();
    s3gd::save(data, path);
  });
}

nb::object inspect(nb::object x, nb::object y, nb::object sample_weight, const std::string& labels,
                   std::vector<std::string> class_names, nb::dict spec, nb::dict options) {
  const Dataset data = described(x, y, sample_weight, labels, std::move(class_names));
  const TheoryQuestion question = question_of(options);
  ProblemSpec problem = settings_of(spec, {}).task.problem;
  problem.threads = question.threads;
  const bool loss_was_given = spec.contains("loss");
  Json facts;
  Work().run([&] {
    data.x.check(question.threads);
    facts = to_json(data, summarise(data, question.threads), marked);
    facts["theory"] = theory_of(data, problem, loss_was_given, question);
  });
  return to_python(facts);
}

nb::object known_datasets() {
  Json list = Json::array();
  for (const KnownDataset& entry : catalog()) list.push_back(to_json(entry));
  return to_python(list);
}

std::string data_path(const std::string& name, const std::string& part) {
  if (part != "train" && part != "test") throw Error("the part of a dataset is 'train' or 'test', not '" + part + "'");
  if (const auto path = find_known(name, part == "train" ? Part::train : Part::test)) return *path;
  if (const KnownDataset* entry = find_entry(name)) {
    if (find_known(name)) throw Error("the dataset " + name + " has no rows for tests on this machine");
    throw_not_here(*entry);
  }
  const std::string nearest = nearest_entry(name);
  throw Error("no dataset is known as '" + name + "'", nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

}  // namespace

void bind_data(nb::module_& m) {
  m.def("load", &load, "source"_a, "options"_a = nb::dict(), kSee);
  m.def("save", &save, "path"_a, "X"_a, "y"_a = nb::none(), nb::kw_only(), "sample_weight"_a = nb::none(),
        "labels"_a = "none", "class_names"_a = nb::list(), "feature_names"_a = nb::list(), kSee);
  m.def("inspect", &inspect, "X"_a, "y"_a = nb::none(), nb::kw_only(), "sample_weight"_a = nb::none(),
        "labels"_a = "none", "class_names"_a = nb::list(), "spec"_a = nb::dict(), "options"_a = nb::dict(), kSee);
  m.def("known_datasets", &known_datasets, kSee);
  m.def("data_path", &data_path, "name"_a, "part"_a = "train", kSee);
}

}  // namespace s3gd::python
