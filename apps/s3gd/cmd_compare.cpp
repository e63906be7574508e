// s3gd compare DATA [DATA..] -o DIR. Its options are the keys of a plan file under the same names, laid over the file where
// there is one. And s3gd report RUN.json -o FILE.html, of what that has written.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "compare/subject.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report/document.hpp"
#include "report/run_rows.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

struct CompareOptions {
  std::vector<std::string> data;
  std::string folder, plan_file, test;
  std::vector<std::string> solvers;   // --solvers a,b,c
  std::vector<std::string> variants;  // --solver NAME:OPTION=VALUE,..
  std::vector<std::string> steps;
  OptionValues values;
  Json said = Json::object();  // keys of a plan, as far as they were given
  bool quick = false, paper = false, fresh = false, gradients = false, estimate = false, no_pages = false;
};

// Options that are keys of a plan: their values are noted when they are given.
void add_numbers(Arguments& app, Json& said) {
  for (const PlanKey& key : plan_keys()) {
    if (key.help == nullptr) continue;
    const bool whole = !std::holds_alternative<double Plan::*>(key.member);
    const auto note = [&said, key, whole](const std::string& word) {
      if (whole)
        said[key.name] = Index{std::stoll(word)};
      else
        said[key.name] = std::strtod(word.c_str(), nullptr);
    };
    const Range range{.least = static_cast<double>(key.least), .whole = whole};
    app.add("--" + std::string(key.name), note, key.help,
            {.takes = whole ? "INT" : "FLOAT", .check = in_range(range), .by_itself = ""});
  }
}

// The same from the library's table; by themselves the problem's are the paper's.
void add_table_keys(Arguments& app, Json& said, const std::vector<std::string>& names, const std::string& group) {
  const OptionValues usual{.problem = paper_plan().problem};
  for (const std::string& name : names) {
    const OptionRow& row = *find_option(name);
    if (!row.set || !row.plan) continue;
    const std::string by_itself = row.get(usual);
    add_table_option(app, row, by_itself, [&said, &row](const std::string& word) {
      OptionValues tried;
      row.set(tried, word);
      said[row.name] = word;
    }).group = row.group == kGraphOptions ? row.group : group;
  }
}

void add_options(Arguments& app, CompareOptions& options) {
  Json& said = options.said;
  app.add("DATA", &options.data, "files, known NAMEs or gen:KIND?.., one or more");
  app.in_group("Data");
  app.add("-o,--output", &options.folder, "folder of the results; runs that are there are not repeated",
          {.takes = "DIR"});
  app.add("--test", &options.test, "rows to judge by (default: its own, else --validate)", {.takes = "DATA"});
  app.add("--fresh", &options.fresh, "do runs again that are there");
  app.add("--estimate", &options.estimate, "say what it will take, and run nothing");
  app.add("--no-pages", &options.no_pages, "no report.html and no figures");
  app.in_group("Protocol");
  app.add("--plan", &options.plan_file, "a plan (docs/compare.md); options go before it", {.takes = "FILE"});
  app.add("--solvers", &options.solvers, "comma-separated, see s3gd list solvers",
          {.takes = "NAMES", .by_itself = "sgd,ssgd,svrg,scv,s3gd", .between = ','});
  app.add("--solver", &options.variants, "one more, as NAME:OPTION=VALUE,.. e.g. s3gd:anchors=50 (repeat it)",
          {.takes = "SPEC", .by_itself = ""});
  app.add("--steps", &options.steps, "comma-separated: numbers, 2x (of 1/L(p)), auto",
          {.takes = "STEPS", .by_itself = "0.1,1,5,10", .between = ','});
  add_numbers(app, said);
  app.add("--gradients", &options.gradients, "also correlation and variance of the gradients");
  app.add("--quick", &options.quick, "8,000 iterations, two trials");
  app.add("--paper", &options.paper, "solvers as the paper prints them: s3gd with its graph, control and propagation");
  add_table_keys(app, said, names_in(kProblemOptions), kProblemOptions);
  add_table_keys(app, said, {"reading"}, kProblemOptions);
  add_table_keys(app, said, solve_option_names(), kForAllSolvers);
  add_table_options(app, options.values, names_in(kReadingOptions));
}

