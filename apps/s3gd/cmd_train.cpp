// s3gd train DATA [-o MODEL]
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/clock.hpp"
#include "command.hpp"
#include "data/columns.hpp"
#include "fit/warm_start.hpp"
#include "fit_options.hpp"
#include "model/judged_rows.hpp"
#include "multiclass_options.hpp"
#include "output.hpp"
#include "s3gd/error.hpp"
#include "s3gd/model.hpp"
#include "trace/trace_file.hpp"
#include "train_calibrate.hpp"
#include "train_multiclass.hpp"
#include "train_report.hpp"
#include "train_state.hpp"
#include "train_validate.hpp"

namespace s3gd::app {
namespace {

struct TrainOptions {
  std::string data;
  std::string model_path;
  LoadOptions load;
  ProblemOptions problem;
  SolveOptions solve;
  MulticlassOptions multiclass;
  StateOptions state;
  std::string step = "auto";
  std::string order = "auto";
  std::string sample_weight;
  std::string validate;
  std::string graph_path;
  std::string trace_path;
  std::string page_path;
  CalibrateOptions calibrate;
  bool paper = false;
};

void add_options(Arguments& app, TrainOptions& options) {
  app.add_option("DATA", options.data, "a file, - , a known NAME, or gen:KIND?..")->required();
  app.add_option("-o,--output", options.model_path, "where the model goes")->type_name("MODEL")->group("Data");
  add_problem_options(app, options.problem);
  options.multiclass.add(app);

  const std::string solver_group = "Solver";
  add_word(app, "--solver", options.solve.solver, solver_names(), "")->group(solver_group);
  app.add_option("--step", options.step, "auto, a NUMBER, or decay:STEP,T0")
      ->type_name("STEP")
      ->capture_default_str()
      ->group(solver_group);
  app.add_option("--batch", options.solve.batch, "rows a step")->capture_default_str()->group(solver_group);
  app.add_option("--inner", options.solve.inner, "steps between snapshots (default 20; svrg 50)")->group(solver_group);
  add_word(app, "--order", options.order, {"auto", "weighted", "shuffled"}, "of the rows")->group(solver_group);
  app.add_flag("--average", options.solve.average_snapshot, "snapshot = mean of the inner iterates")
      ->group(solver_group);
  app.add_flag("--accelerated", options.solve.accelerated, "gd only")->group(solver_group);
  app.add_flag("--paper", options.paper, "the paper's setting (docs/solvers.md)")->group(solver_group);
  add_graph_options(app, options.solve.graph);
  add_control_options(app, options.solve);
  app.add_option("--graph", options.graph_path, "made by `s3gd graph`")->type_name("FILE")->group(solver_group);

  const std::string stop_group = "Stop";
  app.add_option("--tol", options.solve.tol, "relative duality gap")->capture_default_str()->group(stop_group);
  app.add_option("--iterations", options.solve.iterations, "at most so many steps")
      ->check(whole_number(1))
      ->group(stop_group);
  app.add_option("--passes", options.solve.passes, "at most so many passes (default 20)")
      ->check(positive_number())
      ->group(stop_group);
  app.add_option("--seconds", options.solve.seconds, "at most so long")->check(positive_number())->group(stop_group);

  add_state_options(app, options.state);

  const std::string data_group = "Data";
  add_sample_weight_option(app, options.sample_weight);
  app.add_option("--validate", options.validate, "rows to judge by: other DATA, or a FRACTION held out")
      ->type_name("DATA")
      ->group(data_group);
  add_calibrate_option(app, options.calibrate);
  add_load_options(app, options.load);

  const std::string trace_group = "Trace";
  app.add_option("--trace", options.trace_path, ".csv or .json: objective, gap, clocks as they went")
      ->type_name("FILE")
      ->group(trace_group);
  app.add_option("--report", options.page_path, "a page with these curves, stages, certificate and advice")
      ->type_name("FILE.html")
      ->group(trace_group);
  app.add_option("--trace-every", options.solve.trace_every, "iterations between rows (default: growing)")
      ->group(trace_group);
  app.add_flag("--trace-gradients", options.solve.trace_gradients, "also correlation and variance of the gradient")
      ->group(trace_group);
}

struct Prepared {
  Dataset train;
  std::optional<Dataset> test;
  std::optional<Dataset> held_out;  // for probabilities, not scaled
  Scaling scaling;
};

Prepared prepare(const TrainOptions& options, const Common& common) {
  LoadOptions load_options = options.load;
  Prepared ready;
  ready.train = load_weighted(options.data, options.sample_weight, load_options, common);
  ready.held_out = hold_out(ready.train, options.calibrate, common);
  ready.train = weighted_by_class(std::move(ready.train), options.problem);
  if (const double fraction = held_out_fraction(options.validate); fraction > 0) {
    const Split split = split_rows(ready.train, fraction, common.seed);
    ready.test = take_rows(ready.train, split.test);
    ready.train = take_rows(ready.train, split.train);
  } else if (!options.validate.empty()) {
    read_alike(load_options, ready.train.index_base, ready.train.label_column);
    ready.test = weighted_by_class(load(options.validate, load_options), options.problem, true);
    match_widths(ready.train, *ready.test, common.threads);
  }
  ready.scaling = learn_scaling(ready.train, options.problem.scale, common.threads);
  ready.train = apply_scaling(ready.train, ready.scaling, common.threads);
  if (ready.test) ready.test = apply_scaling(*ready.test, ready.scaling, common.threads);
  return ready;
}

using Given = std::function<bool(const std::string& option)>;

void check_files(const TrainOptions& options, const Common& common) {
  std::vector<FileUse> read = files_read(options.data, options.problem, options.load, options.sample_weight);
  read.push_back({"--validate", file_of_source(options.validate)});
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
  check_state_options(options.state, !options.validate.empty());
  check_files(options, common);
  if (!options.graph_path.empty() && options.solve.solver != "s3gd" && options.solve.solver != "auto")
    throw UsageError("--graph goes with --solver s3gd or auto only");
  if (options.solve.accelerated && options.solve.solver != "gd")
    throw UsageError("--accelerated goes with --solver gd only");
  const bool streaming = given("--graph-mode") && options.solve.graph_mode == GraphMode::streaming;
  if (streaming && !options.graph_path.empty())
    throw UsageError("--graph is complete: leave out --graph-mode streaming");
  if (streaming && options.order == "weighted")
    throw UsageError("--graph-mode streaming takes the rows in shuffled order: leave out --order weighted");
}

// The paper's setting, except for what the user asked for.
void apply_paper(TrainOptions& options, const Given& given) {
  const TrainOptions asked = options;
  ProblemSpec& spec = options.problem.spec;
  apply_paper_setting(spec, options.solve);
  if (!given("--solver")) options.solve.solver = "s3gd";
  if (given("--loss")) spec.loss = asked.problem.spec.loss;
  if (given("--lambda")) spec.penalty.lambda = asked.problem.spec.penalty.lambda;
  if (given("--alpha")) spec.penalty.alpha = asked.problem.spec.penalty.alpha;
  if (given("--intercept")) spec.intercept = asked.problem.spec.intercept;
  if (given("--class-weight")) spec.class_weight = asked.problem.spec.class_weight;
  if (given("--binary") || given("--multiclass")) spec.positive = asked.problem.spec.positive;
  if (given("--batch")) options.solve.batch = asked.solve.batch;
  if (given("--inner")) options.solve.inner = asked.solve.inner;
  if (given("--average")) options.solve.average_snapshot = asked.solve.average_snapshot;
  if (given("--anchors")) options.solve.graph.anchors = asked.solve.graph.anchors;
  if (given("--neighbours")) options.solve.graph.neighbours = asked.solve.graph.neighbours;
  if (given("--graph-mode")) options.solve.graph_mode = asked.solve.graph_mode;
  if (given("--control")) options.solve.control = asked.solve.control;
  if (given("--kernel")) options.solve.graph.kernel = asked.solve.graph.kernel;
}

int train(TrainOptions options, const Common& common, const Given& given) {
  const double started = wall_now();
  if (options.paper) apply_paper(options, given);
  check_options(options, common, given);
  parse_step(options.step, options.solve);
  options.solve.seed = common.seed;
  if (options.order == "weighted") options.solve.order = RowOrder::weighted;
  if (options.order == "shuffled") options.solve.order = RowOrder::shuffled;
  const bool traced = !options.trace_path.empty() || !options.page_path.empty();
  if (options.solve.trace_every == 0 && traced) options.solve.trace_every = -1;
  apply_state_options(options.state, options.solve);

  Prepared ready = prepare(options, common);
  const std::string asked = asked_multiclass(options.multiclass, options.problem);
  const std::string penalty = options.problem.penalty;
  if (is_matrix_penalty(penalty)) options.problem.penalty = "l2";  // lambda and factors are read as l2's
  const ProblemSpec spec = problem_spec(options.problem, ready.train, common);
  std::optional<Graph> graph;
  ready.train.verify(common.threads);
  if (!options.graph_path.empty()) graph = load_graph(options.graph_path, ready.train.x);
  if (const std::string kind = multiclass_kind(asked, spec, options.solve.solver, ready.train); !kind.empty()) {
    const MulticlassRun run{ready.train,
                            ready.test ? &*ready.test : nullptr,
                            ready.held_out,
                            ready.scaling,
                            spec,
                            penalty,
                            options.solve,
                            graph ? &*graph : nullptr,
                            options.state,
                            options.model_path,
                            options.trace_path,
                            options.page_path,
                            started,
                            wall_now() - started};
    return kind == "ovr" ? train_one_vs_rest(run, common) : train_softmax(run, common);
  }
  if (ready.held_out && spec.loss.kind == LossKind::squared)
    throw UsageError("--calibrate fits probabilities of classes, and --loss squared predicts numbers");
  const Problem problem(ready.train, spec);
  std::optional<Problem> test;
  std::optional<ValidationFacts> validation;
  if (ready.test) {
    JudgedRows judged = keep_known(*ready.test, class_names(problem), common);
    validation = {judged.rows.rows(), judged.left_out, 0};
    test = on_rows(problem, std::move(judged.rows));
  }
  const double load_seconds = wall_now() - started;

  SolveInput input;
  input.graph = graph ? &*graph : nullptr;
  input.test = test ? &*test : nullptr;
  Progress progress(common, "training");
  input.watch = [&](const TraceRow& row) {
    progress.show(fmt::format("pass {:.2f}  objective {:.6g}  gap {:.1e}  {}", row.passes, row.train_objective, row.gap,
                              format_seconds(row.wall_seconds)));
    return true;
  };
  if (const std::optional<Model> model = warm_start_model(options.state))
    options.solve.start = start_from(*model, problem, ready.scaling);
  const Solution solution = solve(problem, options.solve, input);
  const double total_seconds = wall_now() - started;

  if (validation) validation->loss = validation_loss(*test, solution.w);
  Model model = make_model(problem, solution.w, ready.scaling, solution.summary.certificate);
  const std::optional<CalibrationFacts> calibration = calibrate_on(ready.held_out, model, common);
  if (!options.model_path.empty()) save_model(model, options.model_path);
  if (!options.trace_path.empty()) write_trace(solution.trace, options.trace_path);
  close_checkpoint(options.state, solution.summary.status, common);
  const bool regression = spec.loss.kind == LossKind::squared;
  const auto classes = regression ? 0 : static_cast<Index>(ready.train.y.distinct().size());
  return print_report({.data = ready.train,
                       .formula = problem.formula(),
                       .summary = solution.summary,
                       .classes = classes,
                       .load_seconds = load_seconds,
                       .total_seconds = total_seconds,
                       .model_path = options.model_path,
                       .validation = validation,
                       .calibration = calibration,
                       .page_path = options.page_path,
                       .trace = solution.trace},
                      common);
}

}  // namespace

std::function<int()> setup_train(Arguments& app, const Common& common) {
  auto options = std::make_shared<TrainOptions>();
  add_options(app, *options);
  const Given given = [&app](const std::string& option) { return app.get_option(option)->count() > 0; };
  return [options, &app, &common, given] {
    remark_on_idle(app, options->problem, common);
    if (given("--patience") && !options->state.early_stop)
      remark(common, "--patience changes nothing without --early-stop");
    return train(*options, common, given);
  };
}

}  // namespace s3gd::app
