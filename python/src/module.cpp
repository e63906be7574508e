// _core: the library as the Python package calls it. python/s3gd/_core.pyi says the same in types.
#include <cmath>

#include "convert.hpp"
#include "s3gd/compare.hpp"
#include "solve/options/table.hpp"
#include "work.hpp"

namespace s3gd::python {

void bind_fit(nb::module_& m);    // fit, paths
void bind_data(nb::module_& m);   // load, save, inspect, known_datasets, data_path
void bind_model(nb::module_& m);  // the class Model, and export_formats

namespace {

// Error(ValueError) with its code, the option it is about, and its text with marks, for words of an estimator.
void add_error(nb::module_& m) {
  PyObject* type = PyErr_NewException("s3gd._core.Error", PyExc_ValueError, nullptr);
  m.attr("Error") = nb::borrow(type);
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const Error& error) {
          const nb::object raised = nb::borrow(static_cast<PyObject*>(type))(text(error.in_words(python_words)));
          raised.attr("code") = name_of(error.code());
          raised.attr("option") = text(error.option());
          raised.attr("marked") = text(error.marked());
          PyErr_SetObject(static_cast<PyObject*>(type), raised.ptr());
        }
      },
      type);
}

nb::object compare(const std::string& plan, const std::string& folder, nb::object callback) {
  const Plan parsed = parse_plan(plan);
  WatchPlan watch;
  Work work;
  if (!callback.is_none())
    watch = [&](const PlanProgress& progress) {
      return work.tell(callback, [&] {
        return to_python(Json{{"done", progress.done},
                              {"of", progress.of},
                              {"doing", progress.doing},
                              {"iteration", progress.iteration},
                              {"seconds_left", progress.seconds_left}});
      });
    };
  PlanResult run;
  work.run([&] { run = run_plan(parsed, folder, watch); });
  return to_python(Json{{"status", name_of(run.status)},
                        {"runs", run.runs},
                        {"planned", run.planned},
                        {"failed", run.failed},
                        {"run_file", run.run_file}});
}

// What a number may be, as the arguments of require_number in _validation.py.
nb::dict limits(const std::string& option) {
  const Range& range = find_option(with_hyphens(option))->range;
  nb::dict dict;
  if (!std::isinf(range.least)) dict[range.open ? "above" : "least"] = range.least;
  if (!std::isinf(range.most)) dict["most"] = range.most;
  return dict;
}

}  // namespace
}  // namespace s3gd::python

NB_MODULE(_core, m) {
  using namespace s3gd::python;
  m.doc() = "The C++ library behind s3gd; use the estimators and functions of s3gd instead.";
  m.attr("version") = S3GD_VERSION;
  add_error(m);
  bind_fit(m);
  bind_data(m);
  bind_model(m);
  m.def("limits", &limits, "option"_a, kSee);
  m.def("compare", &compare, "plan"_a, "folder"_a, "callback"_a = nb::none(), kSee);
}
