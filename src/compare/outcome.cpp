#include "compare/outcome.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "base/file.hpp"
#include "base/text.hpp"
#include "compare/one_run.hpp"
#include "compare/subject.hpp"
#include "data/csv_record.hpp"
#include "problem/names.hpp"
#include "report/document.hpp"
#include "report/run_rows.hpp"

namespace s3gd {
namespace {

constexpr int kVersion = 1;

Json machine_json() {
  const Machine& machine = machine_facts();
  return {{"cpu", machine.cpu}, {"cores", machine.cores},       {"memory_bytes", machine.memory_bytes},
          {"os", machine.os},   {"compiler", machine.compiler}, {"simd", machine.simd}};
}

Json contender_json(const Contender& contender) {
  Json json{{"label", contender.label},
            {"solver", contender.solver},
            {"batch", contender.base.batch},
            {"inner", contender.base.inner},
            {"anchors", contender.base.graph.anchors},
            {"neighbours", contender.base.graph.neighbours},
            {"kernel", name_of(contender.base.graph.kernel)},
            {"graph_mode", name_of(contender.base.graph_mode)},
            {"control", name_of(contender.base.control)},
            {"propagation", name_of(contender.base.propagation)},
            {"exact", is_exact(contender.solver)}};
  if (!contender.steps.empty()) {
    json["steps"] = Json::array();
    for (const StepRule& step : contender.steps) json["steps"].push_back(text_of(step));
  }
  return json;
}

// Of the paper's sampling; null where classes are not weighed.
Json reading_of(ClassWeight weight) {
  if (weight == ClassWeight::none) return nullptr;
  return weight == ClassWeight::paper ? "sum" : "mean";
}

Json protocol_json(const Plan& plan) {
  Json steps = Json::array(), solvers = Json::array(), contenders = Json::array();
  const bool usual = plan.steps.empty();
  for (const StepRule& step : plan.steps)
    steps.push_back(step.value > 0 && step.decay == 0 && !step.relative ? Json(step.value) : Json(text_of(step)));
  if (usual) steps = {0.1, 1, 5, 10};
  for (const Contender& contender : plan.contenders) {
    solvers.push_back(contender.label);
    contenders.push_back(contender_json(contender));
  }
  const ProblemSpec& problem = plan.problem;
  return {{"solvers", solvers},
          {"contenders", contenders},
          {"steps", steps},
          {"steps_suit_the_data", usual},
          {"trials", plan.trials},
          {"iterations", plan.iterations},
          {"tail", plan.tail},
          {"tail_looks", kTailLooks},
          {"looks", look_schedule(plan.iterations, plan.tail, plan.look_growth).size()},
          {"look_growth", plan.look_growth},
          {"tolerance", plan.tolerance},
          {"exact_tolerance", plan.exact_tol},
          {"batch", plan.common.batch},
          {"inner", plan.common.inner > 0 ? Json(plan.common.inner) : Json("20; svrg 50")},
          {"lambda", problem.penalty.lambda},
          {"loss", name_of(problem.loss.kind)},
          {"penalty", name_of(problem.penalty.kind)},
          {"intercept", name_of(problem.intercept)},
          {"class_weight", name_of(problem.class_weight)},
          {"reading", reading_of(problem.class_weight)},
          {"positive", problem.positive},
          {"scale", name_of(plan.scale)},
          {"anchors", plan.common.graph.anchors},
          {"neighbours", plan.common.graph.neighbours},
          {"seconds", plan.seconds > 0 ? Json(plan.seconds) : Json(nullptr)},
          {"seed", plan.seed},
          {"threads", plan.threads},
          {"jobs", plan.jobs},
          {"gradients", plan.gradients}};
}

Json verdict_json(const Verdict& verdict, double target) {
  Json order = Json::array();
  for (const Standing& standing : verdict.order)
    order.push_back({{"label", standing.label}, {"median_seconds", finite_or_null(standing.median_seconds)}});
  return {{"dataset", verdict.dataset},
          {"target", target},
          {"clock", "cpu_seconds"},
          {"with_graph", verdict.with_graph},
          {"order", order},
          {"winner", text_or_null(verdict.winner)},
          {"speedup_over_sgd", finite_or_null(verdict.speedup_over_sgd)},
          {"speedup_over_runner_up", finite_or_null(verdict.speedup_over_runner_up)}};
}

// What a reader of the clocks should know.
Json notes_of(const Plan& plan, const Outcome& outcome) {
  Json notes = Json::array();
  if (plan.jobs > 1) notes.push_back(fmt::format("{} runs went side by side: their clocks are disturbed", plan.jobs));
  for (const DatasetFacts& facts : outcome.datasets)
    if (facts.test_left_out > 0)
      notes.push_back(fmt::format("{}: {} test rows of classes that the training rows do not have were left out",
                                  facts.name, facts.test_left_out));
  std::set<std::string> elsewhere;
  for (const RunRecord& run : outcome.runs)
    if (run.cpu != machine_facts().cpu) elsewhere.insert(run.cpu);
  for (const std::string& cpu : elsewhere) notes.push_back("some runs were made on another machine: " + cpu);
  if (static_cast<Index>(outcome.runs.size()) < outcome.planned)
    notes.push_back(fmt::format("{} of {} runs are done", outcome.runs.size(), outcome.planned));
  return notes;
}

constexpr double kNever = std::numeric_limits<double>::infinity();

double ratio(double other, double winner) { return std::isfinite(other) && winner > 0 ? other / winner : std::nan(""); }

std::string above(double value, double optimum) {
  const double percent = 100 * (value / optimum - 1);
  return std::abs(percent) < 1e-7 ? "at the optimum" : fmt::format("{:.3g} % above the optimum", percent);
}

std::string dumped(const Json& value) { return value.dump_repaired(); }

// Fields on lines of their own, lists of objects one object a line: readable, and a fraction of the size of full indents.
void write_json(const Json& run, std::ostream& out) {
  out << "{";
  bool first = true;
  for (const auto& [key, value] : run.items()) {
    out << (first ? "\n" : ",\n") << Json(key).dump() << ": ";
    first = false;
    if (!value.is_array() || value.empty() || !value[0].is_object()) {
      out << dumped(value);
      continue;
    }
    out << "[";
    for (std::size_t k = 0; k < value.size(); ++k) out << (k == 0 ? "\n " : ",\n ") << dumped(value[k]);
    out << "]";
  }
  out << "\n}\n";
}

std::string cell(const Json& value) {
  if (value.is_null()) return {};
  if (!value.is_string()) return value.dump();
  return csv_field(value.get<std::string>());
}

void write_runs(const Json& runs, std::ostream& out) {
  bool head = true;
  for (const Json& run : runs) {
    std::string names, cells;
    for (const auto& [key, value] : run.items()) {
      if (key == "points") continue;
      names += (names.empty() ? "" : ",") + key;
      cells += (key == "key" ? "" : ",") + cell(value);
    }
    if (head) out << names << '\n';
    head = false;
    out << cells << '\n';
  }
}

void write_points(const Json& runs, std::ostream& out) {
  const std::vector<std::string> about{"key", "dataset", "label", "step", "step_rule", "trial"};
  const std::vector<std::string> columns{"iteration", "passes",         "cpu_seconds", "wall_seconds",
                                         "objective", "test_objective", "correlation", "variance_ratio"};
  for (const std::string& name : about) out << name << ',';
  for (const std::string& name : columns) out << name << (name == columns.back() ? "\n" : ",");
  for (const Json& run : runs) {
    std::string before;
    for (const std::string& name : about) before += cell(run.at(name)) + ",";
    const Json& points = run.at("points");
    for (std::size_t k = 0; k < points.at("iteration").size(); ++k) {
      out << before;
      for (const std::string& name : columns) {
        const Json& values = points.at(name);
        out << (values.is_null() ? "" : cell(values[k])) << (name == columns.back() ? "\n" : ",");
      }
    }
  }
}

}  // namespace

DatasetFacts facts_of(const Subject& subject, const Optimum& optimum) {
  const double at_optimum = subject.test ? objective(*subject.test, optimum.w) : std::nan("");
  Json steps = Json::array();
  for (const StepRule& step : subject.steps) steps.push_back(text_of(step));
  return {.name = subject.name,
          .optimum = optimum.objective,
          .test_left_out = subject.test_left_out,
          .json = {{"name", subject.name},
                   {"source", subject.source},
                   {"content", subject.content},
                   {"rows", subject.problem.rows()},
                   {"cols", subject.problem.cols()},
                   {"nonzeros", subject.problem.x().stored()},
                   {"classes", subject.classes},
                   {"test_rows", subject.test ? subject.test->rows() : 0},
                   {"test_rows_left_out", subject.test_left_out},
                   {"stand_in", text_or_null(subject.stand_in)},
                   {"steps", steps},
                   {"optimum", finite_or_null(optimum.objective)},
                   {"optimum_gap", finite_or_null(optimum.certificate.relative_gap)},
                   {"test_at_optimum", finite_or_null(at_optimum)},
                   {"formula", subject.problem.formula()}}};
}

void draw_conclusions(const Plan& plan, Outcome& outcome) {
  std::size_t begin = 0;
  for (const DatasetFacts& facts : outcome.datasets) {
    std::size_t end = begin;
    for (; end < outcome.runs.size() && outcome.runs[end].dataset == facts.name; ++end)
      outcome.runs[end].stable = outcome.runs[end].tail_objective <= (1 + plan.tolerance) * facts.optimum;
    const std::span<const RunRecord> runs(outcome.runs.data() + begin, end - begin);
    begin = end;
    std::vector<ChosenStep> chosen;
    for (const Contender& contender : plan.contenders) {
      chosen.push_back(choose_step(runs, contender.label, facts.optimum, plan.tolerance));
      chosen.back().dataset = facts.name;
    }
    for (const bool with_graph : {true, false})
      outcome.verdicts.push_back(judge(runs, chosen, facts.optimum, plan.tolerance, with_graph));
    outcome.chosen.insert(outcome.chosen.end(), chosen.begin(), chosen.end());
  }
}

Json run_json(const Plan& plan, const Outcome& outcome) {
  Json json{{"s3gd_run", kVersion},
            {"kind", "compare"},
            {"title", plan.title.empty() ? "Comparison of solvers" : plan.title},
            {"version", S3GD_VERSION},
            {"created", utc_now()},
            {"command", plan.command},
            {"complete", static_cast<Index>(outcome.runs.size()) == outcome.planned},
            {"planned", outcome.planned},
            {"seconds", outcome.seconds},
            {"notes", notes_of(plan, outcome)},
            {"machine", machine_json()},
            {"protocol", protocol_json(plan)},
            {"datasets", Json::array()},
            {"runs", Json::array()},
            {"chosen", Json::array()},
            {"verdicts", Json::array()}};
  for (const DatasetFacts& facts : outcome.datasets) json["datasets"].push_back(facts.json);
  for (const RunRecord& run : outcome.runs) json["runs"].push_back(to_json(run));
  for (const ChosenStep& chosen : outcome.chosen)
    json["chosen"].push_back({{"dataset", chosen.dataset},
                              {"label", chosen.label},
                              {"step", finite_or_null(chosen.step)},
                              {"step_rule", text_or_null(chosen.step_rule)},
                              {"mean_tail", finite_or_null(chosen.mean_tail)},
                              {"stable", chosen.stable},
                              {"why", chosen.why}});
  for (const Verdict& verdict : outcome.verdicts) json["verdicts"].push_back(verdict_json(verdict, plan.tolerance));
  return json;
}

ChosenStep choose_step(std::span<const RunRecord> runs_of_dataset, const std::string& label, double optimum,
                       double tolerance) {
  ChosenStep chosen{.dataset = runs_of_dataset.empty() ? "" : runs_of_dataset.front().dataset,
                    .label = label,
                    .step = std::nan(""),
                    .step_rule = {},
                    .mean_tail = std::nan(""),
                    .stable = false,
                    .why = "not run"};
  const double target = (1 + tolerance) * optimum;
  const std::vector<report::Trials> steps = report::steps_of(runs_of_dataset, chosen.dataset, label);
  if (!steps.empty()) chosen.why = "no run came to its end";
  const report::Trials* trials = report::choose(steps, target);
  if (trials == nullptr) return chosen;
  chosen.step = trials->step_value;
  chosen.step_rule = trials->runs.front()->step_rule;
  chosen.mean_tail = trials->mean_tail();
  chosen.stable = chosen.mean_tail <= target;
  const char* what = !chosen.stable                    ? "no step is stable, this came closest"
                     : trials->step == report::kNoStep ? "has no step"
                                                       : "largest stable step";
  chosen.why = fmt::format("{}; mean tail {}", what, above(chosen.mean_tail, optimum));
  return chosen;
}

Verdict judge(std::span<const RunRecord> runs_of_dataset, std::span<const ChosenStep> chosen, double optimum,
              double tolerance, bool with_graph) {
  Verdict verdict;
  verdict.with_graph = with_graph;
  double sgd = kNever;
  for (const ChosenStep& choice : chosen) {
    std::vector<double> seconds;
    std::string solver;
    for (const RunRecord& run : runs_of_dataset) {
      if (run.label != choice.label || run.step_rule != choice.step_rule) continue;
      solver = run.solver;
      const double before = with_graph ? 0 : run.graph_cpu_seconds;
      const auto clock = [&](const TraceRow& row) { return row.cpu_seconds - before; };
      seconds.push_back(choice.stable ? first_within(run, (1 + tolerance) * optimum, clock) : kNever);
    }
    verdict.dataset = choice.dataset;
    verdict.order.push_back({choice.label, seconds.empty() ? kNever : report::median_of(seconds)});
    if (solver == "sgd") sgd = std::min(sgd, verdict.order.back().median_seconds);
  }
  std::stable_sort(verdict.order.begin(), verdict.order.end(),
                   [](const Standing& a, const Standing& b) { return a.median_seconds < b.median_seconds; });
  verdict.speedup_over_sgd = verdict.speedup_over_runner_up = std::nan("");
  if (verdict.order.empty() || std::isinf(verdict.order.front().median_seconds)) return verdict;
  const double best = verdict.order.front().median_seconds;
  verdict.winner = verdict.order.front().label;
  verdict.speedup_over_sgd = ratio(sgd, best);
  if (verdict.order.size() > 1) verdict.speedup_over_runner_up = ratio(verdict.order[1].median_seconds, best);
  return verdict;
}

void write_outcome(const Json& run, const RunFolder& folder) {
  write_atomically(folder.path("runs.csv"), [&](std::ostream& out) { write_runs(run.at("runs"), out); });
  write_atomically(folder.path("points.csv"), [&](std::ostream& out) { write_points(run.at("runs"), out); });
  write_atomically(folder.path("run.json"), [&](std::ostream& out) { write_json(run, out); });
}

void write_pages(const Json& run, const RunFolder& folder) {
  const report::Document document = report::document_of_run(run);
  write_atomically(folder.path("report.html"), [&](std::ostream& out) { out << report::html(document); });
  report::write_figures(document, folder.path("figures"));
}

}  // namespace s3gd
