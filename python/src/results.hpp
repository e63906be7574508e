// What the library has to say, as Python's dicts, lists and arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "s3gd/solve.hpp"

namespace s3gd::python {

namespace nb = nanobind;

nb::object text(const std::string& words);  // names come from files and need not be UTF-8
nb::object to_python(const nlohmann::ordered_json& json);
nb::dict to_python(const TraceRow& row);
// One array for each column, a list for the stages.
nb::dict to_python(const std::vector<TraceRow>& trace);

}  // namespace s3gd::python
