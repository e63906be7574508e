#include "reproduce/reproduce.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "compare/subject.hpp"
#include "data/catalog.hpp"

namespace s3gd::reproduce {
namespace {

namespace fs = std::filesystem;

// In the order they were named in, which is that of their runs; all of them in the paper's order.
std::vector<const Experiment*> chosen(const std::vector<std::string>& names) {
  std::vector<const Experiment*> list;
  for (const std::string& name : names) {
    const Experiment* found = &find_experiment(name);
    if (std::find(list.begin(), list.end(), found) == list.end()) list.push_back(found);
  }
  if (names.empty())
    for (const Experiment& experiment : experiments()) list.push_back(&experiment);
  return list;
}

// Several groups look at the same problem: its optimum is found once.
void share_optima(const std::string& folder, const std::string& place) {
  fs::create_directories(folder + "/runs/optima");
  fs::create_directories(place);
  std::error_code ignored;  // there already, or a file system without links: then it is found again
  fs::create_directory_symlink("../optima", place + "/optima", ignored);
}

bool has_runs(const std::string& place) {
  std::error_code none;
  return fs::exists(place + "/runs", none) && !fs::is_empty(place + "/runs", none);
}

// "training: ended after 60 s: 20 runs of scv on MED11, .."
void note_runs_cut_short(const Json& run, std::vector<std::string>& notes) {
  std::map<std::string, int> cut;
  for (const Json& row : run.at("runs"))
    if (row.at("status") == s3gd::name_of(Status::out_of_time))
      ++cut[fmt::format("{} on {}", row.at("label").get<std::string>(), row.at("dataset").get<std::string>())];
  if (cut.empty()) return;
  std::vector<std::string> parts;
  for (const auto& [who, count] : cut)
    parts.push_back(fmt::format("{}{} of {}", count, parts.empty() ? count == 1 ? " run" : " runs" : "", who));
  notes.push_back(fmt::format("{}: ended after {:g} s: {}", run.at("title").get<std::string>(),
                              run.at("protocol").at("seconds").get<double>(), join(parts)));
}

// Runs one group after the other until time is up; from then on, and where only what is done counts, takes what is there.
class Course {
 public:
  Course(const std::string& folder, const Settings& settings, const std::vector<std::string>& command,
         const Watch& watch, Reproduction& result)
      : folder_(folder), settings_(settings), command_(command), watch_(watch), result_(result) {
    if (settings.seconds > 0) end_ = wall_now() + settings.seconds;
  }

  void run(const std::vector<NeededGroup>& list) {
    parts_ = list.size();
    for (const NeededGroup& needed : list) {
      ++part_;
      if (result_.status == Status::interrupted || take(needed) || !time_is_up()) continue;
      result_.status = Status::out_of_time;
      settings_.only_done = true;
      take(needed);
    }
  }

  const std::map<std::string, Json>& groups() const { return groups_; }

 private:
  bool time_is_up() const { return !settings_.only_done && wall_now() >= end_; }

  // False when it was cut off.
  bool take(const NeededGroup& needed) {
    Plan plan = plan_of(needed.group, result_.sets, settings_);
    plan.command = command_;
    const std::string place = folder_ + "/runs/" + needed.group.name;
    if (settings_.only_done && !has_runs(place)) {
      note_that_some_are_missing();
      return true;
    }
    share_optima(folder_, place);
    const PlanResult outcome = run_plan(plan, place, [&](const PlanProgress& progress) {
      return !time_is_up() && (!watch_ || watch_({needed.figure, part_, parts_, progress}));
    });
    if (outcome.status == Status::interrupted) {
      if (time_is_up()) return false;
      result_.status = Status::interrupted;
    }
    if (outcome.status == Status::early_stopped) note_that_some_are_missing();
    keep(needed.group, outcome);
    return true;
  }

  void note_that_some_are_missing() {
    if (result_.status == Status::converged) result_.status = Status::early_stopped;
  }

