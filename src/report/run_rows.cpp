#include "report/run_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/text.hpp"
#include "s3gd/error.hpp"

namespace s3gd::report {
namespace {

const Json kNothing = Json::array(), kNoFields = Json::object();

void add_new(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

std::string step_text(const RunRecord& run) {
  if (!run.step_rule.empty() && run.step_rule != "none") return run.step_rule;
  return std::isfinite(run.step) && run.step > 0 ? number(run.step) : kNoStep;
}

bool is_of(const Trials& trials, const RunRecord& run) {
  return trials.dataset == run.dataset && trials.label == run.label && trials.step == step_text(run);
}

void add_to(std::vector<Trials>& groups, const RunRecord& run) {
  auto group = std::find_if(groups.begin(), groups.end(), [&](const Trials& one) { return is_of(one, run); });
  if (group == groups.end()) group = groups.insert(group, {run.dataset, run.label, step_text(run), run.step});
  if (std::isnan(group->step_value)) group->step_value = run.step;
  group->runs.push_back(&run);
}

constexpr const char* kAcross[] = {"cpu_seconds", "wall_seconds", "passes", "iteration"};
constexpr const char* kUp[] = {"suboptimality", "objective", "test_objective", "correlation", "variance_ratio"};

struct Mean {
  double sum = 0, low = INFINITY, high = -INFINITY;
  std::size_t count = 0;

  void take(double value) {
    if (!std::isfinite(value)) return;
    sum += value;
    low = std::min(low, value);
    high = std::max(high, value);
    ++count;
  }
  double value() const { return count == 0 ? std::nan("") : sum / static_cast<double>(count); }
};

bool any(const std::vector<Mean>& means) {
  return std::any_of(means.begin(), means.end(), [](const Mean& mean) { return mean.count > 0; });
}

Series::Band band_of(const std::vector<Mean>& means) {
  Series::Band band;
  const bool several = std::any_of(means.begin(), means.end(), [](const Mean& mean) { return mean.count > 1; });
  for (const Mean& mean : means) {
    band.middle.push_back(mean.value());
    if (!several) continue;
    band.low.push_back(mean.count == 0 ? std::nan("") : mean.low);
    band.high.push_back(mean.count == 0 ? std::nan("") : mean.high);
  }
  return band;
}

Series::Band above_optimum(Series::Band band, double optimum) {
  for (auto* values : {&band.middle, &band.low, &band.high})
    for (double& value : *values) value = value / optimum - 1;
  return band;
}

std::string caption_of(const RunRows& rows, const std::string& dataset) {
  const Json& about = rows.about(dataset);
  std::string text = fmt::format("{} rows \u00d7 {} columns", count_text(number_at(about, "rows")),
                                 count_text(number_at(about, "cols")));
  if (const double optimum = number_at(about, "optimum"); std::isfinite(optimum))
    text += fmt::format(", F* = {}", number(optimum));
  std::vector<std::string> steps, unsettled, bad;
  std::set<std::string> different;
  for (const std::string& label : rows.labels()) {
    const Trials* trials = rows.shown(dataset, label);
    if (trials == nullptr) continue;
    if (trials->step != kNoStep) {
      different.insert(trials->step);
      steps.push_back(label + " " + trials->step);
    }
    if (!trials->all_well())
      bad.push_back(label + " (" + trials->status() + ")");
    else if (!trials->settled)
      unsettled.push_back(label);
  }
  if (different.size() == 1) text += ", step " + *different.begin() + " for all";
  if (different.size() > 1) text += ". Steps: " + join(steps);
  text += ".";
  if (!unsettled.empty()) text += " No stable step: " + join(unsettled) + ".";
  if (!bad.empty()) text += " Did not end well: " + join(bad) + ".";
  if (const std::string why = text_at(about, "stand_in"); !why.empty()) text += " A stand-in: " + why + ".";
  return text;
}

std::string id_of(const RunRows& rows, const std::string& dataset) {
  const auto place = std::find(rows.datasets().begin(), rows.datasets().end(), dataset) - rows.datasets().begin();
  std::string id = fmt::format("{}-", place + 1);
  for (const char c : dataset) id += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return id.substr(0, 60);
}

std::string counted(double number, const char* what) {
  return fmt::format("{} {}{}", count_text(number), what, number == 1 ? "" : "s");
}

std::string subtitle_of(const RunRows& rows) {
  const Json& machine = rows.json().value("machine", Json::object());
  std::string text = counted(static_cast<double>(rows.datasets().size()), "dataset") + ", " +
                     counted(static_cast<double>(rows.labels().size()), "contender");
  if (rows.json().contains("protocol"))
    if (const double trials = number_at(rows.json()["protocol"], "trials"); std::isfinite(trials))
      text += ", " + counted(trials, "trial");
  if (const std::string created = text_at(rows.json(), "created"); !created.empty())
    text += " \u00b7 " + created.substr(0, 10);
  if (const std::string cpu = text_at(machine, "cpu"); !cpu.empty()) text += " \u00b7 " + cpu;
  return text;
}

void add_curves(Document& document, const RunRows& rows) {
  document.parts.push_back(
      Text{.heading = "Curves",
           .body = "Each contender at its chosen step: the mean of its trials, and in the band all of them. Of "
                   "distances from F* the line is the lowest so far, faint what was seen. The clock "
                   "stands still while objectives are evaluated."});
  for (const std::string& dataset : rows.datasets()) document.parts.push_back(curves_of(rows, dataset));
}

Document compose(const Json& run) {
  const RunRows rows(run);
  const std::string title = text_at(run, "title");
  Document document{.title = title.empty() ? "Comparison" : title, .subtitle = subtitle_of(rows)};
  add_verdicts(document, rows);
  add_curves(document, rows);
  add_reasons(document, rows);
  add_steps(document, rows);
  add_failures(document, rows);
  add_settings(document, rows);
  return document;
}

}  // namespace

std::string text_at(const Json& object, const std::string& key) {
  const Json* found = object.find(key);
  return found && found->is_string() ? found->get<std::string>() : std::string();
}

double number_at(const Json& object, const std::string& key) {
  const Json* found = object.find(key);
  return found && found->is_number() ? found->get<double>() : std::nan("");
}

bool flag_at(const Json& object, const std::string& key) {
  const Json* found = object.find(key);
  return found && found->is_boolean() && found->get<bool>();
}

const Json& list_at(const Json& object, const std::string& key) {
  const Json* found = object.find(key);
  return found && found->is_array() ? *found : kNothing;
}

double median_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

std::string words_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_integer()) return count_text(value.get<double>());
  if (value.is_number()) return number(value.get<double>());
  if (value.is_null()) return "\u2014";
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  if (value.is_array())
    for (const Json& item : value) add(words_of(item));
  else
    for (const auto& [key, item] : value.items()) add(key + " " + words_of(item));
  return text;
}

