#include "results.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "arrays.hpp"
#include "base/json.hpp"
#include "dict_reader.hpp"

namespace s3gd::python {
namespace {

struct Column {
  const char* name;
  double TraceRow::*value;
};
constexpr Column kColumns[] = {{"passes", &TraceRow::passes},
                               {"cpu_seconds", &TraceRow::cpu_seconds},
                               {"wall_seconds", &TraceRow::wall_seconds},
                               {"train_objective", &TraceRow::train_objective},
                               {"test_objective", &TraceRow::test_objective},
                               {"gap", &TraceRow::gap},
                               {"step", &TraceRow::step},
                               {"correlation", &TraceRow::correlation},
                               {"variance_ratio", &TraceRow::variance_ratio}};

}  // namespace

std::string python_words(const Mention& mention) {
  if (mention.kind == Mention::Kind::class_name) return std::string(mention.name);
  std::string text = plain_words({mention.kind, DictReader::with_underscores(std::string(mention.name)), {}});
  for (std::size_t at = 0; at < mention.value.size();) {  // solver='auto', 'newton'
    const std::size_t end = std::min(mention.value.find(", ", at), mention.value.size());
    text.append(at == 0 ? "='" : ", '").append(mention.value.substr(at, end - at)).append("'");
    at = end + 2;
  }
  return text;
}

nb::object text(const std::string& words) {
  return nb::steal(PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace"));
}

nb::object to_python(const Json& json) {
  if (json.is_object()) {
    nb::dict dict;
    for (const auto& [key, value] : json.items()) dict[text(key)] = to_python(value);
    return dict;
  }
  if (json.is_array()) {
    nb::list list;
    for (const Json& value : json) list.append(to_python(value));
    return list;
  }
  if (json.is_string()) return text(json.get<std::string>());
  if (json.is_boolean()) return nb::cast(json.get<bool>());
  if (json.is_count()) return nb::cast(json.get<std::uint64_t>());
  if (json.is_integer()) return nb::cast(json.get<std::int64_t>());
  if (json.is_number()) return nb::cast(json.get<double>());
  return nb::none();
}

nb::dict to_python(const TraceRow& row) {
  nb::dict dict;
  dict["iteration"] = row.iteration;
  for (const Column& column : kColumns) dict[column.name] = row.*column.value;
  dict["stage"] = text(row.stage);
  return dict;
}

nb::dict to_python(const std::vector<TraceRow>& trace) {
  nb::dict dict;
  std::vector<Index> iterations;
  for (const TraceRow& row : trace) iterations.push_back(row.iteration);
  dict["iteration"] = array_from(std::move(iterations));
  for (const Column& column : kColumns) {
    std::vector<double> values;
    for (const TraceRow& row : trace) values.push_back(row.*column.value);
    dict[column.name] = array_from(std::move(values));
  }
  nb::list stages;
  for (const TraceRow& row : trace) stages.append(text(row.stage));
  dict["stage"] = stages;
  return dict;
}

}  // namespace s3gd::python
