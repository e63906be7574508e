// What the page and the pictures share: how curves are told apart, where the numbers of an axis stand, and a figure as the
// page's script reads it.
#pragma once

#include "report/document.hpp"

namespace s3gd::report {

// The files of report/, embedded by cmake/embed.cmake.
extern const char* const kSkeleton;  // page.html
extern const char* const kStyleSheet;
extern const char* const kScript;

// By colours that differ for the colour-blind too, and, without any colour, by dashes and markers.
struct CurveStyle {
  const char* light;   // colour on white
  const char* dark;    // colour on black
  const char* dashes;  // as stroke-dasharray; empty: none
  const char* marker;  // path of about the size [-1, 1]
};

std::size_t style_count();
CurveStyle style(std::size_t index);  // any index: those beyond style_count() differ in colour and dashes together

// One number for each name of the curves that are not quiet: the lowest that no curve has which stands beside it in some
// figure. A curve that is alone in its figure needs none: it has the first style.
Styles styles_by_name(const std::vector<const Figure*>& figures);
Styles styles_of(const Document& document);  // of all its figures

// Round numbers that span [low, high], about `count` of them (powers of ten, or their parts, on a logarithmic axis).
std::vector<double> ticks(double low, double high, bool logarithmic, int count = 5);

// As it stands there: powers of ten where plain digits would be long.
std::string tick_text(double value);

// Which points of a curve a screen can show: all of few; of many, in each sliver of the axis x, linear and logarithmic, the
// first one and those where y is lowest and highest. The other axes of these are much like them. Ascending.
std::vector<std::size_t> visible_points(const Series& series, const std::string& x, const std::string& y);

// JSON that is safe inside <script>: numbers with six digits (whole ones with all of them), what is not finite is null.
std::string figure_data(const Figure& figure, const Styles& styles);

// A text as a JSON string that is safe inside <script>.
std::string script_string(const std::string& text);

}  // namespace s3gd::report