bool went_badly(const RunRecord& run) { return run.status == "diverged" || run.status == "failed"; }

std::vector<Trials> trials_of(std::span<const RunRecord> runs) {
  std::vector<Trials> groups;
  for (const RunRecord& run : runs) add_to(groups, run);
  return groups;
}

std::vector<Trials> steps_of(std::span<const RunRecord> runs, const std::string& dataset, const std::string& label) {
  std::vector<Trials> steps;
  for (const RunRecord& run : runs)
    if (run.dataset == dataset && run.label == label) add_to(steps, run);
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Trials& a, const Trials& b) { return a.step_value < b.step_value; });
  return steps;
}

const Trials* choose(const std::vector<Trials>& steps, double target) {
  const Trials* chosen = nullptr;
  for (const Trials& one : steps) {
    const double tail = one.mean_tail();
    const bool closer = chosen == nullptr || (chosen->mean_tail() > target && tail < chosen->mean_tail());
    if (tail <= target || (closer && !std::isnan(tail))) chosen = &one;
  }
  return chosen;
}

bool Trials::all_well() const {
  return std::none_of(runs.begin(), runs.end(), [](const RunRecord* run) { return went_badly(*run); });
}

std::string Trials::status() const {
  std::map<std::string, std::size_t> counts;
  const bool some_bad = !all_well();  // the others are then what is left
  for (const RunRecord* run : runs)
    ++counts[run->status == "out_of_passes" ? "ran to the end"
             : run->status == "out_of_time" ? "ended by the clock"
                                            : run->status];
  if (counts.size() == 1) return counts.begin()->first;
  std::string text;
  for (const auto& [status, count] : counts)
    if (!some_bad || status == "diverged" || status == "failed")
      text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", count, runs.size(), status);
  return text;
}

double Trials::mean(double RunRecord::*number) const {
  Mean mean;
  for (const RunRecord* run : runs) mean.take(run->*number);
  return mean.value();
}

double Trials::mean_tail() const {
  double sum = 0;
  for (const RunRecord* run : runs) sum += run->tail_objective;
  return sum / static_cast<double>(runs.size());
}

