#include "reproduce/needed_groups.hpp"

#include <algorithm>
#include <map>

namespace s3gd::reproduce {
namespace {

using Names = std::vector<std::string>;

bool holds(const Json& data, const std::string& name) {
  return std::find(data.begin(), data.end(), name) != data.end();
}

Json only_sets(const Json& data, const Names& names) {
  Json kept = Json::array();
  for (const Json& entry : data)
    if (entry.is_object()) kept.push_back(entry);
  for (const std::string& name : names)
    if (holds(data, name) && !holds(kept, name)) kept.push_back(name);
  return kept;
}

// The quick form of a plan may name sets of its own.
void narrow(Json& plan, const Names& names) {
  plan["data"] = only_sets(plan.at("data"), names);
  if (plan.contains("quick") && plan.at("quick").contains("data"))
    plan["quick"]["data"] = only_sets(plan.at("quick").at("data"), names);
}

}  // namespace

std::vector<NeededGroup> needed_groups(const std::vector<const Experiment*>& figures, const Names& sets) {
  std::vector<NeededGroup> needed;
  std::map<std::string, Names> looked_at;  // by group
  std::map<std::string, bool> all_sets;
  for (const Experiment* figure : figures)
    for (const RunGroup& group : run_groups(*figure)) {
      const bool known =
          std::any_of(needed.begin(), needed.end(), [&](const auto& one) { return one.group.name == group.name; });
      if (!known) needed.push_back({group, figure->name});
      all_sets[group.name] = all_sets[group.name] || figure->sets.empty();
      Names& names = looked_at[group.name];
      names.insert(names.end(), figure->sets.begin(), figure->sets.end());
    }
  for (NeededGroup& one : needed) {
    if (!all_sets[one.group.name]) narrow(one.group.plan, looked_at[one.group.name]);
    if (!sets.empty()) narrow(one.group.plan, sets);
  }
  std::erase_if(needed, [](const NeededGroup& one) {
    return one.group.plan.at("data").empty() ||
           (one.group.plan.contains("quick") && one.group.plan.at("quick").value("data", Json{0}).empty());
  });
  return needed;
}

}  // namespace s3gd::reproduce
