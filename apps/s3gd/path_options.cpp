#include "path_options.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/index.hpp"
#include "base/interrupt.hpp"
#include "base/memory.hpp"
#include "base/mention.hpp"
#include "fit/fit_json.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"

namespace s3gd::app {
namespace {

void check_path_options(const PathOptions& options, const Common& common) {
  check_given(options.problem);
  refuse_standard_output(options.model_path, "--output");
  refuse_standard_output(options.report_path, "--report");
  refuse_clashes(common, files_read(options.problem),
                 {{"--output", options.model_path}, {"--report", options.report_path}});
}

Json to_json(const PathProblem& ready, const PathEnd& end, const std::string& formula, double total_seconds,
             const Common& common) {
  const Dataset& data = ready.task.data();
  Json json{{"status", name_of(end.status)}, {"formula", formula}};
  json.update(end.json);
  json.update({{"seconds", {{"load", ready.load_seconds}, {"solve", end.seconds}, {"total", total_seconds}}},
               {"cpu_seconds", end.cpu_seconds},
               {"rows", data.rows()},
               {"cols", data.cols()},
               {"nonzeros", data.x.stored()},
               {"classes", ready.task.classes()},
               {"peak_memory_bytes", peak_memory_bytes()},
               {"seed", common.seed},
               {"advice", sentences(end.advice, program_words)}});
  if (ready.task.kind() != Outputs::one) json["multiclass"] = multiclass_name(ready.task);
  return json;
}

std::string to_text(const PathProblem& ready, const PathEnd& end, const std::string& formula, double total_seconds) {
  auto fields = end.fields;
  fields.insert(fields.begin(), {{"minimised", formula}, {"status", name_of(end.status)}});
  fields.emplace_back("time", fmt::format("{} (load {}, {} {})", format_seconds(total_seconds),
                                          format_seconds(ready.load_seconds), end.parts, format_seconds(end.seconds)));
  return format_fields(fields) + "\n" + format_table(end.table);
}

}  // namespace

void add_path_options(Arguments& app, PathOptions& options) {
  app.add("DATA", &options.problem.data, "a file, - , a known NAME, or gen:KIND?..", {.required = true});
  app.add("-o,--output", &options.model_path, "where the model goes", {.takes = "MODEL"});
  app.add("--report", &options.report_path, "a page with curves", {.takes = "FILE.html"});
  app.in_group("Path");
  app.add("--lambda", &options.lambdas, "these lambdas, as 0.1,0.01,0.001",
          {.takes = "LIST", .check = real_number(0), .between = ',', .one_word = true});
  app.add("--lambdas", &options.grid.count, "a geometric grid of so many, from the largest that is of use",
          {.check = whole_number(2, 100000), .excludes = {"--lambda"}});
  app.add("--ratio", &options.grid.ratio,
          "the smallest over the largest (default 1e-4; 1e-2 with fewer rows than columns; l2: a hundredth of that)",
          {.check = positive_number(), .excludes = {"--lambda"}});
  app.add("--lambda-min", &options.grid.smallest, "the smallest itself",
          {.check = positive_number(), .excludes = {"--lambda", "--ratio"}});
  add_problem_options(app, options.problem, {.many_lambdas = true, .many_classes = true});
  add_table_options(app, options.problem.values, {"solver", "tol", "passes", "seconds"});
  app.get_option("--tol").help = "relative duality gap at each lambda";
  app.get_option("--passes").help = "at most so many passes at each lambda";
  app.get_option("--seconds").help = "at most so long in all; what is done by then is kept";
  add_table_options(app, options.problem.values, {"sample-weight"});
  add_table_options(app, options.problem.values, names_in(kReadingOptions));
}

PathProblem read_problem(PathOptions& options, const Common& common) {
  const double started = wall_now();
  check_path_options(options, common);
  SolveOptions& solve = options.problem.values.solve;
  solve.seed = common.seed;
  FitRows ready = prepare(load_weighted(options.problem, common), fit_options(options.problem), common.threads);
  const TaskSpec spec = task_spec(options.problem, ready.train, common);
  return {Task(ready.train, spec, solve.solver), std::move(ready.scaling), started, wall_now() - started};
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
  if (task.outputs() == 1)
    json["intercept"] = point.w.back();
  else
    for (Index k = 1; k <= task.outputs(); ++k) json["intercepts"].push_back(point.w[at(k * task.dim() - 1)]);
  return json;
}

int finish_path(const PathProblem& ready, const PathOptions& options, const PathEnd& end, const Common& common) {
  const PathPoint& chosen = end.path.points[end.chosen];
  const Task task = ready.task.with_lambda(chosen.lambda);
  if (!options.model_path.empty())
    save_model(task.model(chosen.w, ready.scaling, chosen.certificate), options.model_path);
  if (!options.report_path.empty()) {
    const report::PathPage about{task.data().source, task.formula(), task.data().cols(), task.data().feature_names,
                                 end.chosen,         end.seconds,    task.outputs()};
    const std::string page = end.page(about);
    write_atomically(options.report_path, [&](std::ostream& out) { out << page; });
  }
  const double total = wall_now() - ready.started;
  if (common.json)
    print_json(to_json(ready, end, task.formula(), total, common));
  else
    print(to_text(ready, end, task.formula(), total));
  print_advice(end.advice, common);
  if (end.status == Status::interrupted && *end.fitted != '\0')
    remark(common, "interrupted: chosen from what was done by then");
  if (!options.model_path.empty())
    remark(common,
           fmt::format("model of lambda {:.6g}{} written to {}", chosen.lambda, end.fitted, options.model_path));
  if (!options.report_path.empty()) remark(common, "page written to " + options.report_path);
  return exit_code(end.status);
}

}  // namespace s3gd::app
