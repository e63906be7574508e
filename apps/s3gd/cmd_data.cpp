// s3gd data list | get NAME | path NAME: the catalogue of known datasets.
#include <filesystem>
#include <memory>

#include "base/checksum.hpp"
#include "data/catalog.hpp"
#include "data/download.hpp"
#include "options.hpp"
#include "output.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

struct Options {
  std::string action, name, from;
  bool test = false, verify = false, force = false;
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
            {"stand_in", entry.stand_in},
            {"train", train ? Json(*train) : Json(nullptr)},
            {"test", test ? Json(*test) : Json(nullptr)},
            {"download", Json::array()}};
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
  Table rows{{"name", "train", "test", "cols", "classes", "here", "what"}};
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
  const std::string close = nearest_entry(name);
  throw Error("unknown dataset '" + name + "'",
              close.empty() ? "s3gd data list shows all" : "did you mean '" + close + "'?");
}

// Whether a file is the very one the catalogue knows; null when it knows none of that name.
Json matches_known(const KnownDataset* entry, const std::string& path, Part part, const std::string& sha256) {
  if (entry == nullptr) return nullptr;
  const std::string name = std::filesystem::path(path).filename();
  for (const KnownFile& file : entry->files)
    if (file.file_name() == name) return file.sha256.empty() ? Json(nullptr) : Json(file.sha256 == sha256);
  const std::string& known = part == Part::train ? entry->train_sha256 : entry->test_sha256;
  return known.empty() || !name.ends_with(".svm.zst") ? Json(nullptr) : Json(known == sha256);
}

int path(const Options& options, const Common& common) {
  const Part part = options.test ? Part::test : Part::train;
  const auto found = find_known(options.name, part);
  if (!found) throw_not_here(require_entry(options.name));
  Json json{{"name", options.name}, {"path", *found}};
  if (options.verify) {
    json["sha256"] = sha256_of_file(*found);
    json["matches"] = matches_known(find_entry(options.name), *found, part, json["sha256"].get<std::string>());
    const char* verdict = json["matches"].is_null()     ? "unknown to the catalogue"
                          : json["matches"].get<bool>() ? "as known to the catalogue"
                                                        : "differs from the file known to the catalogue";
    remark(common, "SHA-256 " + json["sha256"].get<std::string>() + ": " + verdict);
  }
  print_result(common, json, *found + "\n");
  return kGood;
}

// Where a file is fetched from: its official address, or the same name under the address given with --from.
std::string address(const KnownFile& file, const std::string& from) {
  if (from.empty()) return file.url;
  return from + (from.ends_with('/') ? "" : "/") + file.file_name();
}

// False when interrupted.
bool fetch(const KnownDataset& entry, const KnownFile& file, const Options& options, const Common& common, Json& json) {
  const std::string target = cache_folder() + "/" + entry.name + "/" + file.file_name();
  const std::string url = address(file, options.from);
  Json report{{"path", target}, {"url", url}};
  if (!options.force && std::filesystem::exists(target)) {
    report["fetched"] = false;
    remark(common, target + " is here already");
  } else {
    Progress progress(common, file.file_name());
    DownloadOptions download_options;
    download_options.bytes = file.bytes;
    download_options.sha256 = file.sha256;
    download_options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.bytes(done, total); };
    const Download result = download(url, target, download_options);
    if (!result.complete) return false;
    report.update(
        {{"fetched", true}, {"bytes", result.bytes}, {"sha256", result.sha256}, {"verified", !file.sha256.empty()}});
    progress.clear();
    remark(common, target + ": " + format_bytes(result.bytes) +
                       (file.sha256.empty() ? ", no checksum known to compare with" : ", checksum as it should be"));
  }
  json["files"].push_back(report);
  return true;
}

int get(const Options& options, const Common& common) {
  const KnownDataset& entry = require_entry(options.name);
  if (entry.files.empty())
    throw Error(entry.name + " cannot be downloaded ready to use", entry.how + ": " + entry.homepage);
  Json json{{"name", entry.name}, {"files", Json::array()}};
  for (const KnownFile& file : entry.files) {
    if (fetch(entry, file, options, common, json)) continue;
    print_error("interrupted; the same command goes on where this one stopped", common.json);
    return kInterrupted;
  }
  print_result(common, json, "s3gd inspect " + entry.name + "\n");
  return kGood;
}

int run(const Options& options, const Common& common) {
  if (options.action == "list") return list(common);
  if (options.name.empty()) throw UsageError("s3gd data " + options.action + " needs the NAME of a dataset");
  return options.action == "get" ? get(options, common) : path(options, common);
}

}  // namespace

std::function<int()> setup_data(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  app.add("ACTION", &options->action, "", {.choices = {"list", "get", "path"}, .required = true});
  app.add("NAME", &options->name, "of the dataset, for get and path");
  app.add("--from", &options->from, "get: the address of a folder that holds the same files", {.takes = "URL"});
  app.add("--force", &options->force, "get: fetch again what is here already");
  app.add("--test", &options->test, "path: of the test rows instead of the training rows");
  app.add("--verify", &options->verify, "path: compare the SHA-256 with the known one");
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