  void keep(const RunGroup& group, const PlanResult& outcome) {
    result_.failed += outcome.failed;
    if (!file_exists(outcome.run_file)) return;
    const Json& run = groups_[group.name] = Json::parse_file(outcome.run_file).sorted();
    if (const std::string left = left_out_of(group, settings_); !left.empty()) result_.left_out.push_back(left);
    note_runs_cut_short(run, result_.left_out);
  }

  const std::string& folder_;
  Settings settings_;
  const std::vector<std::string>& command_;
  const Watch& watch_;
  Reproduction& result_;
  double end_ = std::numeric_limits<double>::infinity();
  std::size_t part_ = 0, parts_ = 0;
  std::map<std::string, Json> groups_;
};

// The shape of a set that no run has read.
ResultSet look_at(const FoundSet& set) {
  ResultSet shape{.name = set.data.name, .source = set.data.source, .stand_in = set.data.stand_in};
  const Dataset train = load(set.data.source);
  shape.rows = train.rows();
  shape.cols = train.cols();
  shape.classes = train.y.kind == LabelKind::classes ? static_cast<Index>(train.y.distinct().size()) : 0;
  const auto test = set.generated ? std::optional(set.data.test) : find_known(set.data.source, Part::test);
  if (test) {
    const Dataset rows = load(*test);
    shape.test_rows = rows.rows();
    shape.cols = std::max(shape.cols, rows.cols());
  }
  return shape;
}

using Groups = std::map<std::string, Json>;

Evidence evidence_for(const Experiment& experiment, const Groups& groups, const Reproduction& result) {
  Evidence evidence;
  evidence.sets = result.sets;
  if (experiment.show == "shapes") {
    Results all;
    for (const auto& [name, run] : groups) add_results(all, run);
    for (const FoundSet& set : result.sets) {
      const ResultSet* known = all.find(set.data.name);
      if (known == nullptr && result.status == Status::interrupted) return {};  // nothing is read any more
      evidence.results.sets.push_back(known != nullptr ? *known : look_at(set));
    }
    return evidence;
  }
  for (const RunGroup& group : run_groups(experiment))
    if (groups.contains(group.name)) add_results(evidence.results, groups.at(group.name));
  evidence.results = only(evidence.results, experiment.sets, experiment.labels);
  return evidence;
}

void write_results(const Reproduction& result, const std::vector<Evidence>& evidence, const Groups& groups,
                   const std::string& folder, const Settings& settings, const std::vector<std::string>& command) {
  const Json machine = groups.empty() ? Json::object() : groups.begin()->second.value("machine", Json::object());
  const report::Document document = document_of(result, evidence, machine);
  report::write_figures(document, folder + "/figures");
  write_atomically(result.page, [&](std::ostream& out) { out << report::html(document); });
  const Json json = results_json(result, evidence, machine, settings, command);
  write_atomically(result.results, [&](std::ostream& out) { out << json.sorted().dump(1) << "\n"; });
}

// Judged by the sets that every method was run on.
FigureResult judge_figure(const Experiment& experiment, const Settings& settings, const Reproduction& result,
                          Evidence& evidence) {
  FigureResult figure;
  figure.experiment = &experiment;
  figure.coverage = coverage_of(experiment, result.sets, settings, evidence.results);
  evidence.missing = figure.coverage.words();
  evidence.results = only_covered(evidence.results, figure.coverage);
  evidence.absent = sets_of(experiment);
  std::erase_if(evidence.absent, [&](const std::string& name) { return evidence.results.find(name) != nullptr; });
  for (const Claim& claim : experiment.claims) figure.findings.push_back(judge(claim, evidence));
  return figure;
}

Index trials_there(const Results& results, const std::string& set, const Contender& contender, const StepRule& step) {
  return std::count_if(results.runs.begin(), results.runs.end(), [&](const RunRecord& run) {
    return run.dataset == set && run.label == contender.label && (is_exact(contender.solver) || run.step == step.value);
  });
}

void add_plan(const Plan& plan, const Experiment& experiment, const Results& results, SetCoverage& covered) {
  for (const Contender& contender : plan.contenders) {
    if (!listed(experiment.labels, contender.label)) continue;
    for (const StepRule& step : plan.steps) {
      if (is_exact(contender.solver) && &step != &plan.steps.front()) continue;
      const Index there = std::min(plan.trials, trials_there(results, covered.set, contender, step));
      covered.trials = covered.planned == 0 ? there : std::min(covered.trials, there);
      covered.of = plan.trials;
      covered.runs += there;
      covered.planned += plan.trials;
    }
  }
}

}  // namespace

Reproduction reproduce(const std::vector<std::string>& figures, const std::string& folder, const Settings& settings,
                       const std::vector<std::string>& command, const Watch& watch) {
  const double started = wall_now();
  auto list = chosen(figures);
  check_set_names(settings.sets);
  Reproduction result;
  result.page = folder + "/reproduction.html";
  result.results = folder + "/results.json";
  result.sets = find_paper_sets(settings);
  fs::create_directories(folder);
  Course course(folder, settings, command, watch, result);
  course.run(needed_groups(list, settings.sets));
  std::sort(list.begin(), list.end());  // the page has the paper's order
  std::vector<Evidence> evidence;
  for (const Experiment* experiment : list) {
    evidence.push_back(evidence_for(*experiment, course.groups(), result));
    result.figures.push_back(judge_figure(*experiment, settings, result, evidence.back()));
  }
  result.seconds = wall_now() - started;
  write_results(result, evidence, course.groups(), folder, settings, command);
  return result;
}

Index Coverage::sum(Index SetCoverage::*count) const {
  Index sum = 0;
  for (const SetCoverage& one : sets) sum += one.*count;
  return sum;
}

std::string Coverage::words() const {
  if (complete()) return {};
  std::map<std::pair<Index, Index>, std::vector<std::string>, std::greater<>> by_trials;
  for (const SetCoverage& one : sets) by_trials[{one.trials, one.of}].push_back(one.set);
  std::vector<std::string> parts, none;
  for (const auto& [trials, names] : by_trials) {
    if (trials.first == 0)
      none.insert(none.end(), names.begin(), names.end());
    else
      parts.push_back(
          fmt::format("{} of {}{} on {}", trials.first, trials.second, parts.empty() ? " trials" : "", join(names)));
  }
  if (!none.empty()) parts.push_back("not run: " + join(none));
  return join(parts, "; ");
}

Coverage coverage_of(const Experiment& experiment, const std::vector<FoundSet>& sets, const Settings& settings,
                     const Results& results) {
  Coverage coverage;
  for (const RunGroup& group : run_groups(experiment)) {
    const Plan plan = plan_of(group, sets, settings);
    for (const CompareData& data : plan.datasets) {
      const std::string name = ResultSet{.name = data.name}.paper_name();
      if (!listed(experiment.sets, name)) continue;
      const bool of_paper =
          std::any_of(sets.begin(), sets.end(), [&](const FoundSet& s) { return s.data.name == data.name; });
      if (of_paper && !listed(settings.sets, name)) continue;
      auto at = std::find_if(coverage.sets.begin(), coverage.sets.end(),
                             [&](const SetCoverage& one) { return one.set == data.name; });
      if (at == coverage.sets.end()) at = coverage.sets.insert(at, {.set = data.name});
      add_plan(plan, experiment, results, *at);
    }
  }
  return coverage;
}

Results only_covered(const Results& results, const Coverage& coverage) {
  Results some = results;
  const auto not_covered = [&](const std::string& name) {
    return std::any_of(coverage.sets.begin(), coverage.sets.end(),
                       [&](const SetCoverage& one) { return one.set == name && one.trials == 0; });
  };
  std::erase_if(some.sets, [&](const ResultSet& set) { return not_covered(set.name); });
  std::erase_if(some.runs, [&](const RunRecord& run) { return not_covered(run.dataset); });
  return some;
}

}  // namespace s3gd::reproduce
