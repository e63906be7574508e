// Line charts as inline SVG, drawn in the page's colours (report/page.hpp), which tell apart for the colour-blind; lines
// also differ in their dashes, and points say their numbers when pointed at.
#pragma once

#include <string>
#include <vector>

namespace s3gd::report {

struct Line {
  std::string name = {};          // empty: not in the legend
  std::vector<double> y = {};     // one for each of the chart's x; NaN: a gap
  std::vector<double> half = {};  // half lengths of error bars, or empty
  bool quiet = false;             // thin and grey: there for context
  bool dots = false;
};

struct Mark {
  double x = 0;
  std::string text;
};

struct Chart {
  std::string title, x_name, y_name;
  std::vector<double> x;
  bool log_x = false, log_y = false, falling_x = false;  // falling: the largest x is on the left
  std::vector<Line> lines;
  std::vector<Mark> marks;  // vertical lines
};

std::string draw(const Chart& chart);

// Round numbers that span [low, high], about `count` of them (powers of ten, or their parts, on a logarithmic axis).
std::vector<double> ticks(double low, double high, bool logarithmic, int count = 5);

}  // namespace s3gd::report
