// What a fit is asked to do: the dicts `spec` and `options` of _core, read into the library's structures.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "dict_reader.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/softmax.hpp"
#include "s3gd/solve.hpp"
#include "work.hpp"

namespace s3gd::python {

enum class Task : std::uint8_t { binary, ovr, softmax, regression };

struct Settings {
  Task task = Task::binary;
  Index classes = 2;
  ProblemSpec problem;  // binary, ovr, regression
  SoftmaxSpec softmax;
  SolveOptions solve;
  bool check = true;  // the rows, before they are used
  OnInterrupt on_interrupt = OnInterrupt::raise;
};

Settings settings_of(const nb::dict& spec, const nb::dict& options);

}  // namespace s3gd::python
