#include "report/style.hpp"

#include <array>

namespace s3gd::report {
namespace {

struct Colour {
  const char *light, *dark;
};

// After Okabe and Ito, and Tol; lightness alternates so that neighbours differ in grey too.
constexpr std::array<Colour, 9> kColours{{
    {"#0a5ea8", "#62b0f5"},  // blue
    {"#d9570b", "#ff9a57"},  // vermilion
    {"#0c8a66", "#3ccfa0"},  // bluish green
    {"#8a2a6b", "#e48ac6"},  // wine
    {"#c99000", "#f2d14b"},  // amber
    {"#2fa3dd", "#9bdcff"},  // sky
    {"#5b3fa0", "#b49bff"},  // indigo
    {"#6f6f6f", "#bdbdbd"},  // grey
    {"#c0485f", "#ff8f9f"},  // rose
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
  for (const Figure* figure : figures)
    for (const Series& series : figure->series)
      if (!series.quiet) styles.try_emplace(series.name, styles.size());
  return styles;
}

}  // namespace s3gd::report