// A plan file has been read by then: what is wrong now is wrong with the options.
Plan parsed(const Json& all) {
  try {
    return parse_plan(all.dump(), "the options");
  } catch (const Error& error) {
    throw UsageError(error.in_words(program_words));
  }
}

// The plan file and the options as one plan.
Json all_said(const CompareOptions& options, const Common& common, bool threads_given) {
  Json all = Json::object();
  if (!options.plan_file.empty()) {
    const std::string text = MappedFile(options.plan_file).text();
    parse_plan(text, options.plan_file);  // its mistakes are its own, whatever the options say
    all = Json::parse_with_comments(text);
  }
  if (options.quick) all["quick"] = true;
  if (options.paper) all["paper"] = true;
  all.update(options.said);
  if (!options.steps.empty()) all["steps"] = options.steps;
  if (!options.solvers.empty()) all["solvers"] = options.solvers;
  if (!options.variants.empty() && !all.contains("solvers"))
    for (const Contender& contender : paper_plan().contenders) all["solvers"].push_back(contender.solver);
  for (const std::string& variant : options.variants) all["solvers"].push_back(variant);
  if (options.gradients) all["gradients"] = true;
  if (threads_given) all["threads"] = common.threads;
  if (common.seed != 0) all["seed"] = common.seed;
  if (!options.data.empty()) all["datasets"] = options.data;
  return all;
}

// As typed, for run.json.
std::vector<std::string> command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  if (!words.empty()) words.front() = "s3gd";
  return words;
}

Plan plan_of(const CompareOptions& options, const Common& common, bool threads_given) {
  const Json all = all_said(options, common, threads_given);
  if (!all.contains("datasets"))
    throw UsageError("compare needs DATA, or a --plan with datasets; see s3gd help compare");
  Plan plan = parsed(all);
  if (!options.test.empty()) {
    if (plan.datasets.size() != 1) throw UsageError("--test goes with one DATA; a plan file can give one to each");
    plan.datasets.front().test = options.test;
  }
  LoadOptions load = options.values.load;
  if (load.label_column.empty()) load.label_column = plan.load.label_column;
  if (load.format.empty()) load.format = plan.load.format;
  if (load.precision == Precision::float32) load.precision = plan.load.precision;
  plan.load = load;
  plan.fresh = options.fresh;
  plan.estimate_only = options.estimate;
  plan.pages = !options.no_pages;
  plan.command = command_line();
  return plan;
}

// Where the results go: as asked for, or by the name of the plan or of the first dataset.
std::string folder_of(const CompareOptions& options, const Plan& plan) {
  refuse_standard_output(options.folder, "--output");
  if (!options.folder.empty()) return options.folder;
  if (!options.plan_file.empty()) return "compare-" + std::filesystem::path(options.plan_file).stem().string();
  std::string name = name_for(plan.datasets.front());
  for (char& c : name)
    if (std::string_view("/:?&=*").find(c) != std::string_view::npos) c = '-';
  return "compare-" + name;
}

// The display of a plan at work. What it will take is said once, before the first run.
class Display {
 public:
  Display(const Common& common, bool quick) : common_(common), quick_(quick), line_(common, "comparing") {}

  bool show(const PlanProgress& now, Index iterations) {
    if (!std::isnan(now.seconds_left) && !announced_) {
      line_.clear();
      announced_ = true;
      announce(now);
    }
    std::string text = fmt::format("{}/{}", now.done, now.of);
    if (!std::isnan(now.seconds_left)) text += fmt::format(", {} left", format_seconds(now.seconds_left));
    text += "  " + now.doing;
    if (now.iteration > 0)
      text += fmt::format("  {:.0f} %", 100.0 * static_cast<double>(now.iteration) / static_cast<double>(iterations));
    line_.show(text);
    return true;
  }

 private:
  void announce(const PlanProgress& now) const {
    constexpr double kLong = 60;
    std::string text = format_count(now.of) + " runs";
    if (now.seconds_left > 0)
      text += ", about " + format_seconds(now.seconds_left) + " for those that are not there yet";
    if (now.seconds_left > kLong && !quick_) text += "; --quick takes a tenth of that";
    remark(common_, text);
  }

