#include "path_options.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/interrupted.hpp"
#include "base/memory.hpp"
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

  const std::string solver_group = "Solver";
  add_word(app, "--solver", options.solve.solver, solver_names(), "")->group(solver_group);
  app.add_option("--tol", options.solve.tol, "relative duality gap at each lambda")
      ->capture_default_str()
      ->group(solver_group);
  app.add_option("--passes", options.solve.passes, "at most so many passes at each lambda")
      ->check(positive_number())
      ->group(solver_group);
  app.add_option("--seconds", options.solve.seconds, "at most so long in all; what is done by then is kept")
      ->check(positive_number())
      ->group(solver_group);
  add_sample_weight_option(app, options.sample_weight);
  add_load_options(app, options.load);
}

void check_path_options(const PathOptions& options, const Common& common) {
  refuse_standard_output(options.model_path, "--output");
  refuse_standard_output(options.report_path, "--report");
  refuse_clashes(common, files_read(options.data, options.problem, options.load, options.sample_weight),
                 {{"--output", options.model_path}, {"--report", options.report_path}});
}

namespace {

ProblemFamily family_of(const std::string& multiclass, const Dataset& rows, const ProblemSpec& spec,
                        const std::string& penalty) {
  if (multiclass == "softmax") return SoftmaxProblem(rows, softmax_spec(spec, penalty));
  if (multiclass == "ovr") return ProblemFamily::one_vs_rest(rows, spec);
  return Problem(rows, spec);
}

}  // namespace

PathProblem read_problem(PathOptions& options, const Common& common) {
  const double started = wall_now();
  const std::string asked = asked_multiclass(options.multiclass, options.problem);
  const std::string penalty = options.problem.penalty;
  if (is_matrix_penalty(penalty)) options.problem.penalty = "l2";  // lambda and factors are read as l2's
  options.solve.seed = common.seed;
  Dataset rows =
      weighted_by_class(load_weighted(options.data, options.sample_weight, options.load, common), options.problem);
  const Scaling scaling = learn_scaling(rows, options.problem.scale, common.threads);
  rows = apply_scaling(rows, scaling, common.threads);
  const ProblemSpec spec = problem_spec(options.problem, rows, common);
  const std::string multiclass = multiclass_kind(asked, spec, options.solve.solver, rows);
  return {family_of(multiclass, rows, spec, penalty), multiclass, scaling, wall_now() - started};
}

std::vector<double> chosen_lambdas(const PathOptions& options, const ProblemFamily& family) {
  if (const std::string& file = options.problem.penalty_factor_file; !file.empty()) {
    const std::vector<double> factors = read_numbers(file);
    if (std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 0; }))
      throw Error(file + ": all factors are zero, so that no lambda does anything", "give a feature another factor");
  }
  return options.lambdas.empty() ? lambda_grid(family, options.grid) : options.lambdas;
}

void throw_nothing_done(Status status) {
  if (status == Status::interrupted) throw Interrupted();
  throw Error("the time was up before the first lambda was done", "allow more --seconds");
}

Json point_json(const PathPoint& point, const ProblemFamily& family) {
  Json json{{"lambda", point.lambda},
            {"objective", point.certificate.primal},
            {"relative_gap", point.certificate.relative_gap},
            {"status", name_of(point.status)},
            {"nonzeros", point.nonzeros},
            {"features", point.features},
            {"passes", point.passes},
            {"seconds", point.seconds}};
  if (point.rank) json["rank"] = *point.rank;
  if (!family.has_intercept()) return json;
  if (family.outputs() == 1) {
    json["intercept"] = point.w.back();
    return json;
  }
  for (Index k = 1; k <= family.outputs(); ++k)
    json["intercepts"].push_back(point.w[static_cast<std::size_t>(k * family.dim() - 1)]);
  return json;
}

Json common_json(const PathProblem& ready, const Times& times, const std::vector<std::string>& advice,
                 const Common& common) {
  const Dataset& data = ready.family.data();
  Json json{{"seconds", {{"load", times.load}, {"solve", times.solve}, {"total", times.total}}},
            {"cpu_seconds", times.cpu},
            {"rows", data.rows()},
            {"cols", data.cols()},
            {"nonzeros", data.x.stored()},
            {"classes", ready.family.classes()},
            {"peak_memory_bytes", peak_memory_bytes()},
            {"seed", common.seed},
            {"advice", advice}};
  if (!ready.multiclass.empty()) json["multiclass"] = ready.multiclass;
  return json;
}

report::PathPage about_page(const ProblemFamily& family, const Path& path, std::size_t chosen, double seconds) {
  return {family.data().source,
          family.formula(path.points[chosen].lambda),
          family.data().cols(),
          family.data().feature_names,
          chosen,
          seconds,
          family.outputs()};
}

void print_advice(const std::vector<std::string>& advice, const Common& common) {
  for (const std::string& text : advice) remark(common, "advice: " + text);
}

void write_page(const std::string& path, const std::string& page) {
  write_atomically(path, [&](std::ostream& out) { out << page; });
}

void save_point(const PathProblem& ready, const PathPoint& point, const std::string& path) {
  save_model(ready.family.model(point.lambda, point.w, ready.scaling, point.certificate), path);
}

}  // namespace s3gd::app
