#include "solve/options/table.hpp"

#include "solve/options/rows.hpp"

namespace s3gd {

const std::vector<OptionRow>& option_table() {
  static const std::vector<OptionRow> table = [] {
    std::vector<OptionRow> all = problem_rows();
    for (auto part : {solver_rows(), run_rows(), reading_rows()}) all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

OptionValues values_of(const ProblemSpec& problem, const SolveOptions& options) {
  OptionValues values;
  values.problem = problem;
  values.solve = options;
  return values;
}

const OptionRow* find_option(const std::string& name) {
  for (const OptionRow& row : option_table())
    if (row.name == name) return &row;
  return nullptr;
}

bool is_changed(const OptionRow& row, const OptionValues& values) {
  static const OptionValues kByItself;
  return row.get(values) != row.get(kByItself);
}

}  // namespace s3gd
