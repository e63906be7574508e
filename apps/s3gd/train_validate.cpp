#include "train_validate.hpp"

#include <charconv>

#include "base/file.hpp"
#include "model/penalty.hpp"
#include "output.hpp"

namespace s3gd::app {

double held_out_fraction(const std::string& validate) {
  double fraction = 0;
  const char* const end = validate.data() + validate.size();
  const auto [stop, problem] = std::from_chars(validate.data(), end, fraction);
  if (validate.empty() || problem != std::errc() || stop != end) return 0;
  if (fraction > 0 && fraction < 1) return fraction;
  if (file_exists(validate)) return 0;
  throw UsageError("--validate is " + validate + ", but a fraction lies between 0 and 1, such as 0.2");
}

JudgedRows keep_known(const Dataset& rows, const std::vector<std::string>& classes, const Common& common) {
  JudgedRows judged = rows_of_classes(rows, classes);
  if (judged.left_out > 0)
    remark(common, format_count(judged.left_out) + " of " + format_count(rows.rows()) +
                       " rows to validate on have classes that were not trained on: they are left out");
  return judged;
}

double validation_loss(const Problem& test, std::span<const double> w) {
  const ProblemSpec& spec = test.spec();
  return objective(test, w) - Penalty(spec.penalty, test.cols(), spec.intercept).value(w);
}

}  // namespace s3gd::app
