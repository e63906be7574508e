#include "report/style.hpp"

#include <algorithm>
#include <array>

namespace s3gd::report {
namespace {

struct Colour {
  const char *light, *dark;
};

// At least 12 CIELAB units apart for every kind of eyes, on white and on black (tests/browser/looks.mjs).
constexpr std::array<Colour, 9> kColours{{
    {"#0a65c2", "#72a3ce"},  // blue
    {"#f96c42", "#ee8b5b"},  // vermilion
    {"#006a47", "#29cfbc"},  // green
    {"#6b1d4c", "#b665a2"},  // wine
    {"#e7a50f", "#d9ad08"},  // amber
    {"#13a1df", "#93d9f9"},  // sky
    {"#762f91", "#8979d2"},  // violet
    {"#6d6c7e", "#dedde8"},  // slate
    {"#c23b57", "#ff92b1"},  // rose
}};

constexpr std::array<const char*, 5> kDashes{"", "7 3", "2 3", "9 3 2 3", "4 2"};

constexpr std::array<const char*, 9> kMarkers{
    "M-1 0A1 1 0 1 1 1 0A1 1 0 1 1-1 0Z",                                                // disc
    "M-.9-.9H.9V.9H-.9Z",                                                                // square
    "M0-1.2L1.1.8H-1.1Z",                                                                // triangle
    "M0-1.3L1.2 0L0 1.3L-1.2 0Z",                                                        // diamond
    "M0 1.2L1.1-.8H-1.1Z",                                                               // triangle, down
    "M-.4-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4Z",                                // plus
    "M0-.5L.7-1.2L1.2-.7L.5 0L1.2.7L.7 1.2L0 .5L-.7 1.2L-1.2.7L-.5 0L-1.2-.7L-.7-1.2Z",  // cross
    "M-1.3-.5H1.3V.5H-1.3Z",                                                             // bar
    "M0-1.3L.3-.4L1.25-.4L.5.15L.77 1.05L0 .5L-.77 1.05L-.5.15L-1.25-.4L-.3-.4Z",        // star
};

}  // namespace

std::size_t style_count() { return kColours.size(); }

CurveStyle style(std::size_t index) {
  const std::size_t colour = index % kColours.size(), round = index / kColours.size();
  return {kColours[colour].light, kColours[colour].dark, kDashes[(colour + round) % kDashes.size()],
          kMarkers[(colour + round) % kMarkers.size()]};
}

std::map<std::string, std::size_t> styles_by_name(const std::vector<const Figure*>& figures) {
  std::map<std::string, std::size_t> styles;
  for (const Figure* figure : figures) {
    const auto named =
        std::count_if(figure->series.begin(), figure->series.end(), [](const Series& s) { return !s.quiet; });
    if (named < 2) continue;
    for (const Series& series : figure->series)
      if (!series.quiet) styles.try_emplace(series.name, styles.size());
  }
  return styles;
}

}  // namespace s3gd::report
