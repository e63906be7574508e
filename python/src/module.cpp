// _core: the library as the Python package calls it. python/s3gd/_core.pyi says the same in types.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "calls.hpp"
#include "results.hpp"
#include "s3gd/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// Error(ValueError) with its code, the option it is about, and its text with marks, for words of an estimator.
void add_error(nb::module_& m) {
  PyObject* type = PyErr_NewException("s3gd._core.Error", PyExc_ValueError, nullptr);
  m.attr("Error") = nb::borrow(type);
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const s3gd::Error& error) {
          const nb::object raised =
              nb::borrow(static_cast<PyObject*>(type))(s3gd::python::text(error.in_words(s3gd::python::python_words)));
          raised.attr("code") = s3gd::name_of(error.code());
          raised.attr("option") = s3gd::python::text(error.option());
          raised.attr("marked") = s3gd::python::text(error.marked());
          PyErr_SetObject(static_cast<PyObject*>(type), raised.ptr());
        }
      },
      type);
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C++ library behind s3gd; use the estimators and functions of s3gd instead.";
  m.attr("version") = S3GD_VERSION;
  add_error(m);

  using namespace s3gd::python;
  const char* see = "See _core.pyi.";
  m.def("fit", &fit, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a, "options"_a = nb::dict(),
        "start"_a = nb::none(), "X_val"_a = nb::none(), "y_val"_a = nb::none(), "callback"_a = nb::none(), see);
  m.def("path", &path, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a, "options"_a = nb::dict(),
        "lambdas"_a = nb::none(), "count"_a = 50, "ratio"_a = 0.0, "smallest"_a = 0.0, "callback"_a = nb::none(), see);
  m.def("cross_validate", &cross_validate, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a,
        "options"_a = nb::dict(), "lambdas"_a = nb::none(), "count"_a = 50, "ratio"_a = 0.0, "smallest"_a = 0.0,
        "folds"_a = 5, "metric"_a = nb::none(), "callback"_a = nb::none(), see);
  m.def("fold_paths", &fold_paths, "X"_a, "y"_a, nb::kw_only(), "sample_weight"_a = nb::none(), "spec"_a,
        "options"_a = nb::dict(), "folds"_a, "lambdas"_a, see);
  m.def("load", &load, "source"_a, "options"_a = nb::dict(), see);
  m.def("save", &save, "path"_a, "X"_a, "y"_a = nb::none(), nb::kw_only(), "sample_weight"_a = nb::none(),
        "labels"_a = "none", "class_names"_a = nb::list(), "feature_names"_a = nb::list(), see);
  m.def("inspect", &inspect, "X"_a, "y"_a = nb::none(), nb::kw_only(), "sample_weight"_a = nb::none(),
        "labels"_a = "none", "class_names"_a = nb::list(), "spec"_a = nb::dict(), "options"_a = nb::dict(), see);
  m.def("compare", &compare, "plan"_a, "folder"_a, "callback"_a = nb::none(), see);
  bind_model(m);
  m.def("known_datasets", &known_datasets, see);
  m.def("data_path", &data_path, "name"_a, "part"_a = "train", see);
}
