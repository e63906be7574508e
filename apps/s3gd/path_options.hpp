// What path and cv have in common: their options, reading the rows, the lambdas, what is told in the end.
#pragma once

#include "output.hpp"
#include "problem_options.hpp"
#include "report/fit_pages.hpp"
#include "s3gd/path.hpp"

namespace s3gd::app {

struct PathOptions {
  std::string model_path, report_path;
  ProblemOptions problem;
  GridOptions grid;
  std::vector<double> lambdas;  // instead of the grid
};

void add_path_options(Arguments& app, PathOptions& options);

// The rows, read and scaled, and the problem over them.
struct PathProblem {
  Task task;
  Scaling scaling;
  double started = 0, load_seconds = 0;
};
// Checks the options first.
PathProblem read_problem(PathOptions& options, const Common& common);
// The list given, or the grid.
std::vector<double> chosen_lambdas(const PathOptions& options, const Task& task);

Json point_json(const PathPoint& point, const Task& task);
[[noreturn]] void throw_nothing_done(Status status);  // it ended before its first point

// What was found, as both commands tell it.
struct PathEnd {
  Status status;
  double seconds, cpu_seconds;
  const std::vector<Advice>& advice;
  const Path& path;  // over all rows
  std::size_t chosen;
  Json json;                                                // beside what both have
  const char* parts;                                        // that took the time
  std::vector<std::pair<std::string, std::string>> fields;  // before the time
  std::vector<std::vector<std::string>> table;
  std::function<std::string(const report::PathPage& about)> page;
  const char* fitted;  // how the model was, in brackets of commas
};
// Writes model and page, prints what was found; returns the exit code.
int finish_path(const PathProblem& ready, const PathOptions& options, const PathEnd& end, const Common& common);

}  // namespace s3gd::app
