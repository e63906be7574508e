// The table of commands, in the order in which help shows them, and the help.
#include <fmt/core.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "options.hpp"
#include "output.hpp"

namespace s3gd::app {

Setup setup_train, setup_predict, setup_path, setup_cv, setup_compare, setup_export, setup_graph, setup_reproduce,
    setup_inspect, setup_convert, setup_report, setup_list, setup_data;

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kColumn = 26;  // where descriptions start
// Options that are many and the same in several commands: the help of one of those explains them.
struct Explained {
  const char* group;
  const char* by;
};
constexpr Explained kExplained[] = {{kReadingOptions, "inspect"}, {kGraphOptions, "graph"}, {kForAllSolvers, "train"}};

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

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"train", "Fit", "fits a model; prints status, objective, certificate, timing",
       "s3gd train a9a -o a9a.model\ns3gd train data.csv --label-column price --loss squared -o price.model\n"
       "s3gd train mnist --paper --step 1 --iterations 40000 --trace trace.csv",
       setup_train},
      {"predict", "Fit", "labels, probabilities or margins; with labels present, metrics",
       "s3gd predict a9a.model test.svm\ns3gd predict a9a.model new.svm --proba -o probabilities.txt\n"
       "zcat huge.svm.gz | s3gd predict a9a.model - -o - | sort | uniq -c",
       setup_predict},
      {"path", "Fit", "fits at many lambdas, from strong to weak, each from the last",
       "s3gd path a9a --penalty l1 --report path.html\n"
       "s3gd path data.csv --loss squared --penalty l1 --ratio 1e-3 -o weak.model\n"
       "s3gd path a9a --penalty l1 --lambda 0.1,0.01,0.001 --json",
       setup_path},
      {"cv", "Fit", "chooses lambda by cross-validation over a path, and fits with it",
       "s3gd cv a9a --penalty l1 -o a9a.model --report cv.html\n"
       "s3gd cv data.csv --loss squared --folds 10 --choose 1se -o price.model",
       setup_cv},
      {"export", "Fit", "a model for LIBLINEAR, ONNX, Vowpal Wabbit, or as JSON or C source",
       "s3gd export a9a.model --format onnx -o a9a.onnx\ns3gd export spam.model --format c -o spam.c", setup_export},
      {"graph", "Fit", "builds and saves an anchor graph, for train --graph",
       "s3gd graph mnist -o mnist.graph\ns3gd train mnist --solver s3gd --graph mnist.graph --binary largest",
       setup_graph},
      {"compare", "Compare", "solvers x steps x trials by the paper's protocol: who is first",
       "s3gd compare a9a -o a9a-compared\ns3gd compare my.csv --quick --solver auto\n"
       "s3gd compare mnist --solvers sgd,s3gd --solver s3gd:anchors=20 --steps 1,5",
       setup_compare},
      {"reproduce", "Compare", "the tables and figures of the paper: claims and what was measured",
       "s3gd reproduce --list\ns3gd reproduce --quick -o reproduction\ns3gd reproduce steps verdict -o reproduction",
       setup_reproduce},
      {"inspect", "Data", "what is in a dataset or a model, and what to look out for",
       "s3gd inspect train.svm.gz\ns3gd inspect 'gen:manifold?rows=1000&cols=20' --json\n"
       "s3gd inspect a9a.model --top 20",
       setup_inspect},
      {"convert", "Data", "from any format to any other, scaled or split on the way",
       "s3gd convert train.csv train.s3d --label-column -1\n"
       "s3gd convert all.svm train.s3d --split 0.2 --split-out test.s3d",
       setup_convert},
      {"data", "Data", "known datasets: what there is, download, where it lies",
       "s3gd data list\ns3gd data get mnist\ns3gd inspect mnist", setup_data},
      {"report", "Compare", "page and pictures of a comparison from its run.json",
       "s3gd report results -o results.html\ns3gd report results/run.json --figures figures", setup_report},
      {"list", "Reference", "losses, options, formats, generators, .. with one line each",
       "s3gd list losses\ns3gd list options step", setup_list},
  };
  return table;
}

std::vector<std::string> command_names() {
  std::vector<std::string> list;
  for (const Command& command : commands()) list.push_back(command.name);
  return list;
}

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
