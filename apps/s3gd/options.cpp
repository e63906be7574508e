#include "options.hpp"

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "data/catalog.hpp"
#include "data/generate.hpp"
#include "problem/names.hpp"

namespace s3gd::app {
namespace {

bool is_no_plain_file(const std::string& path) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  return kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::none &&
         kind != std::filesystem::file_type::regular;
}

bool clash(const FileUse& a, const FileUse& b) { return same_file(a.path, b.path) && !is_no_plain_file(a.path); }

}  // namespace

void refuse_standard_output(const std::string& path, const std::string& option) {
  if (path == "-") throw UsageError(option + " is '-', but this goes to a file only: give it a name");
}

void add_common_options(Arguments& app, Common& common) {
  app.in_group(kCommonGroup);
  app.add("--json", &common.json, "one JSON object on standard output");
  app.add("--quiet", &common.quiet, "no progress and no remarks");
  app.add("--threads", &common.threads, "0 = all of the machine's", {.takes = "N", .check = whole_number(0, 4096)});
  const OptionRow& seed = *find_option("seed");
  add_table_option(app, seed, "0", [&seed, &common](const std::string& word) {
    OptionValues values;
    seed.set(values, word);
    common.seed = values.solve.seed;
  }).group = kCommonGroup;
  app.add_config("--config", "read options from a file: lines NAME = VALUE");
}

OptionValues OptionTarget::values() const {
  OptionValues values;
  if (load != nullptr) values.load = *load;
  if (scale != nullptr) values.scale = *scale;
  if (problem != nullptr) values.problem = *problem;
  if (solve != nullptr) values.solve = *solve;
  return values;
}

void OptionTarget::take(const OptionValues& values) const {
  if (load != nullptr) *load = values.load;
  if (scale != nullptr) *scale = values.scale;
  if (problem != nullptr) *problem = values.problem;
  if (solve != nullptr) *solve = values.solve;
}

std::string table_help(const OptionRow& row) {
  const std::string help = in_words(row.help, program_words);
  return row.choices.empty() ? help : help + (help.empty() ? "" : ": ") + join(row.choices);
}

Option& add_table_option(Arguments& app, const OptionRow& row, const std::string& by_itself,
                         const std::function<void(const std::string& word)>& use) {
  Details details{.takes = row.takes, .flag = row.takes.empty()};
  if (!details.flag) details.by_itself = by_itself;
  Option& added = app.add("--" + row.name, use, table_help(row), details);
  added.group = row.group;
  return added;
}

void OptionTarget::set(const OptionRow& row, const std::string& word) const {
  OptionValues changed = values();
  if (!row.choices.empty() && std::find(row.choices.begin(), row.choices.end(), word) == row.choices.end())
    throw_unknown_name("value", word, row.choices);
  row.set(changed, word);
  take(changed);
}

void add_table_options(Arguments& app, const OptionTarget& target, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const OptionRow& row = *find_option(name);
    add_table_option(app, row, row.get(target.values()),
                     [&row, target](const std::string& word) { target.set(row, word); });
  }
}

std::vector<std::string> names_in(const std::string& group) {
  std::vector<std::string> names;
  for (const OptionRow& row : option_table())
    if (row.group == group) names.push_back(row.name);
  return names;
}

void add_load_options(Arguments& app, LoadOptions& options) {
  add_table_options(app, {.load = &options}, names_in(kReadingOptions));
}

void add_graph_options(Arguments& app, SolveOptions& options) {
  add_table_options(app, {.solve = &options}, names_in(kGraphOptions));
}

std::string file_of_source(const std::string& source) {
  std::error_code ignored;
  if (source.empty() || source == "-" || is_generated(source)) return {};
  if (std::filesystem::exists(source, ignored)) return source;
  return find_known(source).value_or("");
}

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code ignored;
  const auto plain = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return std::filesystem::equivalent(a, b, ignored) || plain(a) == plain(b);
}

void refuse_clashes(const Common& common, std::vector<FileUse> read, const std::vector<FileUse>& written) {
  read.push_back({"--config", common.config});
  for (auto output = written.begin(); output != written.end(); ++output) {
    for (const FileUse& input : read)
      if (clash(input, *output))
        throw UsageError(output->option + " and " + input.option + " name the same file, " + output->path +
                         ": what is read would be overwritten");
    for (auto other = written.begin(); other != output; ++other)
      if (clash(*other, *output))
        throw UsageError(other->option + " and " + output->option + " name the same file, " + output->path +
                         ": give each its own");
  }
}

}  // namespace s3gd::app
