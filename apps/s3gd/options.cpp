#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "config.hpp"
#include "help.hpp"
#include "output.hpp"

namespace s3gd::app {

Check whole_number(Index least, Index most) {
  const auto check = [least, most](const std::string& word) -> std::string {
    Index value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size() && value >= least && value <= most) return {};
    const std::string text = "found '" + word + "', expected a whole number";
    if (least == std::numeric_limits<Index>::min()) return text;
    const std::string end_of_range = most == std::numeric_limits<Index>::max() ? " up" : " to " + std::to_string(most);
    return text + " from " + std::to_string(least) + end_of_range;
  };
  return check;
}

Check real_number(double least, double most) {
  const auto check = [least, most](const std::string& word) -> std::string {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool finite = error == std::errc() && end == word.data() + word.size() && std::isfinite(value);
    if (finite && value >= least && value <= most) return {};
    const std::string text = "found '" + word + "', expected a number";
    if (std::isinf(least)) return text;
    return text + " from " + format_number(least) + (std::isinf(most) ? " up" : " to " + format_number(most));
  };
  return check;
}

Check positive_number() {
  return [any = real_number(0)](const std::string& word) -> std::string {
    if (const std::string problem = any(word); !problem.empty()) return problem;
    return std::strtod(word.c_str(), nullptr) > 0 ? "" : "found '" + word + "', expected a number greater than 0";
  };
}

void check_numbers(Arguments& app) {
  for (Option& option : app.options()) {
    const std::string type = option.get_type_name();
    if (type == "INT") option.check(whole_number(std::numeric_limits<Index>::min()));
    if (type == "UINT") option.check(whole_number(0));
    if (type == "FLOAT") option.check(real_number(-std::numeric_limits<double>::infinity()));
  }
}

void refuse_standard_output(const std::string& path, const std::string& option) {
  if (path == "-") throw UsageError(option + " is '-', but this goes to a file only: give it a name");
}

void add_common_options(Arguments& app, Common& common, const std::string& command) {
  app.add_flag("--json", common.json, "one JSON object on standard output")->group(kCommonGroup);
  app.add_flag("--quiet", common.quiet, "no progress and no remarks")->group(kCommonGroup);
  app.add_option("--threads", common.threads, "0 = all of the machine's")
      ->check(whole_number(0, 4096))
      ->type_name("N")
      ->group(kCommonGroup);
  app.add_option("--seed", common.seed, "the same seed gives the same bits")
      ->check(whole_number(0))
      ->type_name("N")
      ->group(kCommonGroup);
  app.set_config("--config", "read options from a file: lines NAME = VALUE", command_config(app, command))
      ->type_name("FILE")
      ->group(kCommonGroup);
}

std::string program_words(const Mention& mention) {
  if (mention.kind == Mention::Kind::class_name) return std::string(mention.name);
  const std::string flag = "--" + std::string(mention.name);
  return plain_words({mention.kind, flag, mention.value});
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

Option* add_table_option(Arguments& app, const OptionRow& row, const std::string& by_itself,
                         const std::function<void(const std::string& word)>& use) {
  const std::string flag = "--" + row.name;
  const auto guarded = [flag, use](const std::string& word) {
    try {
      use(word);
    } catch (const Error& error) {
      refuse_value(flag, error.in_words(program_words));
    }
  };
  const std::string help = table_help(row);
  if (row.takes.empty())
    return app
        .add_flag_function(
            flag, [guarded](bool on) { guarded(on ? "true" : "false"); }, help)
        ->group(row.group);
  return app.add_option_function<std::string>(flag, guarded, help)
      ->type_name(row.takes)
      ->default_str(by_itself)
      ->group(row.group);
}

void add_table_options(Arguments& app, const OptionTarget& target, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const OptionRow& row = *find_option(name);
    add_table_option(app, row, row.get(target.values()), [&row, target](const std::string& word) {
      OptionValues values = target.values();
      if (!row.choices.empty() && std::find(row.choices.begin(), row.choices.end(), word) == row.choices.end())
        throw_unknown_name("value", word, row.choices);
      row.set(values, word);
      target.take(values);
    });
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

Option* add_word(Arguments& app, const std::string& name, std::string& value, const std::vector<std::string>& choices,
                 const std::string& help) {
  const std::string all = join(choices);
  const auto known = [choices](const std::string& word) -> std::string {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return {};
    return "unknown value '" + word + "' (" + suggestion(word, choices) + ")";
  };
  return app.add_option(name, value, help.empty() ? all : help + ": " + all)->check(known)->type_name("NAME");
}

}  // namespace s3gd::app
