#include "path_options.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/memory.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"

namespace s3gd::app {

void add_path_options(CLI::App& app, PathOptions& options) {
  app.add_option("DATA", options.data, "a file, - , a known NAME, or gen:KIND?..")->required();
  app.add_option("-o,--output", options.model_path, "where the model goes")->type_name("MODEL");
  app.add_option("--report", options.report_path, "a page with curves")->type_name("FILE.html");
  const std::string path_group = "Path";
  CLI::Option* list = app.add_option("--lambda", options.lambdas, "these lambdas, as 0.1,0.01,0.001")
                          ->delimiter(',')
                          ->allow_extra_args(false)
                          ->check(real_number(0))
                          ->type_name("LIST")
                          ->group(path_group);
  app.add_option("--lambdas", options.grid.count, "a geometric grid of so many, from the largest that is of use")
      ->check(whole_number(2, 100000))
      ->capture_default_str()
      ->excludes(list)
      ->group(path_group);
  CLI::Option* ratio = app.add_option("--ratio", options.grid.ratio,
                                      "the smallest over the largest (default 1e-4; 1e-2 with fewer rows than "
                                      "columns; l2: a hundredth of that)")
                           ->excludes(list)
                           ->group(path_group);
  app.add_option("--lambda-min", options.grid.smallest, "the smallest itself")
      ->excludes(list)
      ->excludes(ratio)
      ->group(path_group);
  add_problem_options(app, options.problem, Strength::many);

  std::vector<std::string> names;
  for (const SolverInfo& solver : solvers()) names.push_back(solver.name);
  const std::string solver_group = "Solver";
  add_word(app, "--solver", options.solve.solver, names, "")->group(solver_group);
  app.add_option("--tol", options.solve.tol, "relative duality gap at each lambda")
      ->capture_default_str()
      ->group(solver_group);
  app.add_option("--passes", options.solve.passes, "at most so many passes at each lambda")->group(solver_group);
  app.add_option("--seconds", options.solve.seconds, "at most so long in all; what is done by then is kept")
      ->group(solver_group);
  add_sample_weight_option(app, options.sample_weight);
  add_load_options(app, options.load);
}

void check_path_options(const PathOptions& options) {
  refuse_standard_output(options.model_path, "--output");
  refuse_standard_output(options.report_path, "--report");
}

PathProblem read_problem(PathOptions& options, const Common& common) {
  const double started = wall_now();
  options.solve.seed = common.seed;
  Dataset rows =
      weighted_by_class(load_weighted(options.data, options.sample_weight, options.load, common), options.problem);
  const Scaling scaling = learn_scaling(rows, options.problem.scale, common.threads);
  rows = apply_scaling(rows, scaling, common.threads);
  const ProblemSpec spec = problem_spec(options.problem, rows, common);
  return {Problem(std::move(rows), spec), scaling, wall_now() - started};
}

std::vector<double> chosen_lambdas(const PathOptions& options, const Problem& problem) {
  return options.lambdas.empty() ? lambda_grid(problem, options.grid) : options.lambdas;
}

void throw_nothing_done(Status status) {
  if (status == Status::interrupted) throw Interrupted();
  throw Error("the time was up before the first lambda was done", "allow more --seconds");
}

Json point_json(const PathPoint& point, const Problem& problem) {
  Json json{{"lambda", point.lambda},
            {"objective", point.certificate.primal},
            {"relative_gap", point.certificate.relative_gap},
            {"status", name_of(point.status)},
            {"nonzeros", point.nonzeros},
            {"passes", point.passes},
            {"seconds", point.seconds}};
  if (problem.has_intercept()) json["intercept"] = point.w.back();
  return json;
}

Json common_json(const Problem& problem, const Times& times, const Common& common) {
  return {{"seconds", {{"load", times.load}, {"solve", times.solve}, {"total", times.total}}},
          {"cpu_seconds", times.cpu},
          {"rows", problem.rows()},
          {"cols", problem.cols()},
          {"nonzeros", problem.x().stored()},
          {"peak_memory_bytes", peak_memory_bytes()},
          {"seed", common.seed}};
}

report::PathPage about_page(const Problem& problem, const Path& path, std::size_t chosen, double seconds) {
  return {problem.data().source,
          with_lambda(problem, path.points[chosen].lambda).formula(),
          problem.cols(),
          problem.data().feature_names,
          chosen,
          seconds};
}

void write_page(const std::string& path, const std::string& page) {
  write_atomically(path, [&](std::ostream& out) { out << page; });
}

void save_point(const PathProblem& ready, const PathPoint& point, const std::string& path) {
  const Problem problem = with_lambda(ready.problem, point.lambda);
  save_model(make_model(problem, point.w, ready.scaling, point.certificate), path);
}

}  // namespace s3gd::app
