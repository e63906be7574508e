#include "report/quantities.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace s3gd::report {
namespace {

constexpr double kLowestSuboptimality = 1e-10;

const std::vector<Axis> kQuantities{{"cpu_seconds", "cpu seconds", true},
                                    {"wall_seconds", "wall seconds", true},
                                    {"passes", "passes over the rows", true},
                                    {"iteration", "iterations", true},
                                    {"suboptimality", "suboptimality F/F* \u2212 1", true},
                                    {"objective", "objective F"},
                                    {"test_objective", "test objective"},
                                    {"gap", "relative gap", true},
                                    {"correlation", "correlation of gradients"},
                                    {"variance_ratio", "variance over that of SGD", true}};

}  // namespace

Axis quantity(const std::string& key) {
  const auto found =
      std::find_if(kQuantities.begin(), kQuantities.end(), [&](const Axis& axis) { return axis.key == key; });
  if (found == kQuantities.end()) throw std::logic_error("no quantity is called " + key);
  return *found;
}

Axis suboptimality(double optimum_gap) {
  Axis axis = quantity("suboptimality");
  axis.floor = optimum_gap > kLowestSuboptimality ? optimum_gap : kLowestSuboptimality;
  return axis;
}

std::vector<Mark> target_marks(double target, double optimum) {
  if (!(target > 0)) return {};
  const std::string text = fmt::format("{:.3g} % above F*", 100 * target);
  return {{target, text, "suboptimality", true}, {(1 + target) * optimum, text, "objective", true}};
}

}  // namespace s3gd::report
