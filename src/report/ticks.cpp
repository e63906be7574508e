#include "report/ticks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace s3gd::report {

std::vector<double> ticks(double low, double high, bool logarithmic, int count) {
  std::vector<double> found;
  if (logarithmic) {
    const double decades = std::log10(high / low);
    const int every = std::max(1, static_cast<int>(std::ceil(decades / (count + 1))));
    const auto first = static_cast<int>(std::floor(std::log10(low)));
    for (int power = first; power <= static_cast<int>(std::ceil(std::log10(high))); ++power)
      for (const double part : {1.0, 2.0, 5.0}) {
        const double value = part * std::pow(10.0, power);
        const bool wanted = part == 1 ? power % every == 0 : decades < (part == 5 ? 1.2 : 2);
        if (wanted && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push_back(value);
      }
    if (found.size() > 1) return found;
    found.clear();  // less than a decade: as on a linear axis
  }
  const double rough = (high - low) / count, power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power;
  for (const double part : {2.0, 5.0, 10.0})
    if (step < 0.7 * rough) step = part * power;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    found.push_back(k * step + 0.0);  // no -0
  return found;
}

std::string tick_text(double value) {
  constexpr const char* kRaised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                     "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e5)) return fmt::format("{:.6g}", value);
  const auto power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const std::string part = fmt::format("{:.4g}", value / std::pow(10.0, power));
  std::string text = part == "1" ? "10" : part == "-1" ? "\u221210" : part + "\u00b710";
  for (const char digit : std::to_string(power)) text += digit == '-' ? "\u207b" : kRaised[digit - '0'];
  return text;
}

}  // namespace s3gd::report
