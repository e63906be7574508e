#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/nearest.hpp"
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

void add_load_options(Arguments& app, LoadOptions& options) {
  const std::string group = kReadingGroup;
  std::vector<std::string> format_names;
  for (const FormatInfo& format : formats()) format_names.push_back(format.name);
  add_word(app, "--format", options.format, format_names, "instead of by content and extension")->group(group);
  add_choice(app, "--precision", options.precision, "of the values held")->group(group);
  add_choice(app, "--layout", options.layout, "")->group(group);
  add_choice(app, "--index-base", options.index_base, "LIBSVM, number of the first feature")->group(group);
  add_choice(app, "--index-order", options.index_order, "LIBSVM, unsorted or repeated indices")->group(group);
  app.add_option("--label-column", options.label_column, "CSV: name or number (0 first, -1 last), or none")
      ->type_name("COLUMN")
      ->group(group);
  app.add_option("--weight-column", options.weight_column, "CSV: name or number of the row weights")
      ->type_name("COLUMN")
      ->group(group);
  app.add_option_function<bool>(
         "--header", [&options](bool on) { options.header = on; }, "CSV: yes, no; found out when not given")
      ->type_name("YES|NO")
      ->group(group);
  add_choice(app, "--missing", options.missing, "CSV, missing values")->group(group);
  app.add_option("--labels", options.labels_path, "IDX, NumPy: the file of labels")->type_name("FILE")->group(group);
}

Option* add_word(Arguments& app, const std::string& name, std::string& value, const std::vector<std::string>& choices,
                 const std::string& help) {
  std::string all;
  for (const auto& word : choices) all += (all.empty() ? "" : ", ") + word;
  const auto known = [choices](const std::string& word) -> std::string {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return {};
    return "unknown value '" + word + "' (" + suggestion(word, choices) + ")";
  };
  return app.add_option(name, value, help.empty() ? all : help + ": " + all)->check(known)->type_name("NAME");
}

}  // namespace s3gd::app
