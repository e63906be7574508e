// s3gd list WHAT: the names that options take, with one line each.
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "data/generate.hpp"
#include "multiclass_options.hpp"
#include "options.hpp"
#include "output.hpp"
#include "s3gd/export.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::app {
namespace {

struct Line {
  std::string name;
  std::string summary;
};

template <class E>
std::vector<Line> lines_of() {
  std::vector<Line> lines;
  for (const auto& entry : names<E>()) lines.push_back({std::string(entry.name), std::string(entry.summary)});
  return lines;
}

std::vector<Line> format_lines() {
  std::vector<Line> lines;
  for (const FormatInfo& format : formats())
    lines.push_back({format.name, format.summary + " (" + format.extensions + ")" +
                                      (format.writable ? "" : "; read only") +
                                      (format.readable ? "" : "; write only")});
  return lines;
}

std::vector<Line> generator_lines() {
  std::vector<Line> lines;
  for (const GeneratorKind& kind : generator_kinds())
    lines.push_back({kind.name, kind.summary + "; " + kind.parameters});
  return lines;
}

std::vector<Line> export_lines() {
  std::vector<Line> lines;
  for (const ExportFormat& format : export_formats()) lines.push_back({format.name, format.summary});
  return lines;
}

std::vector<Line> solver_lines() {
  std::vector<Line> lines;
  for (const SolverInfo& solver : solvers()) lines.push_back({solver.name, solver.summary});
  for (const SolverInfo& solver : softmax_only_solvers())
    lines.push_back({solver.name, "softmax only: " + solver.summary});
  return lines;
}

std::vector<Line> loss_lines() {
  std::vector<Line> lines = lines_of<LossKind>();
  lines.push_back({"softmax", "K classes fitted together: log sum_k exp(u_k) - u_y (train only)"});
  return lines;
}

std::vector<Line> penalty_lines() {
  std::vector<Line> lines = lines_of<PenaltyKind>();
  lines.push_back({"group", "softmax only: lambda sum_j ||W_j||_2, a feature serves all classes or none"});
  lines.push_back({"nuclear", "softmax only: lambda times the sum of the singular values of W: low rank"});
  return lines;
}

struct Topic {
  std::string name;
  std::vector<Line> (*lines)();
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> table{
      {"solvers", solver_lines},           {"losses", loss_lines},
      {"penalties", penalty_lines},        {"scalings", lines_of<Scale>},
      {"intercepts", lines_of<Intercept>}, {"class-weights", lines_of<ClassWeight>},
      {"kernels", lines_of<Kernel>},       {"formats", format_lines},
      {"generators", generator_lines},     {"exports", export_lines},
  };
  return table;
}

std::vector<std::string> topic_names() {
  std::vector<std::string> list;
  for (const Topic& topic : topics()) list.push_back(topic.name);
  return list;
}

int run(const std::string& what, const Common& common) {
  for (const Topic& topic : topics()) {
    if (topic.name != what) continue;
    Json json = Json::array();
    std::vector<std::pair<std::string, std::string>> fields;
    for (const Line& line : topic.lines()) {
      json.push_back({{"name", line.name}, {"summary", line.summary}});
      fields.emplace_back(line.name, line.summary);
    }
    if (common.json)
      print_json({{what, json}});
    else
      print(format_fields(fields));
  }
  return kGood;
}

}  // namespace

std::function<int()> setup_list(Arguments& app, const Common& common) {
  auto what = std::make_shared<std::string>();
  add_word(app, "WHAT", *what, topic_names(), "")->required();
  return [what, &common] { return run(*what, common); };
}

}  // namespace s3gd::app
