// What path and cv have in common: their options, reading the rows, the lambdas, the page.
#pragma once

#include <string>
#include <vector>

#include "fit_options.hpp"
#include "multiclass_options.hpp"
#include "output.hpp"
#include "report/path_page.hpp"
#include "s3gd/path.hpp"

namespace s3gd::app {

struct PathOptions {
  std::string data, model_path, report_path, sample_weight;
  LoadOptions load;
  ProblemOptions problem;
  MulticlassOptions multiclass;
  GridOptions grid;
  std::vector<double> lambdas;  // instead of the grid
  SolveOptions solve;
};

void add_path_options(Arguments& app, PathOptions& options);
void check_path_options(const PathOptions& options, const Common& common);

// The rows, read and scaled, and the problem over them.
struct PathProblem {
  Task task;
  Scaling scaling;
  double load_seconds = 0;
};
PathProblem read_problem(PathOptions& options, const Common& common);
// The list given, or the grid.
std::vector<double> chosen_lambdas(const PathOptions& options, const Task& task);

// Where a run ended before its first point: an error that says why.
[[noreturn]] void throw_nothing_done(Status status);

Json point_json(const PathPoint& point, const Task& task);
struct Times {
  double load = 0, solve = 0, total = 0, cpu = 0;  // cpu: of the solve
};
Json common_json(const PathProblem& ready, const Times& times, const std::vector<Advice>& advice, const Common& common);
report::PathPage about_page(const Task& task, const Path& path, std::size_t chosen, double seconds);
void write_page(const std::string& path, const std::string& page);
// To standard error, one remark each.
void print_advice(const std::vector<Advice>& advice, const Common& common);
void save_point(const PathProblem& ready, const PathPoint& point, const std::string& path);

}  // namespace s3gd::app
