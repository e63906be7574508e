// The course of a comparison: survey what there is to do, find each optimum, run what is missing, write the files.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/mention.hpp"
#include "compare/one_run.hpp"
#include "compare/outcome.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr double kOptimumTolerance = 1e-9;

// How long what is left will take: a guess from a short trial of each contender on each dataset, replaced by what runs took
// as they end.
class CostBook {
 public:
  // So many runs of a contender on a dataset are to be done.
  void expect(std::size_t dataset, std::size_t contender, Index runs, double seconds_each) {
    entries_[{dataset, contender}] = {.guess = seconds_each, .left = runs};
  }
  void done(std::size_t dataset, std::size_t contender, double seconds) {
    Entry& entry = entries_[{dataset, contender}];
    entry.measured += seconds;
    ++entry.ended;
    entry.left = std::max<Index>(0, entry.left - 1);
  }
  double seconds_left() const {
    double sum = 0;
    for (const auto& [place, entry] : entries_)
      sum += static_cast<double>(entry.left) *
             (entry.ended > 0 ? entry.measured / static_cast<double>(entry.ended) : entry.guess);
    return sum;
  }

 private:
  struct Entry {
    double guess = 0, measured = 0;
    Index left = 0, ended = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Entry> entries_;
};

class Session {
 public:
  Session(const Plan& plan, const std::string& folder, const WatchPlan& watch)
      : plan_(plan), folder_(folder), watch_(watch) {}

  PlanResult run() {
    const double started = wall_now();
    name_datasets();
    if (!plan_.only_done) survey();
    result_.estimated_seconds = costs_.seconds_left();
    surveyed_ = true;
    if (plan_.estimate_only || !tell("starting")) return close();
    for (std::size_t d = 0; d < datasets_.size() && !stopped_; ++d) run_dataset(d);
    outcome_.planned = result_.planned;
    outcome_.seconds = wall_now() - started;
    if (!plan_.only_done || !outcome_.runs.empty()) write();
    return close();
  }

 private:
  // Files of one name in several folders keep their paths.
  void name_datasets() {
    datasets_ = plan_.datasets;
    std::multiset<std::string> names;
    for (const CompareData& data : datasets_) names.insert(name_for(data));
    for (CompareData& data : datasets_) data.name = names.count(name_for(data)) > 1 ? data.source : name_for(data);
  }

  // Everything is read once before the first run: what is wrong with the last file is known at once and not after hours.
  void survey() {
    for (std::size_t d = 0; d < datasets_.size() && tell("reading " + datasets_[d].name); ++d) {
      Subject subject = read_subject(plan_, datasets_[d]);
      std::vector<Index> missing(plan_.contenders.size(), 0);
      std::vector<RunTask> first(plan_.contenders.size());
      for (const RunTask& task : tasks_of(plan_, subject)) {
        ++result_.planned;
        if (reusable(key_of(plan_, subject, task))) continue;
        if (missing[task.contender]++ == 0) first[task.contender] = task;
      }
      for (std::size_t c = 0; c < missing.size(); ++c)
        if (missing[c] > 0 && tell(fmt::format("timing {} on {}", plan_.contenders[c].label, subject.name)))
          costs_.expect(d, c, missing[c], guess_seconds(plan_, subject, first[c]));
      if (datasets_.size() == 1) kept_ = std::move(subject);
    }
  }

  std::optional<RunRecord> reusable(const std::string& key) const {
    if (plan_.fresh) return std::nullopt;
    auto record = folder_.load(key);
    return record && record->status != "failed" ? record : std::nullopt;
  }

  void run_dataset(std::size_t d) {
    if (!kept_ && !tell("reading " + datasets_[d].name)) return;
    const Subject subject = kept_ ? *std::exchange(kept_, {}) : read_subject(plan_, datasets_[d]);
    if (plan_.only_done && !any_done(subject)) return;
    if (!tell("optimum of " + subject.name) || !find_optimum(subject)) return;
    plan_.jobs > 1 && !plan_.only_done ? run_side_by_side(d, subject) : run_in_turn(d, subject);
  }

  // Counts what the plan has for it as well: nothing was surveyed.
  bool any_done(const Subject& subject) {
    bool any = false;
    for (const RunTask& task : tasks_of(plan_, subject)) {
      ++result_.planned;
      any = any || reusable(key_of(plan_, subject, task));
    }
    return any;
  }

  bool find_optimum(const Subject& subject) {
    OptimumOptions options;
    options.tol = kOptimumTolerance;
    options.cache_folder = folder_.path("optima");
    options.keep_going = [&](std::span<const double>, const Certificate&) {
      return tell("optimum of " + subject.name);
    };
    const Optimum optimum = solve_reference(subject.judge, options);
    if (!stopped_) outcome_.datasets.push_back(facts_of(subject, optimum));
    return !stopped_;
  }

  // A run that is there already, as it is called in this plan.
  bool take_from_folder(const Subject& subject, const RunTask& task) {
    RunRecord record = blank_record(plan_, subject, task);
    auto found = reusable(record.key);
    if (!found) return false;
    called_as_in(record, *found);
    ++result_.reused;
    keep(*std::move(found));
    return true;
  }