  const Common& common_;
  bool quick_;
  Progress line_;
  bool announced_ = false;
};

std::string text_at(const Json& object, const char* key) { return object.at(key).get<std::string>(); }
double number_at(const Json& object, const char* key) { return object.at(key).get<double>(); }

// label -> median seconds of the verdict on a dataset
std::map<std::string, std::string> medians_of(const Json& verdict) {
  std::map<std::string, std::string> medians;
  for (const Json& place : verdict.at("order"))
    medians[text_at(place, "label")] =
        place.at("median_seconds").is_number() ? format_seconds(number_at(place, "median_seconds")) : "-";
  return medians;
}

const Json& verdict_of(const Json& run, const std::string& dataset, bool with_graph) {
  for (const Json& verdict : run.at("verdicts"))
    if (verdict.at("dataset") == dataset && verdict.at("with_graph") == with_graph) return verdict;
  throw std::logic_error("a dataset without a verdict");
}

// A lead that is smaller than the distance of two looks is none.
std::string who_won(const Json& verdict, double target, double look_growth) {
  if (verdict.at("winner").is_null()) return fmt::format("nobody came within {:g} % of F*\n", 100 * target);
  std::vector<std::string> leads;
  for (const auto& [key, other] : {std::pair("speedup_over_sgd", "sgd"), {"speedup_over_runner_up", "the runner-up"}})
    if (verdict.at(key).is_number() && verdict.at("winner") != other)
      leads.push_back(fmt::format("{:.3g} times as fast as {}", number_at(verdict, key), other));
  const Json& lead = verdict.at("speedup_over_runner_up");
  const char* narrowly = lead.is_number() && lead.get<double>() < look_growth ? " narrowly" : "";
  if (leads.empty()) leads.emplace_back("nobody else came there");
  return fmt::format("first{} within {:g} % of F*: {}, {}\n", narrowly, 100 * target, text_at(verdict, "winner"),
                     join(leads));
}

std::string text_of_dataset(const Json& run, const Json& dataset) {
  const std::string name = text_at(dataset, "name");
  const Json &with_graph = verdict_of(run, name, true), &protocol = run.at("protocol");
  auto all = medians_of(with_graph), without = medians_of(verdict_of(run, name, false));
  Table rows{{"solver", "step", "time to target", "without graph", ""}};
  for (const Json& place : with_graph.at("order")) {
    const std::string label = text_at(place, "label");
    for (const Json& chosen : run.at("chosen")) {
      if (chosen.at("dataset") != name || chosen.at("label") != label) continue;
      const Json& step = chosen.at("step_rule");
      rows.push_back({label, step.is_null() || step == "none" ? "-" : step.get<std::string>(), all[label],
                      without[label], text_at(chosen, "why")});
    }
  }
  return fmt::format("{}: {} x {}, F* = {} (certified to {:.0e})\n", name,
                     format_count(dataset.at("rows").get<Index>()), format_count(dataset.at("cols").get<Index>()),
                     format_number(number_at(dataset, "optimum")), number_at(dataset, "optimum_gap")) +
         format_table(rows) + who_won(with_graph, number_at(protocol, "tolerance"), number_at(protocol, "look_growth"));
}

