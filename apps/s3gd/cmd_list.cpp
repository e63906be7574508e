// s3gd list WHAT: the names that options take, with one line each.
#include <algorithm>
#include <memory>

#include "base/nearest.hpp"
#include "data/generate.hpp"
#include "options.hpp"
#include "output.hpp"
#include "problem/names.hpp"
#include "s3gd/model_use.hpp"

namespace s3gd::app {
namespace {

struct Options {
  std::string what, name;
  bool markdown = false;
};

// Names, and what they are.
template <class List>
Fields summaries(const List& list) {
  Fields lines;
  for (const auto& one : list) lines.emplace_back(one.name, one.summary);
  return lines;
}

template <class E>
Fields lines_of() {
  return summaries(names<E>());
}

Fields format_lines() {
  Fields lines;
  for (const FormatInfo& format : formats())
    lines.emplace_back(format.name, format.summary + " (" + format.extensions + ")" +
                                        (format.writable ? "" : "; read only") +
                                        (format.readable ? "" : "; write only"));
  return lines;
}

Fields generator_lines() {
  Fields lines;
  for (const GeneratorKind& kind : generator_kinds())
    lines.emplace_back(kind.name, kind.summary + "; " + kind.parameters);
  return lines;
}

Fields solver_lines() {
  Fields lines = summaries(solvers());
  for (const SolverInfo& solver : softmax_solvers())
    if (std::none_of(lines.begin(), lines.end(), [&](const auto& line) { return line.first == solver.name; }))
      lines.emplace_back(solver.name, "softmax only: " + solver.summary);
  return lines;
}

Fields loss_lines() {
  Fields lines = lines_of<LossKind>();
  lines.emplace_back("softmax", "K classes fitted together: log sum_k exp(u_k) - u_y (train only)");
  return lines;
}

Fields penalty_lines() {
  Fields lines = lines_of<PenaltyKind>();
  lines.emplace_back("group", "softmax only: lambda sum_j ||W_j||_2, a feature serves all classes or none");
  lines.emplace_back("nuclear", "softmax only: lambda times the sum of the singular values of W: low rank");
  return lines;
}

Fields option_lines() {
  Fields lines;
  for (const OptionRow& row : option_table()) lines.emplace_back(row.name, table_help(row));
  return lines;
}

struct Topic {
  std::string name;
  Fields (*lines)();
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> table{
      {"solvers", solver_lines},           {"losses", loss_lines},
      {"penalties", penalty_lines},        {"scalings", lines_of<Scale>},
      {"intercepts", lines_of<Intercept>}, {"class-weights", lines_of<ClassWeight>},
      {"kernels", lines_of<Kernel>},       {"formats", format_lines},
      {"generators", generator_lines},     {"exports", [] { return summaries(export_formats()); }},
      {"options", option_lines},
  };
  return table;
}

// Losses or penalties with which an option has an effect.
std::vector<std::string> names_with(const OptionRow& row, const std::string& by) {
  std::vector<std::string> list;
  for (const std::string& name : by == "loss" ? all_names<LossKind>() : all_names<PenaltyKind>()) {
    OptionValues values;
    find_option(by)->set(values, name);
    if (has_effect(row, scene_of(values.problem, "auto", Outputs::one))) list.push_back(name);
  }
  return list;
}

// To what it applies: the values of the option that decides it, or that option has to be there.
Json decided(const OptionRow& row) {
  const std::string by = row.beside.empty() ? decided_by(row) : row.beside;
  if (by == "loss" || by == "penalty") return {{by, names_with(row, by)}};
  if (!by.empty() || row.need == nullptr) return by.empty() ? Json::object() : Json{{by, Json::array()}};
  return {{"solver", solvers_with(row.need, Outputs::one)}, {"softmax", solvers_with(row.need, Outputs::softmax)}};
}

Json to_json(const OptionRow& row) {
  return {{"name", row.name},
          {"group", row.group},
          {"takes", row.takes},
          {"default", row.get({})},
          {"expects", row.expects},
          {"choices", row.choices},
          {"applies", reach_of(row)},
          {"decided_by", decided(row)},
          {"python", row.python},
          {"plan", row.plan},
          {"summary", in_words(row.help, program_words)},
          {"about", row.about}};
}

// A cell of a table: what it holds must not end it.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

// For docs/cli.md.
std::string as_markdown() {
  std::string text, group;
  for (const OptionRow& row : option_table()) {
    if (row.group != group)
      text += (group.empty() ? "" : "\n") + std::string("**") + row.group +
              "**\n\n| option | by itself | means | applies to |\n|---|---|---|---|\n";
    group = row.group;
    const std::string by_itself = row.get({});
    text += "| `--" + row.name + (row.takes.empty() ? "" : " " + cell(row.takes)) + "` | " +
            (by_itself.empty() || by_itself == "0" || row.takes.empty() ? "" : "`" + by_itself + "`") + " | " +
            cell(table_help(row)) + " | " + reach_of(row) + " |\n";
  }
  return text;
}

void explain(const OptionRow& row, const Common& common) {
  if (common.json) return print_json(to_json(row));
  const std::string by_itself = row.get({});
  print(format_fields({{"option", "--" + row.name + (row.takes.empty() ? "" : " " + row.takes)},
                       {"means", table_help(row)},
                       {"by itself", by_itself.empty() || by_itself == "0" ? "not set" : by_itself},
                       {"applies to", reach_of(row)}}) +
        "\n" + wrap(row.about, 80, 0) + "\n");
}

// The table of options: all of it, for the documentation, or what is to be known about one.
int list_options(const Options& options, const Common& common) {
  if (!options.name.empty()) {
    std::vector<std::string> names;
    for (const OptionRow& row : option_table()) names.push_back(row.name);
    const std::string name = options.name.substr(std::min(options.name.find_first_not_of('-'), options.name.size()));
    const OptionRow* row = find_option(name);
    if (row == nullptr) throw UsageError("no option is called '" + name + "' (" + suggestion(name, names) + ")");
    explain(*row, common);
  } else if (options.markdown) {
    print(as_markdown());
  } else {
    Json json = Json::array();
    for (const OptionRow& row : option_table()) json.push_back(to_json(row));
    print_json({{"options", json}});
  }
  return kGood;
}

int run(const Options& options, const Common& common) {
  const std::string& what = options.what;
  if (what != "options" && (!options.name.empty() || options.markdown))
    throw UsageError("NAME and --markdown go with `s3gd list options` only");
  if (what == "options" && (!options.name.empty() || options.markdown || common.json))
    return list_options(options, common);
  for (const Topic& topic : topics()) {
    if (topic.name != what) continue;
    const Fields lines = topic.lines();
    Json json = Json::array();
    for (const auto& [name, summary] : lines) json.push_back({{"name", name}, {"summary", summary}});
    print_result(common, {{what, json}}, format_fields(lines));
  }
  return kGood;
}

}  // namespace

std::function<int()> setup_list(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  std::vector<std::string> names;
  for (const Topic& topic : topics()) names.push_back(topic.name);
  app.add("WHAT", &options->what, "", {.choices = names, .required = true});
  app.add("NAME", &options->name, "options: what is to be known about this one");
  app.add("--markdown", &options->markdown, "options: the tables of docs/cli.md");
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
