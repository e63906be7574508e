// The functions of _core, one file each. module.cpp names their arguments and documents them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "s3gd/matrix.hpp"

namespace s3gd::python {

namespace nb = nanobind;

nb::dict fit(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options, nb::object start,
             nb::object x_val, nb::object y_val, nb::object callback);

nb::dict path(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options, nb::object lambdas,
              Index count, double ratio, double smallest, nb::object callback);
nb::dict cross_validate(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options,
                        nb::object lambdas, Index count, double ratio, double smallest, nb::object folds,
                        nb::object metric, nb::object callback);
nb::dict fold_paths(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options,
                    nb::list folds, nb::list lambdas);

void bind_model(nb::module_& m);  // the class Model, and export_formats

nb::dict load(const std::string& source, nb::dict options);
void save(const std::string& path, nb::object x, nb::object y, nb::object sample_weight, const std::string& labels,
          std::vector<std::string> class_names, std::vector<std::string> feature_names);
nb::object inspect(nb::object x, nb::object y, nb::object sample_weight, const std::string& labels,
                   std::vector<std::string> class_names, nb::dict spec, nb::dict options);
nb::object known_datasets();
nb::dict compare(const std::string& plan, const std::string& folder, nb::object callback);
std::string data_path(const std::string& name, const std::string& part);

}  // namespace s3gd::python