RunRows::RunRows(const Json& run) : run_(run) {
  for (const Json& about : list_at(run, "datasets")) add_new(datasets_, text_at(about, "name"));
  for (const Json& row : list_at(run, "runs")) runs_.push_back(run_record(row));
  for (const RunRecord& row : runs_) {
    add_new(datasets_, row.dataset);
    add_new(labels_, row.label);
  }
  trials_ = trials_of(runs_);
  for (const Json& choice : list_at(run, "chosen"))
    for (Trials& trials : trials_)
      if (is_of(trials, run_record(choice))) {
        trials.chosen = true;
        trials.settled = choice.value("stable", Json(true)) != false;
      }
}

const Json& RunRows::about(const std::string& dataset) const {
  for (const Json& about : list_at(run_, "datasets"))
    if (text_at(about, "name") == dataset) return about;
  return kNoFields;
}

double RunRows::target() const {
  const Json& verdicts = list_at(run_, "verdicts");
  return verdicts.empty() ? std::nan("") : number_at(verdicts[0], "target");
}

const Trials* RunRows::shown(const std::string& dataset, const std::string& label) const {
  const Trials* lowest = nullptr;
  const auto end_of = [](const Trials& trials) {
    const double end = trials.all_well() ? trials.mean(&RunRecord::objective) : std::nan("");
    return std::isfinite(end) ? end : std::numeric_limits<double>::infinity();
  };
  for (const Trials& trials : trials_) {
    if (trials.dataset != dataset || trials.label != label) continue;
    if (trials.chosen) return &trials;
    if (lowest == nullptr || end_of(trials) < end_of(*lowest)) lowest = &trials;
  }
  return lowest;
}

Series series_of(const std::string& name, std::span<const RunRecord* const> trials, double optimum) {
  const std::vector<TraceRow>* looks =
      nullptr;  // of the longest; those of a trial that was looked at elsewhere do not count
  for (const RunRecord* run : trials)
    if (looks == nullptr || run->points.size() > looks->size()) looks = &run->points;
  const auto means_of = [&](Points column) {
    std::vector<Mean> means(looks->size());
    for (const RunRecord* run : trials)
      for (std::size_t k = 0; k < run->points.size(); ++k)
        if (run->points[k].iteration == (*looks)[k].iteration) means[k].take(run->points[k].*column);
    return means;
  };
  Series series;
  series.name = name;
  for (const TraceRow& look : *looks) series.x["iteration"].push_back(static_cast<double>(look.iteration));
  for (const char* key : {"cpu_seconds", "wall_seconds", "passes"})
    for (const Mean& mean : means_of(points_of(key))) series.x[key].push_back(mean.value());
  for (const char* key : {"objective", "test_objective", "correlation", "variance_ratio"})
    if (const std::vector<Mean> means = means_of(points_of(key)); any(means)) series.y[key] = band_of(means);
  if (series.y.contains("objective") && optimum > 0)
    series.y["suboptimality"] = above_optimum(series.y["objective"], optimum);
  for (const auto& [axis, before] :
       {std::pair("cpu_seconds", &RunRecord::graph_cpu_seconds), {"wall_seconds", &RunRecord::graph_seconds}}) {
    Mean graph;
    for (const RunRecord* run : trials) graph.take(run->*before);
    if (graph.value() > 0) series.before[axis] = graph.value();
  }
  return series;
}

Figure curves_of(const RunRows& rows, const std::string& dataset) {
  Figure figure{.id = id_of(rows, dataset),
                .title = dataset,
                .caption = caption_of(rows, dataset),
                .x = {},
                .y = {},
                .series = {}};
  for (const char* key : kAcross) figure.x.push_back(quantity(key));
  const double optimum = number_at(rows.about(dataset), "optimum");
  figure.marks = target_marks(rows.target(), optimum);
  std::set<std::string> measured;
  for (const std::string& label : rows.labels()) {
    const Trials* trials = rows.shown(dataset, label);
    if (trials == nullptr) continue;
    figure.series.push_back(series_of(label, trials->runs, optimum));
    for (const auto& [key, band] : figure.series.back().y) measured.insert(key);
  }
  for (const std::string key : kUp)
    if (measured.contains(key))
      figure.y.push_back(key == "suboptimality" ? suboptimality(number_at(rows.about(dataset), "optimum_gap"))
                                                : quantity(key));
  if (figure.y.empty()) figure.y.push_back(quantity("objective"));
  return figure;
}

Document document_of_run(const Json& run) {
  if (!run.is_object() || run.value("s3gd_run", Json()) != 1)
    throw Error("this is no run of a comparison (\"s3gd_run\": 1 is missing)",
                "give the run.json that s3gd compare has written");
  try {
    return compose(run.sorted());
  } catch (const JsonError& error) {
    throw Error(fmt::format("the run cannot be read: {}", error.what()), "write it again with s3gd compare");
  }
}

}  // namespace s3gd::report
