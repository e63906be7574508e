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
  for (const char* name : {"threads", "seed"}) {
    const OptionRow& row = *find_option(name);
    add_table_option(app, row, row.get({}), [&row, &common](const std::string& word) {
      OptionValues values;
      values.problem.threads = common.threads;
      values.solve.seed = common.seed;
      row.set(values, word);
      common.threads = values.problem.threads;
      common.seed = values.solve.seed;
    }).group = kCommonGroup;
  }
  app.add_config("--config", "read options from a file: lines NAME = VALUE");
}

std::string table_help(const OptionRow& row) {
  const std::string help = in_words(row.help, program_words);
  return row.choices.empty() ? help : help + (help.empty() ? "" : ": ") + join(row.choices);
}

Option& add_table_option(Arguments& app, const OptionRow& row, const std::string& by_itself,
                         const std::function<void(const std::string& word)>& use) {
  Details details{.takes = row.takes, .flag = row.takes.empty()};
  if (!details.flag) details.by_itself = by_itself;
  if (!row.excludes.empty() && app.has("--" + row.excludes)) details.excludes = {"--" + row.excludes};
  Option& added = app.add("--" + row.name, use, table_help(row), details);
  added.group = row.group;
  return added;
}

void set_option(const OptionRow& row, OptionValues& values, const std::string& word) {
  if (!row.choices.empty() && std::find(row.choices.begin(), row.choices.end(), word) == row.choices.end())
    throw_unknown_name("value", word, row.choices);
  row.set(values, word);
}

void add_table_options(Arguments& app, OptionValues& values, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const OptionRow& row = *find_option(name);
    add_table_option(app, row, row.get(values),
                     [&row, &values](const std::string& word) { set_option(row, values, word); });
  }
}

std::vector<std::string> names_in(const std::string& group) {
  std::vector<std::string> names;
  for (const OptionRow& row : option_table())
    if (row.group == group) names.push_back(row.name);
  return names;
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
