// s3gd reproduce [FIGURE..] -o DIR
#include <fmt/core.h>

#include <cmath>
#include <memory>

#include "base/file.hpp"
#include "options.hpp"
#include "output.hpp"
#include "reproduce/reproduce.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

struct Options {
  std::vector<std::string> figures;
  std::string folder;
  bool list = false;
  bool table = false;
  reproduce::Settings settings;
};

std::string claims_of(const reproduce::Experiment& experiment) {
  std::vector<std::string> claims;
  for (const reproduce::Claim& claim : experiment.claims) claims.push_back(claim.says);
  return join(claims, " ");
}

int list(const Common& common) {
  Json figures = Json::array(), sets = Json::array();
  Table rows{{"name", "in the paper", "what"}}, here{{"set", "here", "remark"}};
  for (const reproduce::Experiment& experiment : reproduce::experiments()) {
    figures.push_back({{"name", experiment.name},
                       {"title", experiment.title},
                       {"paper", experiment.paper},
                       {"claims", claims_of(experiment)}});
    rows.push_back({experiment.name, experiment.side() == "beyond" ? "beyond it" : experiment.paper, experiment.title});
  }
  for (const reproduce::FoundSet& set : reproduce::find_paper_sets({})) {
    sets.push_back({{"paper_name", set.name},
                    {"name", set.data.name},
                    {"source", set.data.source},
                    {"stand_in", set.data.stand_in.empty() ? Json(nullptr) : Json(set.data.stand_in)}});
    here.push_back(
        {set.name, set.generated ? "no: generated rows" : set.data.source, set.generated ? "" : set.differs});
  }
  print_result(common, {{"figures", figures}, {"sets", sets}}, format_table(rows) + "\n" + format_table(here));
  return kGood;
}

Json read_results(const std::string& folder) {
  const std::string path = folder + "/results.json";
  if (!file_exists(path)) throw Error("there is no " + path, "run s3gd reproduce -o " + folder + " first");
  return Json::parse_file(path);
}

std::string outcome_table(const reproduce::Reproduction& done) {
  Table rows{{"figure", "found", "claim"}};
  for (const reproduce::FigureResult& figure : done.figures)
    for (const reproduce::Finding& finding : figure.findings)
      rows.push_back({figure.experiment->name, finding.outcome_in_words(), finding.says});
  return format_table(rows);
}

void check_names(const std::vector<std::string>& figures, const std::vector<std::string>& sets) {
  try {
    for (const std::string& name : figures) reproduce::find_experiment(name);
    reproduce::check_set_names(sets);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

int run(const Options& options, const Common& common) {
  if (options.list) return list(common);
  check_names(options.figures, options.settings.sets);
  if (options.folder.empty()) throw UsageError("reproduce needs a folder for its results: -o DIR");
  refuse_standard_output(options.folder, "-o");
  if (options.table) {
    print(reproduce::markdown_table(read_results(options.folder)));
    return kGood;
  }
  reproduce::Settings settings = options.settings;
  settings.seed = common.seed;
  std::vector<std::string> command{"s3gd", "reproduce"};
  command.insert(command.end(), options.figures.begin(), options.figures.end());
  if (settings.quick) command.emplace_back("--quick");
  Progress progress(common, "reproduce");
  const reproduce::Reproduction done = reproduce::reproduce(
      options.figures, options.folder, settings, command, [&](const reproduce::ReproduceProgress& now) {
        const std::string left =
            std::isfinite(now.plan.seconds_left) ? ", " + format_seconds(now.plan.seconds_left) + " left" : "";
        progress.show(fmt::format("part {}/{}, {}: {}/{}{}  {}", now.part, now.of, now.figure, now.plan.done,
                                  now.plan.of, left, now.plan.doing));
        return true;
      });
  progress.clear();
  for (const reproduce::FoundSet& set : done.sets)
    if (!set.data.stand_in.empty()) remark(common, set.data.name + ": " + set.data.stand_in);
  if (common.json) {
    print_json(read_results(options.folder));
  } else {
    print(outcome_table(done));
    if (!done.left_out.empty()) {
      print("\nLeft out:\n");
      for (const std::string& line : done.left_out) print("  " + wrap(line, 78, 4) + "\n");
    }
    print(fmt::format("\n{} in {}\n", done.page, format_seconds(done.seconds)));
  }
  if (done.status == Status::out_of_time)
    remark(common, "the time was up; the same command goes on where this one stopped");
  if (done.status != Status::interrupted) return kGood;
  print_error("interrupted; the same command goes on where this one stopped", common.json);
  return kInterrupted;
}

}  // namespace

std::function<int()> setup_reproduce(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  reproduce::Settings& settings = options->settings;
  app.add("FIGURE", &options->figures, "names as in --list, run in this order (default: all)");
  app.add("-o,--output", &options->folder, "the folder for page, results and runs", {.takes = "DIR"});
  app.add("--quick", &settings.quick, "fewer trials and iterations: minutes instead of hours");
  app.add("--list", &options->list, "what there is, and which of the paper's sets are here");
  app.add("--table", &options->table, "the findings in DIR as a Markdown table; runs nothing");
  app.add("--sets", &settings.sets, "only these of the paper's sets, in this order",
          {.takes = "NAME,..", .between = ','});
  app.add("--no-runs", &settings.only_done, "run nothing: page and findings from the runs that are in DIR");
  app.add("--fresh", &settings.fresh, "do runs again that are in DIR already");
  app.in_group("Limits");
  app.add("--seconds", &settings.seconds, "for everything, at most; what is done by then is judged",
          {.check = real_number(1e-9)});
  app.add("--trials", &settings.trials, "at most so many", {.check = whole_number(1)});
  app.add("--iterations", &settings.iterations, "at most so many for a run", {.check = whole_number(1)});
  app.add("--rows", &settings.rows, "generated sets: at most so many training rows, and columns",
          {.check = whole_number(1)});
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
