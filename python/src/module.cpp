// _core: the library as the Python package calls it. python/s3gd/_core.pyi says the same in types.
#include <nanobind/nanobind.h>

#include "calls.hpp"
#include "s3gd/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(_core, m) {
  m.doc() = "The C++ library behind s3gd; use the estimators and functions of s3gd instead.";
  m.attr("version") = S3GD_VERSION;
  nb::exception<s3gd::Error>(m, "Error", PyExc_ValueError);

  m.def("fit", &s3gd::python::fit, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a,
        "options"_a = nb::dict(), "start"_a = nb::none(), "X_val"_a = nb::none(), "y_val"_a = nb::none(),
        "callback"_a = nb::none(), "Fits a model; see _core.pyi.");
}
