// The functions of _core, one file each. module.cpp names their arguments and documents them.
#pragma once

#include <nanobind/nanobind.h>

namespace s3gd::python {

namespace nb = nanobind;

nb::dict fit(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options, nb::object start,
             nb::object x_val, nb::object y_val, nb::object callback);

}  // namespace s3gd::python
