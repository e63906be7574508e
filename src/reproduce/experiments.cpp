#include "reproduce/experiments.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce {
namespace {

Experiment read_experiment(const Json& file) {
  Experiment experiment;
  experiment.name = file.at("figure").get<std::string>();
  experiment.title = file.at("title").get<std::string>();
  experiment.paper = file.at("paper").get<std::string>();
  experiment.show = file.at("show").get<std::string>();
  for (const Json& plan : file.value("runs", Json::array()))
    experiment.runs.push_back({plan.at("name").get<std::string>(), plan});
  experiment.runs_of = file.value("runs_of", std::vector<std::string>{});
  experiment.sets = file.value("sets", std::vector<std::string>{});
  experiment.labels = file.value("labels", std::vector<std::string>{});
  for (const Json& claim : file.at("claims"))
    experiment.claims.push_back({claim.at("says").get<std::string>(), claim.at("criterion")});
  return experiment;
}

std::vector<Experiment> read_all() {
  std::vector<std::pair<int, Experiment>> found;
  for (const EmbeddedFile& file : embedded_experiments()) {
    const Json json = embedded_json(file.name);
    if (json.contains("figure")) found.emplace_back(json.at("order").get<int>(), read_experiment(json));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Experiment> list;
  for (auto& entry : found) list.push_back(std::move(entry.second));
  return list;
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> list = read_all();
  return list;
}

const Experiment& find_experiment(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return experiment;
    names.push_back(experiment.name);
  }
  std::string all;
  for (const std::string& word : names) all += (all.empty() ? "" : ", ") + word;
  const std::string close = nearest(name, names);
  throw Error("there is no figure '" + name + "'",
              (close.empty() ? "" : "did you mean '" + close + "'? ") + ("there are: " + all));
}

std::vector<RunGroup> run_groups(const Experiment& experiment) {
  std::vector<RunGroup> groups = experiment.runs;
  for (const std::string& name : experiment.runs_of)
    for (const RunGroup& group : find_experiment(name).runs) groups.push_back(group);
  return groups;
}

Json embedded_json(const std::string& name) {
  for (const EmbeddedFile& file : embedded_experiments())
    if (name == file.name) return Json::parse(file.text);
  throw Error("there is no experiments/" + name + ".json in this program", "build it again");
}

}  // namespace s3gd::reproduce
