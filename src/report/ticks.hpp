// Where the numbers of an axis stand.
#pragma once

#include <string>
#include <vector>

namespace s3gd::report {

// Round numbers that span [low, high], about `count` of them (powers of ten, or their parts, on a logarithmic axis).
std::vector<double> ticks(double low, double high, bool logarithmic, int count = 5);

// As it stands there: powers of ten where plain digits would be long.
std::string tick_text(double value);

}  // namespace s3gd::report
