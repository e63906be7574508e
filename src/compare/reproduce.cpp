#include "compare/reproduce.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "compare/reproduce_page.hpp"
#include "data/catalog.hpp"
#include "report/figures.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce {
namespace {

namespace fs = std::filesystem;

std::vector<const Experiment*> chosen(const std::vector<std::string>& names) {
  std::vector<const Experiment*> list;
  for (const std::string& name : names) find_experiment(name);  // an unknown one is an error
  for (const Experiment& experiment : experiments())
    if (names.empty() || std::find(names.begin(), names.end(), experiment.name) != names.end())
      list.push_back(&experiment);
  return list;
}

std::string folder_of(const std::string& folder, const RunGroup& group) { return folder + "/runs/" + group.name; }

// The groups of runs that the experiments need, in their order, each once. Where all of them look at some sets only, it is
// narrowed to those; its folder, and the runs kept there, stay the same.
struct NeededGroup {
  RunGroup group;
  std::string figure;  // the first that needs it
  bool all_sets = false;
  std::vector<std::string> sets;
};

std::vector<NeededGroup> needed_groups(const std::vector<const Experiment*>& list) {
  std::vector<NeededGroup> needed;
  for (const Experiment* experiment : list)
    for (const RunGroup& group : run_groups(*experiment)) {
      auto found =
          std::find_if(needed.begin(), needed.end(), [&](const auto& one) { return one.group.name == group.name; });
      if (found == needed.end()) found = needed.insert(needed.end(), {group, experiment->name, false, {}});
      found->all_sets = found->all_sets || experiment->sets.empty();
      found->sets.insert(found->sets.end(), experiment->sets.begin(), experiment->sets.end());
    }
  for (NeededGroup& one : needed) {
    if (one.all_sets) continue;
    Json data = Json::array();
    for (const Json& entry : one.group.plan.at("data"))
      if (entry.is_string() && std::find(one.sets.begin(), one.sets.end(), entry.get<std::string>()) != one.sets.end())
        data.push_back(entry);
    one.group.plan["data"] = data;
  }
  std::erase_if(needed, [](const NeededGroup& one) { return one.group.plan.at("data").empty(); });
  return needed;
}

// The finished groups of runs by name. An interrupt leaves the rest out.
struct Done {
  std::map<std::string, Json> groups;
  std::map<std::string, bool> complete;
};

// Several groups look at the same problem: its optimum is found once.
void share_optima(const std::string& folder, const std::string& place) {
  fs::create_directories(folder + "/runs/optima");
  fs::create_directories(place);
  std::error_code ignored;  // there already, or a file system without links: then it is found again
  fs::create_directory_symlink("../optima", place + "/optima", ignored);
}

void run_group(const RunGroup& group, const std::string& figure, const std::string& folder, const Settings& settings,
               const std::vector<std::string>& command, const Watch& watch, Reproduction& result, Done& done) {
  Plan plan = plan_of(group, result.sets, settings);
  plan.command = command;
  const std::string place = folder_of(folder, group);
  share_optima(folder, place);
  const PlanResult outcome = run_plan(plan, place, [&](const PlanProgress& progress) {
    return !watch || watch({figure, progress});
  });
  result.failed += outcome.failed;
  if (outcome.status == Status::interrupted) result.status = Status::interrupted;
  std::ifstream file(outcome.run_file);
  if (!file) return;
  done.groups[group.name] = Json::parse(file);
  done.complete[group.name] = outcome.status != Status::interrupted;
  if (const std::string left = left_out_of(group, settings); !left.empty()) result.left_out.push_back(left);
}

Index count_classes(const Dataset& data) {
  return data.y.kind == LabelKind::classes ? static_cast<Index>(data.y.distinct().size()) : 0;
}

// The shape of a set that no run has read.
ResultSet look_at(const FoundSet& set) {
  ResultSet shape;
  shape.name = set.data.name;
  shape.source = set.data.source;
  shape.stand_in = set.data.stand_in;
  const Dataset train = load(set.data.source);
  shape.rows = train.rows();
  shape.cols = train.cols();
  shape.classes = count_classes(train);
  const auto test = set.generated ? std::optional(set.data.test) : find_known(set.data.source, Part::test);
  if (test) {
    const Dataset rows = load(*test);
    shape.test_rows = rows.rows();
    shape.cols = std::max(shape.cols, rows.cols());
  }
  return shape;
}

Evidence evidence_for(const Experiment& experiment, const Done& done, const Reproduction& result) {
  Evidence evidence;
  evidence.sets = result.sets;
  if (experiment.show == "shapes") {
    Results all;
    for (const auto& [name, run] : done.groups) add_results(all, run);
    for (const FoundSet& set : result.sets) {
      const ResultSet* known = all.find(set.data.name);
      if (known == nullptr && result.status == Status::interrupted) return {};  // nothing is read any more
      evidence.results.sets.push_back(known != nullptr ? *known : look_at(set));
    }
    return evidence;
  }
  for (const RunGroup& group : run_groups(experiment))
    if (done.groups.contains(group.name)) add_results(evidence.results, done.groups.at(group.name));
  evidence.results = only(evidence.results, experiment.sets, experiment.labels);
  return evidence;
}

void write_results(const Reproduction& result, const std::vector<Evidence>& evidence, const Done& done,
                   const std::string& folder, const Settings& settings, const std::vector<std::string>& command) {
  const Json machine =
      done.groups.empty() ? Json::object() : done.groups.begin()->second.value("machine", Json::object());
  const report::Document document = document_of(result, evidence, machine);
  report::write_figures(document, folder + "/figures");
  write_atomically(result.page, [&](std::ostream& out) { out << report::html(document); });
  const Json json = results_json(result, evidence, machine, settings, command);
  write_atomically(result.results, [&](std::ostream& out) { out << json.dump(1) << "\n"; });
}

}  // namespace

Reproduction reproduce(const std::vector<std::string>& figures, const std::string& folder, const Settings& settings,
                       const std::vector<std::string>& command, const Watch& watch) {
  const double started = wall_now();
  const auto list = chosen(figures);
  Reproduction result;
  result.page = folder + "/reproduction.html";
  result.results = folder + "/results.json";
  result.sets = find_paper_sets(settings);
  fs::create_directories(folder);
  Done done;
  const auto needed = needed_groups(list);
  for (const NeededGroup& one : needed)
    if (result.status != Status::interrupted)
      run_group(one.group, one.figure, folder, settings, command, watch, result, done);
  std::vector<Evidence> evidence;
  for (const Experiment* experiment : list) {
    evidence.push_back(evidence_for(*experiment, done, result));
    FigureResult figure;
    figure.experiment = experiment;
    for (const RunGroup& group : run_groups(*experiment)) {
      const bool wanted =
          std::any_of(needed.begin(), needed.end(), [&](const auto& one) { return one.group.name == group.name; });
      if (wanted) figure.complete = figure.complete && done.complete[group.name];
    }
    for (const Claim& claim : experiment->claims) figure.findings.push_back(judge(claim, evidence.back()));
    result.figures.push_back(std::move(figure));
  }
  result.seconds = wall_now() - started;
  write_results(result, evidence, done, folder, settings, command);
  return result;
}

}  // namespace s3gd::reproduce
