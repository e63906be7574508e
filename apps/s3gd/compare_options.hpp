// The options of compare: a plan file's keys under the same names, laid over the file where there is one.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "command.hpp"
#include "output.hpp"
#include "s3gd/compare.hpp"

namespace s3gd::app {

struct CompareOptions {
  std::vector<std::string> data;
  std::string folder;
  std::string plan_file;
  std::vector<std::string> solvers;   // --solvers a,b,c
  std::vector<std::string> variants;  // --solver NAME:OPTION=VALUE,..
  std::vector<std::string> steps;
  std::string test;
  LoadOptions load;
  Json said = Json::object();  // keys of a plan, as far as they were given
  bool quick = false, fresh = false, gradients = false, estimate = false, no_pages = false;
};

void add_compare_options(Arguments& app, CompareOptions& options);
Plan plan_of(const CompareOptions& options, const Common& common, bool threads_given);
// Where the results go: as asked for, or by the name of the plan or of the first dataset.
std::string folder_of(const CompareOptions& options, const Plan& plan);

}  // namespace s3gd::app
