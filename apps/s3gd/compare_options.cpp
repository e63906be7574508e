#include "compare_options.hpp"

#include <filesystem>
#include <limits>

#include "base/file.hpp"
#include "compare/contender.hpp"
#include "compare/subject.hpp"
#include "fit_options.hpp"
#include "help.hpp"
#include "options.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

// An option that is a key of a plan: its value is noted when it is given.
Option* add_whole(Arguments& app, Json& said, const std::string& key, Index least, const std::string& help) {
  return app
      .add_option_function<Index>(
          "--" + key, [&said, key](const Index& value) { said[key] = value; }, help)
      ->check(whole_number(least));
}

Option* add_real(Arguments& app, Json& said, const std::string& key, const std::string& help) {
  return app
      .add_option_function<double>(
          "--" + key, [&said, key](const double& value) { said[key] = value; }, help)
      ->check(real_number(0));
}

// The same from the library's table; by themselves they are the paper's.
void add_table_keys(Arguments& app, Json& said, const std::vector<std::string>& names, const std::string& group) {
  const Plan paper = paper_plan();
  for (const std::string& name : names) {
    const OptionRow& row = *find_option(name);
    const std::string by_itself = row.get({.problem = paper.problem, .solve = paper.common});
    add_table_option(app, row, by_itself, [&said, &row](const std::string& word) {
      OptionValues tried;
      row.set(tried, word);
      said[row.name] = word;
    })->group(row.group == kGraphOptions ? row.group : group);
  }
}

void add_protocol(Arguments& app, CompareOptions& options) {
  const std::string group = "Protocol";
  Json& said = options.said;
  app.add_option("--plan", options.plan_file, "a plan (JSON, docs/compare.md); options go before what it says")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--solvers", options.solvers, "comma-separated, see s3gd list solvers")
      ->delimiter(',')
      ->default_str("sgd,ssgd,svrg,scv,s3gd")
      ->type_name("NAMES")
      ->group(group);
  app.add_option("--solver", options.variants, "one more, as NAME:OPTION=VALUE,.. e.g. s3gd:anchors=50 (repeat it)")
      ->default_str("")
      ->type_name("SPEC")
      ->group(group);
  app.add_option("--steps", options.steps, "comma-separated: numbers, 2x (of 1/L(p)), auto")
      ->delimiter(',')
      ->default_str("0.1,1,5,10")
      ->type_name("STEPS")
      ->group(group);
  add_whole(app, said, "trials", 1, "seeds for each [5]")->group(group);
  add_whole(app, said, "iterations", 1, "of a run [40000]")->group(group);
  add_whole(app, said, "tail", 1, "iterations at the end whose mean says if a step is stable [5000]")->group(group);
  add_real(app, said, "target", "how close to F* is there, and stable [0.01]")->group(group);
  add_real(app, said, "seconds", "at most so long for a run")->group(group);
  add_real(app, said, "tol", "gap at which exact solvers (auto ..) end [1e-6]")->group(group);
  app.add_flag("--gradients", options.gradients, "also correlation and variance of the gradients")->group(group);
  app.add_flag("--quick", options.quick, "8,000 iterations, two trials")->group(group);
}

Json file_of(const std::string& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  parse_plan(text, path);  // its mistakes are its own, whatever the options say
  return Json::parse_with_comments(text);
}

// A plan file has been read by then: what is wrong now is wrong with the options.
Plan parsed(const Json& all) {
  try {
    return parse_plan(all.dump(), "the options");
  } catch (const Error& error) {
    throw UsageError(error.in_words(program_words));
  }
}

}  // namespace

void add_compare_options(Arguments& app, CompareOptions& options) {
  app.add_option("DATA", options.data, "files, known NAMEs or gen:KIND?..; more than one is fine")
      ->expected(0, std::numeric_limits<int>::max());
  const std::string group = "Data";
  app.add_option("-o,--output", options.folder, "folder of the results; runs that are there are not repeated")
      ->type_name("DIR")
      ->group(group);
  app.add_option("--test", options.test, "DATA to judge by (default: a known dataset's own, else --validate)")
      ->type_name("DATA")
      ->group(group);
  add_real(app, options.said, "validate", "fraction held out where there is no test data [0.2]")->group(group);
  app.add_flag("--fresh", options.fresh, "do runs again that are there")->group(group);
  app.add_flag("--estimate", options.estimate, "say what it will take, and run nothing")->group(group);
  app.add_flag("--no-pages", options.no_pages, "no report.html and no figures")->group(group);
  add_whole(app, options.said, "jobs", 1, "runs side by side; disturbs the clocks [1]")->group(group);
  add_protocol(app, options);
  add_table_keys(app, options.said,
                 {"loss", "beta", "penalty", "lambda", "alpha", "intercept", "binary", "class-weight", "scale"},
                 "Problem");
  add_table_keys(app, options.said, solve_option_names(), "For all solvers");
  add_load_options(app, options.load);
}

Plan plan_of(const CompareOptions& options, const Common& common, bool threads_given) {
  Json all = options.plan_file.empty() ? Json::object() : file_of(options.plan_file);
  if (options.quick) all["quick"] = true;
  for (const auto& [key, value] : options.said.items()) all[key] = value;
  if (!options.steps.empty()) all["steps"] = options.steps;
  if (!options.solvers.empty()) all["solvers"] = options.solvers;
  if (!options.variants.empty()) {
    if (!all.contains("solvers")) {
      all["solvers"] = Json::array();
      for (const Contender& contender : paper_plan().contenders) all["solvers"].push_back(contender.solver);
    }
    for (const std::string& variant : options.variants) all["solvers"].push_back(variant);
  }
  if (options.gradients) all["gradients"] = true;
  if (threads_given) all["threads"] = common.threads;
  if (common.seed != 0) all["seed"] = common.seed;
  if (!options.data.empty()) all["datasets"] = options.data;
  if (!all.contains("datasets"))
    throw UsageError("compare needs DATA, or a --plan with datasets; see s3gd help compare");
  Plan plan = parsed(all);
  if (!options.test.empty()) {
    if (plan.datasets.size() != 1) throw UsageError("--test goes with one DATA; a plan file can give one to each");
    plan.datasets.front().test = options.test;
  }
  LoadOptions load = options.load;
  if (load.label_column.empty()) load.label_column = plan.load.label_column;
  if (load.format.empty()) load.format = plan.load.format;
  if (load.precision == Precision::float32) load.precision = plan.load.precision;
  plan.load = load;
  plan.fresh = options.fresh;
  plan.estimate_only = options.estimate;
  plan.pages = !options.no_pages;
  return plan;
}

std::string folder_of(const CompareOptions& options, const Plan& plan) {
  refuse_standard_output(options.folder, "--output");
  if (!options.folder.empty()) return options.folder;
  if (!options.plan_file.empty()) return "compare-" + std::filesystem::path(options.plan_file).stem().string();
  std::string name = name_for(plan.datasets.front());
  for (char& c : name)
    if (std::string_view("/:?&=*").find(c) != std::string_view::npos) c = '-';
  return "compare-" + name;
}

}  // namespace s3gd::app
