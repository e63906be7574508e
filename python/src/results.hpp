// What the library has to say, as Python's dicts, lists and arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "base/json.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::python {

namespace nb = nanobind;

std::string python_words(const Mention& mention);  // label_column='none'
nb::object text(const std::string& words);         // names come from files and need not be UTF-8
nb::object to_python(const Json& json);
nb::dict to_python(const TraceRow& row);
// One array for each column, a list for the stages.
nb::dict to_python(const std::vector<TraceRow>& trace);

}  // namespace s3gd::python
