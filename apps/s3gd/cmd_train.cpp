// s3gd train DATA [-o MODEL]
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "base/clock.hpp"
#include "command.hpp"
#include "multiclass_options.hpp"
#include "output.hpp"
#include "saved/trace_file.hpp"
#include "train_report.hpp"
#include "train_rows.hpp"
#include "train_state.hpp"

namespace s3gd::app {
namespace {

struct TrainOptions {
  RowOptions rows;
  std::string model_path;
  ProblemOptions problem;
  SolveOptions solve;
  MulticlassOptions multiclass;
  StateOptions state;
  std::string graph_path;
  std::string trace_path;
  std::string page_path;
  bool paper = false;
};

void add_options(Arguments& app, TrainOptions& options) {
  app.add_option("DATA", options.rows.data, "a file, - , a known NAME, or gen:KIND?..")->required();
  app.add_option("-o,--output", options.model_path, "where the model goes")->type_name("MODEL")->group("Data");
  add_problem_options(app, options.problem);
  options.multiclass.add(app);

  const OptionTarget target{.solve = &options.solve};
  add_table_options(app, target, names_in(kSolverOptions));
  app.add_flag("--paper", options.paper, "the paper's setting (docs/solvers.md)")->group(kSolverOptions);
  app.add_option("--graph", options.graph_path, "made by `s3gd graph`")->type_name("FILE")->group(kSolverOptions);
  add_table_options(app, target, names_in(kGraphOptions));
  add_table_options(app, target, {"tol", "iterations", "passes", "seconds", "stop-at-plateau"});
  add_state_options(app, options.state);

  add_row_options(app, options.rows);

  const std::string trace_group = "Trace";
  app.add_option("--trace", options.trace_path, ".csv or .json: objective, gap, clocks as they went")
      ->type_name("FILE")
      ->group(trace_group);
  app.add_option("--report", options.page_path, "a page with these curves, stages, certificate and advice")
      ->type_name("FILE.html")
      ->group(trace_group);
  add_table_options(app, target, names_in(kTraceOptions));
}

using Given = std::function<bool(const std::string& option)>;

void check_files(const TrainOptions& options, const Common& common) {
  std::vector<FileUse> read =
      files_read(options.rows.data, options.problem, options.rows.load, options.rows.sample_weight);
  read.push_back({"--validate", file_of_source(options.rows.validate)});
  read.push_back({"--graph", options.graph_path});
  // A model may be replaced by what goes on from it.
  const bool replaced = same_file(options.state.warm_start, options.model_path);
  read.push_back({"--warm-start", replaced ? "" : options.state.warm_start});
  refuse_clashes(common, std::move(read),
                 {{"--output", options.model_path},
                  {"--trace", options.trace_path},
                  {"--report", options.page_path},
                  {"--checkpoint", options.state.checkpoint}});
}

void check_options(const TrainOptions& options, const Common& common, const Given& given) {
  refuse_standard_output(options.model_path, "--output");
  refuse_standard_output(options.trace_path, "--trace");
  refuse_standard_output(options.page_path, "--report");
  if (!options.trace_path.empty()) check_trace_name(options.trace_path);
  check_state_options(options.state, !options.rows.validate.empty());
  check_files(options, common);
  if (!options.graph_path.empty() && options.solve.solver != "s3gd" && options.solve.solver != "auto")
    throw UsageError("--graph goes with --solver s3gd or auto only");
  const bool streaming = given("--graph-mode") && options.solve.graph_mode == GraphMode::streaming;
  if (streaming && !options.graph_path.empty())
    throw UsageError("--graph is complete: leave out --graph-mode streaming");
  if (streaming && options.solve.order == RowOrder::weighted)
    throw UsageError("--graph-mode streaming takes the rows in shuffled order: leave out --order weighted");
}

// The paper's setting, except for what the user asked for and what means nothing to the solver.
void apply_paper(TrainOptions& options, const Given& given) {
  if (!given("--solver")) options.solve.solver = "s3gd";
  OptionValues paper;
  paper.solve.solver = options.solve.solver;
  apply_paper_setting(paper.problem, paper.solve);
  if (given("--multiclass")) paper.problem.positive.clear();
  const bool softmax = options.multiclass.multiclass == "softmax";
  drop_idle_options(paper, scene_of(paper.problem, paper.solve.solver, softmax ? Outputs::softmax : Outputs::one));
  const OptionTarget target{.problem = &options.problem.spec, .solve = &options.solve};
  OptionValues values = target.values();
  for (const std::string group : {kProblemOptions, kSolverOptions, kGraphOptions})
    for (const std::string& name : names_in(group))
      if (!given("--" + name) && !(name == "decay" && given("--step"))) find_option(name)->copy(values, paper);
  target.take(values);
}

// What the options say on the fit, but for its rows.
FitOptions fit_options(const TrainOptions& options, const Common& common) {
  FitOptions with = app::fit_options(options.problem);
  with.solve = options.solve;
  with.solve.seed = common.seed;
  const bool traced = !options.trace_path.empty() || !options.page_path.empty();
  if (with.solve.trace_every == 0 && traced) with.solve.trace_every = -1;
  apply_state_options(options.state, with.solve);
  return with;
}

void show_progress(Progress& progress, FitOptions& with) {
  if (!progress.visible()) return;
  with.watch = [&](const TraceRow& row) {
    progress.show(fmt::format("pass {:.2f}  objective {:.6g}  gap {:.1e}  {}", row.passes, row.train_objective, row.gap,
                              format_seconds(row.wall_seconds)));
    return true;
  };
  with.watch_class = [&, done = Index{0}, started = wall_now()](const std::string& name,
                                                                const Summary& summary) mutable {
    progress.show(fmt::format("{} classes done, the last {}: objective {:.6g}  gap {:.1e}  {}", ++done, name,
                              summary.objective, summary.certificate.relative_gap,
                              format_seconds(wall_now() - started)));
    return true;
  };
}

int train(TrainOptions options, const Common& common, const Given& given) {
  const double started = wall_now();
  if (options.paper) apply_paper(options, given);
  check_options(options, common, given);
  FitOptions with = fit_options(options, common);
  const FitRows rows = read_rows(options.rows, with, common);
  const TaskSpec spec = task_spec(options.multiclass, options.problem, rows.train, common);
  const Task task(rows.train, spec, with.solve.solver);
  check_calibration(rows, task, spec, common);
  std::optional<Graph> graph;
  if (!options.graph_path.empty()) graph = load_graph(options.graph_path, rows.train.x);
  with.graph = graph ? &*graph : nullptr;
  std::optional<Model> start;
  if (!options.state.warm_start.empty()) start = load_model(options.state.warm_start);
  with.start = start ? &*start : nullptr;
  FitRun run{wall_now() - started, 0, common.seed, program_words};

  Progress progress(common, "training");
  show_progress(progress, with);
  const Fit result = fit(rows, task, with);
  progress.clear();
  run.total_seconds = wall_now() - started;
  if (!options.model_path.empty()) save_model(result.model, options.model_path);
  if (!options.trace_path.empty()) write_trace(result.trace, options.trace_path);
  close_checkpoint(options.state, result.summary.status, common);
  return print_report({result, run, options.model_path, options.page_path}, common);
}

}  // namespace

std::function<int()> setup_train(Arguments& app, const Common& common) {
  auto options = std::make_shared<TrainOptions>();
  add_options(app, *options);
  const Given given = [&app](const std::string& option) { return app.get_option(option)->count() > 0; };
  return [options, &common, given] {
    if (given("--patience") && !options->state.early_stop)
      throw UsageError("--patience changes nothing without --early-stop");
    return train(*options, common, given);
  };
}

}  // namespace s3gd::app
