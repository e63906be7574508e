// How curves are told apart, on the page and in pictures: by colours that differ for the colour-blind too, and, without
// any colour, by dashes and markers.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "report/document.hpp"

namespace s3gd::report {

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

}  // namespace s3gd::report
