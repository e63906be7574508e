#include <fmt/core.h>

#include "s3gd/compare.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"

namespace s3gd {

StepRule parse_step_rule(const std::string& text) {
  const bool relative = text.ends_with('x');
  OptionValues values;
  bool good = true;
  try {
    find_option("step")->set(values, relative ? text.substr(0, text.size() - 1) : text);
  } catch (const Error&) {
    good = false;
  }
  if (!good || (relative && (values.solve.step == 0 || values.solve.decay > 0)))
    throw Error(ErrorCode::bad_value, "step", "'" + text + "' is no step",
                "give a positive NUMBER, NUMBERx for a multiple of 1/L(p), auto, or decay:STEP,T0");
  return {values.solve.step, values.solve.decay, relative};
}

std::string text_of(const StepRule& rule) {
  if (rule.value == 0) return "auto";
  if (rule.decay > 0) return fmt::format("decay:{},{}", rule.value, rule.decay);
  return fmt::format("{}{}", rule.value, rule.relative ? "x" : "");
}

}  // namespace s3gd
