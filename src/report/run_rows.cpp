#include "report/run_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace s3gd::report {
namespace {

const Json kNothing = Json::array(), kNoFields = Json::object();

void add_new(std::vector<std::string>& list, const std::string& name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
}

std::string step_text(const Json& run) {
  const std::string rule = text_at(run, "step_rule");
  const double step = number_at(run, "step");
  if (!rule.empty() && rule != "none") return rule;
  return std::isfinite(step) && step > 0 ? number(step) : kNoStep;
}

bool is_bad(const std::string& status) { return status == "diverged" || status == "failed"; }

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

std::vector<double> numbers_at(const Json& object, const std::string& key) {
  std::vector<double> values;
  for (const Json& value : list_at(object, key))
    values.push_back(value.is_number() ? value.get<double>() : std::nan(""));
  return values;
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

bool Trials::all_well() const {
  return std::none_of(runs.begin(), runs.end(), [](const Json* run) { return is_bad(text_at(*run, "status")); });
}

std::string Trials::status() const {
  std::map<std::string, std::size_t> counts;
  for (const Json* run : runs) {
    const std::string status = text_at(*run, "status");
    ++counts[status == "out_of_passes" ? "ran to the end" : status == "out_of_time" ? "ended by the clock" : status];
  }
  if (counts.size() == 1) return counts.begin()->first;
  const bool some_bad = !all_well();  // the others are then what is left
  std::string text;
  for (const auto& [status, count] : counts)
    if (!some_bad || is_bad(status))
      text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", count, runs.size(), status);
  return text;
}

double Trials::mean(const std::string& key) const {
  double sum = 0;
  std::size_t count = 0;
  for (const Json* run : runs) {
    const double value = number_at(*run, key);
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? std::nan("") : sum / static_cast<double>(count);
}

double Trials::median_at(const std::string& column, double level) const {
  std::vector<double> found;
  for (const Json* run : runs) {
    const Json points = run->value("points", Json::object());
    const std::vector<double> objective = numbers_at(points, "objective"), values = numbers_at(points, column);
    const auto first = std::find_if(objective.begin(), objective.end(), [&](double value) { return value <= level; });
    const auto at = static_cast<std::size_t>(first - objective.begin());
    found.push_back(at < std::min(objective.size(), values.size()) ? values[at]
                                                                   : std::numeric_limits<double>::infinity());
  }
  return found.empty() ? std::numeric_limits<double>::infinity() : median_of(found);
}

RunRows::RunRows(const Json& run) : run_(run) {
  for (const Json& about : list_at(run, "datasets")) add_new(datasets_, text_at(about, "name"));
  std::map<std::string, std::size_t> places;
  for (const Json& row : list_at(run, "runs")) {
    const Json step = row.value("step", Json());
    const std::string dataset = text_at(row, "dataset"), label = text_at(row, "label");
    add_new(datasets_, dataset);
    add_new(labels_, label);
    const auto [place, is_new] = places.try_emplace(Json{dataset, label, step, step_text(row)}.dump(), trials_.size());
    if (is_new) trials_.push_back({dataset, label, step_text(row), step});
    trials_[place->second].runs.push_back(&row);
  }
  for (const Json& choice : list_at(run, "chosen"))
    for (Trials& trials : trials_)
      if (trials.dataset == text_at(choice, "dataset") && trials.label == text_at(choice, "label") &&
          trials.step_value == choice.value("step", Json())) {
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
    const double end = trials.all_well() ? trials.mean("objective") : std::nan("");
    return std::isfinite(end) ? end : std::numeric_limits<double>::infinity();
  };
  for (const Trials& trials : trials_) {
    if (trials.dataset != dataset || trials.label != label) continue;
    if (trials.chosen) return &trials;
    if (lowest == nullptr || end_of(trials) < end_of(*lowest)) lowest = &trials;
  }
  return lowest;
}

}  // namespace s3gd::report
