#include "path_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/json.hpp"
#include "base/memory.hpp"
#include "base/mention.hpp"
#include "fit/fit_json.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"

namespace s3gd::app {

void add_path_options(Arguments& app, PathOptions& options) {
  app.add_option("DATA", options.data, "a file, - , a known NAME, or gen:KIND?..")->required();
  app.add_option("-o,--output", options.model_path, "where the model goes")->type_name("MODEL");
  app.add_option("--report", options.report_path, "a page with curves")->type_name("FILE.html");
  const std::string path_group = "Path";
  Option* list = app.add_option("--lambda", options.lambdas, "these lambdas, as 0.1,0.01,0.001")
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
  Option* ratio = app.add_option("--ratio", options.grid.ratio,
                                 "the smallest over the largest (default 1e-4; 1e-2 with fewer rows than "
                                 "columns; l2: a hundredth of that)")
                      ->check(positive_number())
                      ->excludes(list)
                      ->group(path_group);
  app.add_option("--lambda-min", options.grid.smallest, "the smallest itself")
      ->check(positive_number())
      ->excludes(list)
      ->excludes(ratio)
      ->group(path_group);
  add_problem_options(app, options.problem, Strength::many);
  options.multiclass.add(app);

  add_table_options(app, {.solve = &options.solve}, {"solver", "tol", "passes", "seconds"});
  app.get_option("--tol")->description("relative duality gap at each lambda");
  app.get_option("--passes")->description("at most so many passes at each lambda");
  app.get_option("--seconds")->description("at most so long in all; what is done by then is kept");
  add_sample_weight_option(app, options.sample_weight);
  add_load_options(app, options.load);
}

void check_path_options(const PathOptions& options, const Common& common) {
  refuse_standard_output(options.model_path, "--output");
  refuse_standard_output(options.report_path, "--report");
  refuse_clashes(common, files_read(options.data, options.problem, options.load, options.sample_weight),
                 {{"--output", options.model_path}, {"--report", options.report_path}});
}

PathProblem read_problem(PathOptions& options, const Common& common) {
  const double started = wall_now();
  options.solve.seed = common.seed;
  Dataset rows = load_weighted(options.data, options.sample_weight, options.load, common);
  FitRows ready = prepare(std::move(rows), fit_options(options.problem), common.threads);
  const TaskSpec spec = task_spec(options.multiclass, options.problem, ready.train, common);
  return {Task(ready.train, spec, options.solve.solver), std::move(ready.scaling), wall_now() - started};
}

std::vector<double> chosen_lambdas(const PathOptions& options, const Task& task) {
  if (const std::string& file = options.problem.penalty_factor_file; !file.empty()) {
    const std::vector<double> factors = read_numbers(file);
    if (std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 0; }))
      throw Error(file + ": all factors are zero, so that no lambda does anything", "give a feature another factor");
  }
  return options.lambdas.empty() ? lambda_grid(task, options.grid) : options.lambdas;
}

void throw_nothing_done(Status status) {
  if (status == Status::interrupted) throw Interrupted();
  throw Error("the time was up before the first lambda was done", "allow " + more("seconds"));
}

Json point_json(const PathPoint& point, const Task& task) {
  Json json{{"lambda", point.lambda},
            {"objective", point.certificate.primal},
            {"relative_gap", point.certificate.relative_gap},
            {"status", name_of(point.status)},
            {"nonzeros", point.nonzeros},
            {"features", point.features},
            {"passes", point.passes},
            {"seconds", point.seconds}};
  if (point.rank) json["rank"] = *point.rank;
  if (!task.has_intercept()) return json;
  if (task.outputs() == 1) {
    json["intercept"] = point.w.back();
    return json;
  }
  for (Index k = 1; k <= task.outputs(); ++k)
    json["intercepts"].push_back(point.w[static_cast<std::size_t>(k * task.dim() - 1)]);
  return json;
}

Json common_json(const PathProblem& ready, const Times& times, const std::vector<Advice>& advice,
                 const Common& common) {
  const Dataset& data = ready.task.data();
  Json json{{"seconds", {{"load", times.load}, {"solve", times.solve}, {"total", times.total}}},
            {"cpu_seconds", times.cpu},
            {"rows", data.rows()},
            {"cols", data.cols()},
            {"nonzeros", data.x.stored()},
            {"classes", ready.task.classes()},
            {"peak_memory_bytes", peak_memory_bytes()},
            {"seed", common.seed},
            {"advice", sentences(advice, program_words)}};
  if (ready.task.kind() != Outputs::one) json["multiclass"] = multiclass_name(ready.task);
  return json;
}

report::PathPage about_page(const Task& task, const Path& path, std::size_t chosen, double seconds) {
  return {task.data().source,
          task.with_lambda(path.points[chosen].lambda).formula(),
          task.data().cols(),
          task.data().feature_names,
          chosen,
          seconds,
          task.outputs()};
}

void print_advice(const std::vector<Advice>& advice, const Common& common) {
  for (const Advice& one : advice) remark(common, "advice: " + one.sentence(program_words));
}

void write_page(const std::string& path, const std::string& page) {
  write_atomically(path, [&](std::ostream& out) { out << page; });
}

void save_point(const PathProblem& ready, const PathPoint& point, const std::string& path) {
  save_model(ready.task.with_lambda(point.lambda).model(point.w, ready.scaling, point.certificate), path);
}

}  // namespace s3gd::app
