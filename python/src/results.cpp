#include "results.hpp"

#include <nanobind/stl/string.h>

#include <nlohmann/json.hpp>
#include <string>

#include "arrays.hpp"

namespace s3gd::python {
namespace {

using Json = nlohmann::ordered_json;

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

nb::object text(const std::string& words) {
  return nb::steal(PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace"));
}

nb::object to_python(const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: {
      nb::dict dict;
      for (const auto& [key, value] : json.items()) dict[text(key)] = to_python(value);
      return dict;
    }
    case Json::value_t::array: {
      nb::list list;
      for (const Json& value : json) list.append(to_python(value));
      return list;
    }
    case Json::value_t::string:
      return text(json.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return nb::cast(json.get<bool>());
    case Json::value_t::number_integer:
      return nb::cast(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return nb::cast(json.get<std::uint64_t>());
    case Json::value_t::number_float:
      return nb::cast(json.get<double>());
    default:
      return nb::none();
  }
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