// Who won, as text or JSON to standard output, remarks to standard error; returns the exit code.
int print_comparison(const PlanResult& result, const std::string& folder, bool pages, const Common& common) {
  if (result.run_file.empty()) throw Interrupted();
  const bool interrupted = result.status == Status::interrupted;
  const Json run = Json::parse_file(result.run_file);
  if (common.json) {
    Json json{{"status", interrupted ? "interrupted" : "done"},
              {"folder", folder},
              {"runs", result.runs},
              {"planned", result.planned},
              {"reused", result.reused},
              {"failed", result.failed}};
    for (const char* key : {"seconds", "notes", "machine", "protocol", "datasets", "chosen", "verdicts"})
      json[key] = run.at(key);
    print_json(json);
  } else {
    std::vector<std::string> texts;
    for (const Json& dataset : run.at("datasets")) texts.push_back(text_of_dataset(run, dataset));
    print(join(texts, "\n"));
  }
  for (const Json& note : run.at("notes")) remark(common, "note: " + note.get<std::string>());
  if (result.failed > 0)
    remark(common, fmt::format("{} of {} runs failed: the column error of {}/runs.csv says why", result.failed,
                               result.runs, folder));
  if (interrupted) remark(common, "interrupted; the same command goes on from here");
  remark(common, fmt::format("{} runs written to {} ({} were there): run.json, runs.csv, points.csv",
                             format_count(result.runs), folder, format_count(result.reused)));
  if (pages) remark(common, fmt::format("to look at: {0}/report.html; for a paper: {0}/figures", folder));
  if (interrupted) return kInterrupted;
  return result.runs > 0 && result.failed == result.runs ? kBadInput : kGood;
}

int compare(const CompareOptions& options, const Common& common, bool threads_given) {
  const Plan plan = plan_of(options, common, threads_given);
  const std::string folder = folder_of(options, plan);
  PlanResult result;
  {
    Display display(common, options.quick);  // gone before the first remark, which would stand behind it
    result = run_plan(plan, folder, [&](const PlanProgress& now) { return display.show(now, plan.iterations); });
  }
  if (!plan.estimate_only) return print_comparison(result, folder, plan.pages, common);
  print_result(common, {{"status", "estimated"}, {"runs", result.planned}, {"seconds", result.estimated_seconds}},
               fmt::format("{} runs on {} datasets, about {}\n", format_count(result.planned), plan.datasets.size(),
                           format_seconds(result.estimated_seconds)));
  return kGood;
}

struct ReportOptions {
  std::string run, page, figures;
};

// The file, or the run.json of a folder that `s3gd compare` has written.
std::string run_file(const std::string& given) {
  return std::filesystem::is_directory(given) ? given + "/run.json" : given;
}

Json read_run(const std::string& path) {
  const std::string text = MappedFile(path).text();
  try {
    return Json::parse(text);
  } catch (const JsonParseError& error) {
    throw Error(fmt::format("{} is not JSON: byte {}", path, error.byte),
                "give the run.json that s3gd compare has written");
  }
}

int run(const ReportOptions& options, const Common& common) {
  if (options.page.empty() && options.figures.empty())
    throw UsageError("nothing to write: give -o FILE.html, --figures FOLDER, or both");
  check_files(common, {{"RUN", run_file(options.run)}}, {{"--output", options.page}});
  const report::Document document = report::document_of_run(read_run(run_file(options.run)));
  Json json{{"title", document.title}};
  if (!options.page.empty()) {
    const std::string page = report::html(document);
    write_atomically(options.page, [&](std::ostream& out) { out << page; });
    json["page"] = options.page;
    json["bytes"] = page.size();
    remark(common, fmt::format("page written to {} ({})", options.page, format_bytes(page.size())));
  }
  if (!options.figures.empty()) {
    const report::FiguresWritten written = report::write_figures(document, options.figures);
    json["figures"] = written.files;
    json["png"] = written.png;
    remark(common, fmt::format("{} pictures written to {}{}", written.files.size(), options.figures,
                               written.png ? "" : " (SVG only: PNG needs librsvg)"));
  }
  if (common.json) print_json(json);
  return kGood;
}

}  // namespace

std::function<int()> setup_compare(Arguments& app, const Common& common) {
  auto options = std::make_shared<CompareOptions>();
  add_options(app, *options);
  return [options, &common, &app] { return compare(*options, common, app.given("--threads")); };
}

std::function<int()> setup_report(Arguments& app, const Common& common) {
  auto options = std::make_shared<ReportOptions>();
  app.add("RUN", &options->run, "the run.json of a comparison, or its folder", {.required = true});
  app.add("-o,--output", &options->page, "the page", {.takes = "FILE.html"});
  app.add("--figures", &options->figures, "also every figure as SVG, and as PNG where the program can",
          {.takes = "FOLDER"});
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
