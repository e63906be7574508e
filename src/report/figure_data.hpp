// A figure as the page's script reads it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "report/document.hpp"

namespace s3gd::report {

// Which points of a curve a screen can show: all of few; of many, in each sliver of the axis x, linear and logarithmic, the
// first one and those where y is lowest and highest. The other axes of these are much like them. Ascending.
std::vector<std::size_t> visible_points(const Series& series, const std::string& x, const std::string& y);

// JSON that is safe inside <script>: numbers with six digits (whole ones with all of them), what is not finite is null.
std::string figure_data(const Figure& figure, const std::map<std::string, std::size_t>& styles);

// A text as a JSON string that is safe inside <script>.
std::string script_string(const std::string& text);

}  // namespace s3gd::report