  void keep(RunRecord record) {
    if (record.status == "failed") ++result_.failed;
    outcome_.runs.push_back(std::move(record));
  }

  std::string name_of_run(const Subject& subject, const RunTask& task) const {
    std::string text = subject.name + " " + plan_.contenders[task.contender].label;
    if (!task.exact) text += " step " + text_of(task.step);
    return text + fmt::format(" trial {}", task.trial);
  }

  void run_in_turn(std::size_t d, const Subject& subject) {
    for (const RunTask& task : tasks_of(plan_, subject)) {
      const std::string name = name_of_run(subject, task);
      if (!tell(name)) return;
      if (take_from_folder(subject, task) || plan_.only_done) continue;
      const double started = wall_now();
      RunOutcome outcome =
          perform(plan_, subject, task, [&](const TraceRow& row) { return tell(name, row.iteration); });
      if (outcome.interrupted) {
        stopped_ = true;
        return;
      }
      folder_.store(outcome.record, outcome.w);
      costs_.done(d, task.contender, wall_now() - started);
      keep(std::move(outcome.record));
    }
  }

  void run_side_by_side(std::size_t d, const Subject& subject) {
    const double started = wall_now();
    Index ended = 0;
    std::string latest = subject.name;
    const auto done = [&](const RunTask& task, RunRecord record) {
      ++ended;
      costs_.done(d, task.contender,
                  static_cast<double>(plan_.jobs) * (wall_now() - started) / static_cast<double>(ended));
      keep(std::move(record));
    };
    Workers workers(plan_, subject, folder_, done, [&] { return tell(latest); });
    for (const RunTask& task : tasks_of(plan_, subject)) {
      latest = name_of_run(subject, task);
      if (take_from_folder(subject, task)) continue;
      if (!tell(latest) || !workers.start(task)) break;
    }
    if (stopped_) return;
    if (!workers.finish()) stopped_ = true;
  }

  // The order of the plan, whichever run ended first.
  void sort_runs() {
    const auto place = [&](const RunRecord& run) {
      const auto contender = std::find_if(plan_.contenders.begin(), plan_.contenders.end(),
                                          [&](const Contender& c) { return c.label == run.label; });
      return std::tuple(contender - plan_.contenders.begin(), run.step, run.trial);
    };
    auto begin = outcome_.runs.begin();
    for (const DatasetFacts& facts : outcome_.datasets) {
      const auto end = std::stable_partition(begin, outcome_.runs.end(),
                                             [&](const RunRecord& run) { return run.dataset == facts.name; });
      std::stable_sort(begin, end, [&](const RunRecord& a, const RunRecord& b) {
        const auto [ca, sa, ta] = place(a);
        const auto [cb, sb, tb] = place(b);
        if (ca != cb) return ca < cb;
        if (a.step_rule != b.step_rule && sa != sb && !std::isnan(sa) && !std::isnan(sb)) return sa < sb;
        if (a.step_rule != b.step_rule) return a.step_rule < b.step_rule;
        return ta < tb;
      });
      begin = end;
    }
  }

  void write() {
    sort_runs();
    draw_conclusions(plan_, outcome_);
    const Json run = run_json(plan_, outcome_);
    write_outcome(run, folder_);
    result_.run_file = folder_.path("run.json");
    if (plan_.pages) write_pages(run, folder_);
  }

  bool tell(const std::string& doing, Index iteration = 0) {
    if (interrupted()) stopped_ = true;
    if (stopped_ || !watch_) return !stopped_;
    const double left = surveyed_ ? costs_.seconds_left() / static_cast<double>(plan_.jobs) : std::nan("");
    if (!watch_({static_cast<Index>(outcome_.runs.size()), result_.planned, doing, iteration, left})) stopped_ = true;
    return !stopped_;
  }

  PlanResult close() {
    result_.runs = static_cast<Index>(outcome_.runs.size());
    const bool lacking = plan_.only_done && result_.runs < result_.planned;
    result_.status = stopped_ ? Status::interrupted : lacking ? Status::early_stopped : Status::converged;
    return result_;
  }

  const Plan& plan_;
  RunFolder folder_;
  const WatchPlan& watch_;
  std::vector<CompareData> datasets_;
  std::optional<Subject> kept_;
  CostBook costs_;
  Outcome outcome_;
  PlanResult result_;
  bool surveyed_ = false, stopped_ = false;
};

void check_whole(const Plan& plan) {
  if (plan.datasets.empty()) throw Error("the plan has no datasets", "name at least one");
  if (plan.contenders.empty()) throw Error("the plan has no solvers", "name at least one");
  if (plan.jobs > 1 && plan.threads != 1)
    throw Error(fmt::format("{} runs side by side with {} threads each", plan.jobs, plan.threads),
                "with " + opt("jobs") + ", leave " + opt("threads") + " at 1");
}

}  // namespace

PlanResult run_plan(const Plan& plan, const std::string& folder, const WatchPlan& watch) {
  check_whole(plan);
  return Session(plan, folder, watch).run();
}

}  // namespace s3gd
