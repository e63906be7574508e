#include "problem/judged_rows.hpp"

#include <algorithm>
#include <map>

#include "problem/targets.hpp"
#include "s3gd/error.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {
namespace {

// What `f` says of the name of each row's label; names are made once for each label.
template <class F>
auto by_name(const Labels& labels, F&& f) {
  std::map<double, decltype(f(std::string()))> known;
  std::vector<decltype(f(std::string()))> answers;
  answers.reserve(static_cast<std::size_t>(labels.values.size()));
  for (const double value : labels.values) {
    auto found = known.find(value);
    if (found == known.end()) found = known.emplace(value, f(labels.name_of(value))).first;
    answers.push_back(found->second);
  }
  return answers;
}

}  // namespace

JudgedRows rows_of_classes(Dataset rows, const std::vector<std::string>& classes) {
  if (classes.empty() || rows.y.values.empty()) return {std::move(rows), 0};
  const auto known = by_name(rows.y, [&](const std::string& name) {
    return std::find(classes.begin(), classes.end(), name) != classes.end() ? 1 : 0;
  });
  std::vector<Index> kept;
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] != 0) kept.push_back(static_cast<Index>(i));
  if (kept.empty())
    throw Error(rows.source + ": none of the rows has a class that was trained on",
                "the first has " + rows.y.name_of(rows.y.values[0]) + ", training had " + classes.front() + " and " +
                    classes.back());
  const Index left_out = rows.rows() - static_cast<Index>(kept.size());
  if (left_out == 0) return {std::move(rows), 0};
  rows.verify();
  return {take_rows(rows, kept), left_out};
}

Problem on_rows(const Problem& problem, Dataset rows) {
  ProblemSpec spec = problem.spec();
  if (std::isnan(problem.positive_class()) || rows.y.values.empty()) return {std::move(rows), spec};
  spec.positive = problem.data().y.name_of(problem.positive_class());
  // Both classes have names: make_targets() then knows that there are two, whichever the rows have.
  std::vector<double> labels =
      by_name(rows.y, [&](const std::string& name) { return name == spec.positive ? 1.0 : 0.0; });
  rows.y = {Array<double>(std::move(labels)), LabelKind::classes, {"not " + spec.positive, spec.positive}};
  return {std::move(rows), spec};
}

SoftmaxProblem on_rows(const SoftmaxProblem& problem, Dataset rows) {
  SoftmaxSpec spec = problem.spec();
  spec.classes.assign(problem.class_values().begin(), problem.class_values().end());
  const std::vector<std::string> names = problem.class_names();
  rows.y.values = Array<double>(by_name(rows.y, [&](const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) refuse(rows, "class " + name + " is none of the training rows'", "leave its rows out");
    return spec.classes[static_cast<std::size_t>(found - names.begin())];
  }));
  rows.y.class_names = problem.data().y.class_names;
  return SoftmaxProblem(std::move(rows), spec);
}

}  // namespace s3gd
