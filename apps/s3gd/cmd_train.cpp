// s3gd train DATA [-o MODEL]
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "data/columns.hpp"
#include "output.hpp"
#include "problem/loss.hpp"
#include "problem/names.hpp"
#include "saved/trace_file.hpp"
#include "train_report.hpp"

namespace s3gd::app {
namespace {

constexpr Index kFew = 10;      // rows of a class: a sigmoid fitted on less says little
constexpr Index kPatience = 5;  // of --early-stop, by itself

struct TrainOptions {
  RowOptions rows;
  std::string validate;  // other DATA, or a FRACTION
  double calibrate = 0;  // a share of the rows; 0: none
  ProblemOptions problem;
  SolveOptions solve;
  bool paper = false, early_stop = false;
  std::string model_path, warm_start, graph_path, trace_path, page_path;
};

void add_options(Arguments& app, TrainOptions& options) {
  app.add("DATA", &options.rows.data, "a file, - , a known NAME, or gen:KIND?..", {.required = true});
  app.in_group("Data");
  app.add("-o,--output", &options.model_path, "where the model goes", {.takes = "MODEL"});
  add_problem_options(app, options.problem, {.many_classes = true});

  const OptionTarget target{.solve = &options.solve};
  add_table_options(app, target, names_in(kSolverOptions));
  app.in_group(kSolverOptions);
  app.add("--paper", &options.paper, "the paper's setting (docs/solvers.md)");
  app.add("--graph", &options.graph_path, "made by `s3gd graph`", {.takes = "FILE"});
  for (const std::string group : {kGraphOptions, kStopOptions, kStateOptions})
    for (const std::string& name : names_in(group)) {
      const OptionRow& row = *find_option(name);
      if (name == "warm-start")
        add_table_option(app, row, "", [&options](const std::string& path) { options.warm_start = path; });
      else if (name == "patience")
        add_table_option(app, row, std::to_string(kPatience),
                         [&row, target](const std::string& word) { target.set(row, word); });
      else if (name != "seed")  // which every command has
        add_table_options(app, target, {name});
      if (name != "stop-at-plateau") continue;
      app.in_group(kStopOptions);
      app.add("--early-stop", &options.early_stop, "end when the loss on --validate's rows no longer falls");
    }
  add_sample_weight_option(app, options.rows);
  app.add("--validate", &options.validate, "rows to judge by: other DATA, or a FRACTION held out", {.takes = "DATA"});
  app.add("--calibrate", &options.calibrate, "rows held out to fit probabilities on (Platt scaling)",
          {.takes = "FRACTION"});
  add_load_options(app, options.rows.load);
  app.in_group(kTraceOptions);
  app.add("--trace", &options.trace_path, ".csv or .json: objective, gap, clocks as they went", {.takes = "FILE"});
  app.add("--report", &options.page_path, "a page with these curves, stages, certificate and advice",
          {.takes = "FILE.html"});
  add_table_options(app, target, names_in(kTraceOptions));
}

using Given = std::function<bool(const std::string& option)>;

void check_files(const TrainOptions& options, const Common& common) {
  refuse_standard_output(options.model_path, "--output");
  refuse_standard_output(options.trace_path, "--trace");
  refuse_standard_output(options.page_path, "--report");
  if (!options.trace_path.empty()) check_trace_name(options.trace_path);
  const std::string& checkpoint = options.solve.checkpoint;
  refuse_standard_output(checkpoint, "--checkpoint");
  if (std::error_code ignored; std::filesystem::is_directory(checkpoint, ignored))
    throw UsageError("--checkpoint is a folder, " + checkpoint + ": give a file in it");
  std::vector<FileUse> read = files_read(options.rows, options.problem);
  read.push_back({"--validate", file_of_source(options.validate)});
  read.push_back({"--graph", options.graph_path});
  // A model may be replaced by what goes on from it.
  read.push_back({"--warm-start", same_file(options.warm_start, options.model_path) ? "" : options.warm_start});
  refuse_clashes(common, std::move(read),
                 {{"--output", options.model_path},
                  {"--trace", options.trace_path},
                  {"--report", options.page_path},
                  {"--checkpoint", checkpoint}});
}

void check_options(const TrainOptions& options, const Common& common, const Given& given) {
  if (given("--patience") && !options.early_stop) throw UsageError("--patience changes nothing without --early-stop");
  if (options.early_stop && options.validate.empty())
    throw UsageError("--early-stop needs --validate DATA or a FRACTION");
  if (options.solve.resume && options.solve.checkpoint.empty()) throw UsageError("--resume needs --checkpoint FILE");
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
  const bool softmax = options.problem.multiclass == "softmax";
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
  if (options.early_stop && with.solve.patience == 0) with.solve.patience = kPatience;
  return with;
}

// The share of the rows that --validate asks to hold out; 0 where it names data, or nothing.
double held_out_fraction(const std::string& validate) {
  double fraction = 0;
  const char* const end = validate.data() + validate.size();
  const auto [stop, problem] = std::from_chars(validate.data(), end, fraction);
  if (validate.empty() || problem != std::errc() || stop != end) return 0;
  if (fraction > 0 && fraction < 1) return fraction;
  if (file_exists(validate)) return 0;
  throw UsageError("--validate is " + validate + ", but a fraction lies between 0 and 1, such as 0.2");
}

// Reads, holds out, weighs and scales. What is held out goes into `with`.
FitRows read_rows(TrainOptions options, FitOptions& with, const Common& common) {
  if (!(options.calibrate >= 0 && options.calibrate < 1))
    throw UsageError("--calibrate takes a fraction between 0 and 1, such as 0.2");
  with.calibration_fraction = options.calibrate;
  with.validation_fraction = held_out_fraction(options.validate);
  Dataset rows = load_weighted(options.rows, common);
  if (options.calibrate > 0 && rows.y.kind != LabelKind::classes)
    throw UsageError("--calibrate fits probabilities of classes, and the labels are none");
  if (!options.validate.empty() && with.validation_fraction == 0) {
    read_alike(options.rows.load, rows.index_base, rows.label_column);
    with.validation = load(options.validate, options.rows.load);
  }
  FitRows ready = prepare(std::move(rows), with, common.threads);
  with.validation.reset();  // they are there, scaled
  return ready;
}

// Throws UsageError where the task has no probabilities to fit; says where there are few rows to fit them on.
void check_calibration(const FitRows& rows, const Task& task, const TaskSpec& spec, const Common& common) {
  if (!rows.calibration) return;
  if (task.kind() == Outputs::softmax)
    throw UsageError("softmax has probabilities of its own: leave out --calibrate, or use --multiclass ovr");
  if (task.kind() == Outputs::one && !Loss(spec.problem.loss).classifies())
    throw UsageError("--calibrate fits probabilities of classes, and --loss " + name_of(spec.problem.loss.kind) +
                     " predicts numbers");
  const Labels& labels = rows.calibration->y;
  for (const double value : labels.distinct()) {
    const auto few = std::count(labels.values.begin(), labels.values.end(), value);
    if (few >= kFew) continue;
    remark(common, fmt::format("advice: --calibrate holds out {} rows, {} of class {}: too few for good probabilities",
                               rows.calibration->rows(), few, labels.name_of(value)));
    return;
  }
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

// After the model is written: a run that ended by itself needs its checkpoint no more, one that was cut goes on from it.
void close_checkpoint(const std::string& checkpoint, Status status, const Common& common) {
  if (checkpoint.empty()) return;
  if (status == Status::interrupted || status == Status::out_of_time) {
    if (file_exists(checkpoint)) remark(common, "--resume goes on from " + checkpoint);
    return;
  }
  std::error_code ignored;
  std::filesystem::remove(checkpoint, ignored);
}

int train(TrainOptions options, const Common& common, const Given& given) {
  const double started = wall_now();
  if (options.paper) apply_paper(options, given);
  check_options(options, common, given);
  FitOptions with = fit_options(options, common);
  const FitRows rows = read_rows(options, with, common);
  const TaskSpec spec = task_spec(options.problem, rows.train, common);
  const Task task(rows.train, spec, with.solve.solver);
  check_calibration(rows, task, spec, common);
  std::optional<Graph> graph;
  if (!options.graph_path.empty()) graph = load_graph(options.graph_path, rows.train.x);
  with.graph = graph ? &*graph : nullptr;
  std::optional<Model> start;
  if (!options.warm_start.empty()) start = load_model(options.warm_start);
  with.start = start ? &*start : nullptr;
  FitRun run{wall_now() - started, 0, common.seed, program_words};

  Progress progress(common, "training");
  show_progress(progress, with);
  const Fit result = fit(rows, task, with);
  progress.clear();
  run.total_seconds = wall_now() - started;
  if (!options.model_path.empty()) save_model(result.model, options.model_path);
  if (!options.trace_path.empty()) write_trace(result.trace, options.trace_path);
  close_checkpoint(options.solve.checkpoint, result.summary.status, common);
  return print_report({result, run, options.model_path, options.page_path}, common);
}

}  // namespace

std::function<int()> setup_train(Arguments& app, const Common& common) {
  auto options = std::make_shared<TrainOptions>();
  add_options(app, *options);
  return [options, &common, &app] {
    return train(*options, common, [&app](const std::string& option) { return app.given(option); });
  };
}

}  // namespace s3gd::app
