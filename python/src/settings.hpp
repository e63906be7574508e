// What a fit is asked to do: the dicts `spec` and `options` of _core, read into the library's structures.
#pragma once

#include <nanobind/nanobind.h>

#include "dict_reader.hpp"
#include "s3gd/solve.hpp"
#include "work.hpp"

namespace s3gd::python {

struct Settings {
  TaskSpec task;      // its outputs are never automatic
  Index classes = 2;  // 0: regression
  SolveOptions solve;
  bool scale = false;  // huber: the scale of the errors is found, and the knee is in units of it
  bool check = true;   // the rows, before they are used
  OnInterrupt on_interrupt = OnInterrupt::raise;
};

Settings settings_of(const nb::dict& spec, const nb::dict& options);

}  // namespace s3gd::python
