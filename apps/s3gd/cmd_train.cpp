// s3gd train DATA [-o MODEL]
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/memory.hpp"
#include "data/columns.hpp"
#include "fit/fit_json.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report/fit_pages.hpp"
#include "saved/trace_file.hpp"

namespace s3gd::app {
namespace {

constexpr Index kFew = 10;                     // rows of a class: a sigmoid fitted on less says little
constexpr Index kPatience = 5;                 // of --early-stop, by itself
constexpr std::size_t kMostClassesShown = 20;  // in text

struct TrainOptions : ProblemOptions {
  std::string model_path, start_path, trace_path, page_path;
};

void add_options(Arguments& app, TrainOptions& options) {
  app.add("DATA", &options.data, "a file, - , a known NAME, or gen:KIND?..", {.required = true});
  app.in_group(kDataOptions);
  app.add("-o,--output", &options.model_path, "where the model goes", {.takes = "MODEL"});
  add_table_options(app, options.values, names_in(kDataOptions));
  add_problem_options(app, options, {.many_classes = true});
  for (const char* group : {kSolverOptions, kGraphOptions, kStopOptions, kStateOptions})
    for (const std::string& name : names_in(group))
      if (name == "warm-start")
        add_table_option(app, *find_option(name), "",
                         [&options](const std::string& path) { options.start_path = path; });
      else if (name != "seed" && name != "threads")  // which every command has
        add_table_options(app, options.values, {name});
  add_table_options(app, options.values, names_in(kReadingOptions));
  app.in_group(kTraceOptions);
  app.add("--trace", &options.trace_path, ".csv or .json: objective, gap, clocks as they went", {.takes = "FILE"});
  app.add("--report", &options.page_path, "a page with these curves, stages, certificate and advice",
          {.takes = "FILE.html"});
  add_table_options(app, options.values, names_in(kTraceOptions));
}

using Given = std::function<bool(const std::string& option)>;

void check_files(const TrainOptions& options, const Common& common) {
  const std::string& checkpoint = options.values.solve.checkpoint;
  if (std::error_code ignored; std::filesystem::is_directory(checkpoint, ignored))
    throw UsageError("--checkpoint is a folder, " + checkpoint + ": give a file in it");
  std::vector<FileUse> read = files_read(options);
  read.push_back({"--validate", file_of_source(options.values.validate)});
  read.push_back({"--graph", options.values.graph});
  // A model may be replaced by what goes on from it.
  read.push_back({"--warm-start", same_file(options.start_path, options.model_path) ? "" : options.start_path});
  check_files(common, std::move(read),
              {{"--output", options.model_path},
               {"--trace", options.trace_path},
               {"--report", options.page_path},
               {"--checkpoint", checkpoint}});
  if (!options.trace_path.empty()) check_trace_name(options.trace_path);
}

void check_options(const TrainOptions& options, const Common& common, const Given& given) {
  check_given(options);
  check_files(options, common);
  const SolveOptions& solve = options.values.solve;
  const bool streaming = given("--graph-mode") && solve.graph_mode == GraphMode::streaming;
  if (streaming && !options.values.graph.empty())
    throw UsageError("--graph is complete: leave out --graph-mode streaming");
  if (streaming && solve.order == RowOrder::weighted)
    throw UsageError("--graph-mode streaming takes the rows in shuffled order: leave out --order weighted");
}

// The paper's setting, except for what the user asked for and what means nothing to the solver.
void apply_paper(OptionValues& values, const Given& given) {
  if (!given("--solver")) values.solve.solver = "s3gd";
  OptionValues paper;
  paper.solve.solver = values.solve.solver;
  apply_paper_setting(paper.problem, paper.solve);
  paper.problem.class_weight = values.reading;
  if (given("--multiclass")) paper.problem.positive.clear();
  drop_idle_options(paper, scene_of(paper.problem, paper.solve.solver, values.outputs));
  for (const OptionRow& row : option_table()) {
    const bool set = row.group == kProblemOptions || row.group == kSolverOptions || row.group == kGraphOptions;
    const bool asked = given("--" + row.name) || (row.name == "decay" && given("--step"));
    if (set && !asked) row.copy(values, paper);
  }
}

// What the options say on the fit, but for its rows.
FitOptions fit_options(const TrainOptions& options, const Common& common) {
  FitOptions with = app::fit_options(static_cast<const ProblemOptions&>(options));
  with.solve = options.values.solve;
  with.solve.seed = common.seed;
  const bool traced = !options.trace_path.empty() || !options.page_path.empty();
  if (with.solve.trace_every == 0 && traced) with.solve.trace_every = -1;
  if (options.values.early_stop && with.solve.patience == 0) with.solve.patience = kPatience;
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
  const std::string& validate = options.values.validate;
  with.calibration_fraction = options.values.calibrate;
  with.validation_fraction = held_out_fraction(validate);
  Dataset rows = load_weighted(options, common);
  if (!validate.empty() && with.validation_fraction == 0) {
    read_alike(options.values.load, rows.index_base, rows.label_column);
    with.validation = load(validate, options.values.load);
  }
  FitRows ready = prepare(std::move(rows), with, common.threads);
  with.validation.reset();  // they are there, scaled
  return ready;
}

// Says where there are few rows to fit probabilities on.
void advise_calibration(const FitRows& rows, const Common& common) {
  if (!rows.calibration) return;
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

std::string certificate_text(const Certificate& certificate) {
  return certificate.kind == Certificate::Kind::duality_gap
             ? fmt::format("within {:.2g} of the optimum, relatively (duality gap)", certificate.relative_gap)
             : fmt::format("prox-gradient norm {:.2g}", certificate.relative_gap);
}

std::string multiclass_text(const Fit& fit) {
  if (fit.task.kind() == Outputs::one_vs_rest)
    return fmt::format(
        "{}, one-vs-rest: objective and times are sums over the classes, the certificate is of the worst",
        fit.task.outputs());
  return fmt::format("{}, softmax{}", fit.task.outputs(),
                     fit.rank ? fmt::format(", weights of rank {}", *fit.rank) : "");
}

std::string validation_text(const Validation& seen) {
  return fmt::format("mean loss {:.6g} over {} rows{}", seen.loss, format_count(seen.rows),
                     seen.left_out == 0 ? "" : fmt::format(" ({} left out)", format_count(seen.left_out)));
}

std::string calibration_text(const Calibration& calibration) {
  const std::string rows = "fitted on " + format_count(calibration.rows) + " rows held out";
  if (calibration.sigmoids.size() != 2) return "a sigmoid for each class, " + rows;
  return fmt::format("1 / (1 + exp(a m + b)) with a {:.6g} and b {:.6g}, {}", calibration.sigmoids[0],
                     calibration.sigmoids[1], rows);
}

Fields fields_of(const Fit& fit, const FitRun& run) {
  const Summary& summary = fit.summary;
  const Dataset& data = fit.task.data();
  std::string stages;
  for (const Stage& stage : summary.stages)
    stages += fmt::format("{}{} {} ({})", stages.empty() ? "" : ", then ", stage.name, format_seconds(stage.seconds),
                          stage.ended);
  Fields fields{
      {"minimised", fit.task.formula()},
      {"data", fmt::format("{} rows x {} columns, {} entries {}", format_count(data.rows()), format_count(data.cols()),
                           format_count(data.x.stored()), data.x.is_dense() ? "dense" : "sparse")},
      {"status", name_of(summary.status)},
      {"objective", fmt::format("{:.9g}", summary.objective)},
      {"certificate", certificate_text(summary.certificate)},
      {"stages", stages},
      {"passes", fmt::format("{:.4g} in {} iterations, step {:.4g}", summary.passes, format_count(summary.iterations),
                             summary.step)},
      {"time", fmt::format("{} (load {}, graph {}, solve {}, evaluate {})", format_seconds(run.total_seconds),
                           format_seconds(run.load_seconds), format_seconds(summary.graph_seconds),
                           format_seconds(summary.solve_seconds), format_seconds(summary.evaluate_seconds))},
      {"memory", format_bytes(static_cast<std::uint64_t>(peak_memory_bytes())) + " at most"},
  };
  if (fit.calibration) fields.insert(fields.begin() + 5, {"probabilities", calibration_text(*fit.calibration)});
  if (fit.validation) fields.insert(fields.begin() + 5, {"validation", validation_text(*fit.validation)});
  if (fit.task.kind() != Outputs::one) fields.insert(fields.begin() + 2, {"classes", multiclass_text(fit)});
  return fields;
}

void write_page(const std::string& path, const Fit& fit, const FitRun& run) {
  const report::TrainPage about{fit.task.data().source, fields_of(fit, run), program_words};
  const std::string page = report::html(report::train_document(fit.summary, fit.trace, about));
  write_atomically(path, [&](std::ostream& out) { out << page; });
}

std::string class_table(const Fit& fit) {
  const std::vector<Summary>& summaries = fit.summary.classes;
  if (summaries.empty()) return {};
  const std::vector<std::string> names = fit.task.classes();
  Table table{{"class", "status", "objective", "gap", "passes", "cpu"}};
  const std::size_t shown = std::min(kMostClassesShown, summaries.size());
  for (std::size_t k = 0; k < shown; ++k) {
    const Summary& one = summaries[k];
    table.push_back({names[k], name_of(one.status), fmt::format("{:.6g}", one.objective),
                     fmt::format("{:.1e}", one.certificate.relative_gap), fmt::format("{:.3g}", one.passes),
                     format_seconds(one.cpu_seconds)});
  }
  std::string text = "\n" + format_table(table);
  if (shown < summaries.size()) text += fmt::format("and {} more (--json lists all)\n", summaries.size() - shown);
  return text;
}

// Model, trace and page to their files, what was found to standard output, remarks to standard error; returns the exit code.
int tell(const Fit& fit, const FitRun& run, const TrainOptions& options, const Common& common) {
  if (!options.model_path.empty()) save_model(fit.model, options.model_path);
  if (!options.trace_path.empty()) write_trace(fit.trace, options.trace_path);
  close_checkpoint(options.values.solve.checkpoint, fit.summary.status, common);
  if (const auto& seen = fit.validation; seen && seen->left_out > 0)
    remark(common, format_count(seen->left_out) + " of " + format_count(seen->rows + seen->left_out) +
                       " rows to validate on have classes that were not trained on: they are left out");
  if (!options.page_path.empty()) write_page(options.page_path, fit, run);
  if (common.json)
    print_json(to_json(fit, run));
  else
    print(format_fields(fields_of(fit, run)) + class_table(fit));
  print_advice(fit.summary.advice, common);
  if (!options.model_path.empty()) remark(common, "model written to " + options.model_path);
  if (!options.page_path.empty()) remark(common, "page written to " + options.page_path);
  return exit_code(fit.summary.status);
}

int train(TrainOptions options, const Common& common, const Given& given) {
  const double started = wall_now();
  if (options.values.paper) apply_paper(options.values, given);
  check_options(options, common, given);
  FitOptions with = fit_options(options, common);
  const FitRows rows = read_rows(options, with, common);
  const Task task(rows.train, task_spec(options, rows.train, common), with.solve.solver);
  std::optional<Graph> graph;
  if (const std::string& file = options.values.graph; !file.empty()) graph = load_graph(file, rows.train.x);
  with.graph = graph ? &*graph : nullptr;
  std::optional<Model> start;
  if (!options.start_path.empty()) start = load_model(options.start_path);
  with.start = start ? &*start : nullptr;
  FitRun run{wall_now() - started, 0, common.seed, program_words};

  Progress progress(common, "training");
  show_progress(progress, with);
  const Fit result = fit(rows, task, with);
  progress.clear();
  advise_calibration(rows, common);
  run.total_seconds = wall_now() - started;
  return tell(result, run, options, common);
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
