#include <fmt/core.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "options.hpp"
#include "output.hpp"

namespace s3gd::app {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kColumn = 26;  // where descriptions start
// Options that are many and the same in several commands: the help of one of those explains them.
struct Explained {
  const char* group;
  const char* by;
};
constexpr Explained kExplained[] = {{kReadingOptions, "inspect"}, {kGraphOptions, "graph"}};

std::string names_of(const Option& option) {
  std::string text = option.name;
  if (const std::size_t comma = text.find(','); comma != std::string::npos) text.insert(comma + 1, " ");
  return option.flag ? text : text + " " + option.takes;
}

std::string described(const Option& option) {
  const std::string value = option.by_itself();
  const bool stands_for_none = value.empty() || value == "\"\"" || value == "[]" || value == "0" || option.flag;
  return stands_for_none ? option.help : option.help + " [" + value + "]";
}

std::string entry(const std::string& left, const std::string& right) {
  std::string line = "  " + left;
  if (line.size() + 2 > kColumn)
    line += "\n" + std::string(kColumn, ' ');
  else
    line.resize(kColumn, ' ');
  return line + wrap(right, kWidth - kColumn, kColumn) + "\n";
}

std::string indented(const std::string& lines) {
  std::string text = "  ";
  for (const char c : lines) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text + "\n";
}

std::string usage_line(const Command& command, const Arguments& app) {
  std::string text = "s3gd " + command.name;
  for (const Option& option : app.options())
    if (option.positional()) {
      const std::string name = option.name + (option.several ? ".." : "");
      text += option.required ? " " + name : " [" + name + "]";
    }
  return text + " [options]";
}

// The names alone, where another command's help says what they mean; empty where this one's does.
std::string in_brief(const std::string& group, const Command& command, const Arguments& app) {
  for (const Explained& explained : kExplained) {
    if (group != explained.group || command.name == explained.by) continue;
    std::string names;
    for (const Option& option : app.options())
      if (option.group == group) names += option.long_name() + " ";
    return wrap(group + ": " + names + "(see s3gd help " + explained.by + ")", kWidth, 2) + "\n";
  }
  return {};
}

// In the order in which they come up.
template <class List>
std::vector<std::string> groups_of(const List& list) {
  std::vector<std::string> groups;
  for (const auto& one : list)
    if (std::find(groups.begin(), groups.end(), one.group) == groups.end()) groups.push_back(one.group);
  return groups;
}

}  // namespace

std::string program_help() {
  std::string text = "s3gd " S3GD_VERSION
                     ": regularised linear models by stratified semi-stochastic gradients\n"
                     "\n"
                     "Usage: s3gd COMMAND ... [options]\n";
  for (const std::string& group : groups_of(commands())) {
    text += "\n" + group + "\n";
    for (const Command& command : commands())
      if (command.group == group) text += fmt::format("  {:<11}{}\n", command.name, command.summary);
  }
  text +=
      "\n"
      "DATA is a file (LIBSVM, CSV, NumPy, IDX, .s3d; also compressed), - for standard\n"
      "input, the NAME of a known dataset, or generated: gen:KIND?rows=..&cols=..\n"
      "\n"
      "Every command takes --json, --quiet, --threads N, --seed N and --config FILE.\n"
      "Exit codes: 0 good, 1 bad input, 2 usage, 3 stopped early, 130 interrupted.\n"
      "More: s3gd help COMMAND, s3gd --version\n";
  return text;
}

std::string command_help(const Command& command, const Arguments& app) {
  std::string text = "s3gd " + command.name + ": " + wrap(command.summary, kWidth - 8 - command.name.size(), 2);
  text += "\n\nUsage: " + usage_line(command, app) + "\n\nExample\n" + indented(command.example);
  std::string positionals;
  for (const Option& option : app.options())
    if (option.positional()) positionals += entry(option.name, described(option));
  if (!positionals.empty()) text += "\n" + positionals;
  for (const std::string& group : groups_of(app.options())) {
    if (group == kCommonGroup) continue;
    if (const std::string brief = in_brief(group, command, app); !brief.empty()) {
      text += "\n" + brief;
      continue;
    }
    std::string lines;
    for (const Option& option : app.options())
      if (option.group == group && !option.positional()) lines += entry(names_of(option), described(option));
    if (!lines.empty()) text += "\n" + group + "\n" + lines;
  }
  return text + "\nCommon: --json, --quiet, --threads N, --seed N, --config FILE, --help\n";
}

std::string explain_unexpected(const std::vector<std::string>& arguments, const Arguments& app,
                               const Command& command) {
  // An unknown option leaves its value behind as well: the option is what went wrong.
  auto culprit = std::find_if(arguments.begin(), arguments.end(),
                              [](const std::string& word) { return word.size() > 1 && word.front() == '-'; });
  if (culprit == arguments.end()) culprit = arguments.begin();
  const std::string word = culprit->substr(0, culprit->find('='));
  if (word.front() != '-') return "unexpected argument '" + word + "'; see s3gd help " + command.name;
  std::vector<std::string> known = app.long_names();
  known.emplace_back("--help");
  const std::string close = nearest(word, known);
  return "unknown option '" + word + "'" + (close.empty() ? "" : " (did you mean '" + close + "'?)") +
         "; see s3gd help " + command.name;
}

}  // namespace s3gd::app
