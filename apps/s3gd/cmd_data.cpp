// s3gd data list | get NAME | path NAME: the catalogue of known datasets.
#include <memory>

#include "base/nearest.hpp"
#include "command.hpp"
#include "data/catalog.hpp"
#include "options.hpp"
#include "output.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

struct Options {
  std::string action;
  std::string name;
  bool test = false;
};

std::string count_or_dash(Index count) { return count == 0 ? "-" : format_count(count); }

Json to_json(const KnownDataset& entry) {
  const auto train = find_known(entry.name, Part::train);
  const auto test = find_known(entry.name, Part::test);
  Json json{{"name", entry.name},
            {"summary", entry.summary},
            {"paper", entry.paper},
            {"train_rows", entry.train_rows},
            {"test_rows", entry.test_rows},
            {"cols", entry.cols},
            {"classes", entry.classes},
            {"homepage", entry.homepage},
            {"how", entry.how},
            {"stand_in", entry.stand_in}};
  json["train"] = train ? Json(*train) : Json(nullptr);
  json["test"] = test ? Json(*test) : Json(nullptr);
  json["download"] = Json::array();
  for (const KnownFile& file : entry.files)
    json["download"].push_back({{"url", file.url}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  return json;
}

int list(const Common& common) {
  if (common.json) {
    Json sets = Json::array();
    for (const KnownDataset& entry : catalog()) sets.push_back(to_json(entry));
    print_json({{"datasets", sets}});
    return kGood;
  }
  std::vector<std::vector<std::string>> rows{{"name", "train", "test", "cols", "classes", "here", "what"}};
  for (const KnownDataset& entry : catalog()) {
    const char* state = find_known(entry.name) ? "yes" : entry.files.empty() ? "by hand" : "get";
    rows.push_back({entry.name, count_or_dash(entry.train_rows), count_or_dash(entry.test_rows),
                    count_or_dash(entry.cols), count_or_dash(entry.classes), state, entry.summary});
  }
  print(format_table(rows));
  return kGood;
}

const KnownDataset& require_entry(const std::string& name) {
  if (const KnownDataset* entry = find_entry(name)) return *entry;
  std::vector<std::string> known;
  for (const KnownDataset& entry : catalog()) known.push_back(entry.name);
  const std::string close = nearest(name, known);
  throw Error("unknown dataset '" + name + "'",
              close.empty() ? "s3gd data list shows all" : "did you mean '" + close + "'?");
}

int path(const Options& options, const Common& common) {
  const Part part = options.test ? Part::test : Part::train;
  const auto found = find_known(options.name, part);
  if (!found) {
    const KnownDataset& entry = require_entry(options.name);
    std::string hint = entry.files.empty() ? entry.how + ": " + entry.homepage : "s3gd data get " + entry.name;
    if (!entry.stand_in.empty() && find_known(entry.stand_in)) hint += "; here to stand in for it: " + entry.stand_in;
    throw Error(entry.name + " is not on this machine", hint);
  }
  if (common.json)
    print_json({{"name", options.name}, {"path", *found}});
  else
    print(*found + "\n");
  return kGood;
}

int run(const Options& options, const Common& common) {
  if (options.action == "list") return list(common);
  if (options.name.empty()) throw UsageError("s3gd data " + options.action + " needs the NAME of a dataset");
  return path(options, common);
}

}  // namespace

std::function<int()> setup_data(CLI::App& app, const Common& common) {
  auto options = std::make_shared<Options>();
  add_word(app, "ACTION", options->action, {"list", "path"}, "")->required();
  app.add_option("NAME", options->name, "of the dataset, for get and path");
  app.add_flag("--test", options->test, "path: of the test rows instead of the training rows");
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
