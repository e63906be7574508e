#include <gtest/gtest.h>

#include <cmath>

#include "report/chart.hpp"
#include "report/page.hpp"
#include "report/path_page.hpp"

namespace s3gd::report {
namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

Path small_path() {
  Path path;
  for (const double lambda : {0.5, 0.05, 0.005}) {
    PathPoint point;
    point.lambda = lambda;
    point.w = {1 - lambda, 0, lambda < 0.1 ? -0.25 : 0.0, 3};
    point.certificate.primal = 0.1234567 + lambda;
    point.certificate.relative_gap = 1e-5;
    point.status = Status::converged;
    point.nonzeros = lambda < 0.1 ? 2 : 1;
    point.seconds = 0.25;
    path.points.push_back(point);
  }
  return path;
}

PathPage small_page() { return {"rows <of> \"somewhere\"", "F(w) = 1 & more", 3, {"a<b", "idle", "tail"}, 2, 0.75}; }

// Nothing is fetched: no scripts, no links, no pictures from elsewhere.
void expect_self_contained(const std::string& page) {
  for (const char* word : {"<script", "<link", "http:", "https:", "url(", "@import", "src="})
    EXPECT_FALSE(holds(page, word)) << word;
  EXPECT_TRUE(holds(page, "<meta name=\"viewport\""));
  EXPECT_TRUE(holds(page, "@media print"));
  for (const char* tag : {"svg", "table", "figure", "div", "tr", "td", "dl", "title"}) {
    const std::string name(tag);
    EXPECT_EQ(count_of(page, "<" + name + ">") + count_of(page, "<" + name + " "), count_of(page, "</" + name + ">"))
        << tag;
  }
  EXPECT_FALSE(holds(page, "nan"));
  EXPECT_FALSE(holds(page, "inf"));
}

TEST(Escape, LeavesNoMarkup) { EXPECT_EQ(escape("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;"); }

TEST(Ticks, AreRoundAndInside) {
  EXPECT_EQ(ticks(0, 10, false), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_FALSE(std::signbit(ticks(0, 10, false).front()));
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{{-3.2, 7.9}, {0.6931, 0.6952}, {1e6, 3e6}}) {
    const auto found = ticks(low, high, false);
    EXPECT_GE(found.size(), 3U);
    EXPECT_LE(found.size(), 8U);
    for (const double tick : found) {
      EXPECT_GE(tick, low);
      EXPECT_LE(tick, high);
    }
  }
  EXPECT_EQ(ticks(1e-4, 1, true).size(), 5U);
  EXPECT_LE(ticks(1e-30, 1, true).size(), 8U);
  EXPECT_GE(ticks(0.3, 0.9, true).size(), 1U);
}

TEST(Draw, SurvivesOnePointEqualValuesAndGaps) {
  Chart chart;
  chart.x = {1};
  chart.log_x = true;
  chart.lines = {{.name = "one", .y = {2}, .dots = true}};
  chart.marks = {{1, "here"}};
  EXPECT_FALSE(holds(draw(chart), "nan"));
  chart.x = {1, 2, 4};
  chart.lines = {{.name = "flat", .y = {0, 0, 0}}, {.name = "gap", .y = {1, std::nan(""), 3}, .half = {1, 1, 1}}};
  const std::string text = draw(chart);
  EXPECT_FALSE(holds(text, "nan"));
  EXPECT_FALSE(holds(text, "inf"));
  chart.lines.clear();
  EXPECT_FALSE(holds(draw(chart), "inf"));
}

TEST(PathPage, SaysEveryPoint) {
  const std::string page = path_page(small_path(), small_page());
  expect_self_contained(page);
  for (const PathPoint& point : small_path().points) {
    EXPECT_TRUE(holds(page, "<td>" + number(point.lambda) + "</td>"));
    EXPECT_TRUE(holds(page, "<td>" + number(point.certificate.primal) + "</td>"));
  }
  EXPECT_TRUE(holds(page, "rows &lt;of&gt; &quot;somewhere&quot;"));
  EXPECT_TRUE(holds(page, "a&lt;b"));
  EXPECT_FALSE(holds(page, "idle"));  // a weight that never leaves zero has no curve
  EXPECT_EQ(count_of(page, "<svg"), 3U);
}

TEST(CrossValidationPage, MarksBothChoices) {
  CrossValidation result;
  result.path = small_path();
  for (const PathPoint& point : result.path.points)
    result.points.push_back({point.lambda, 0.3 + point.lambda, 0.01, {0.29, 0.31}});
  result.best = 2;
  result.one_standard_error = 1;
  const std::string page = cross_validation_page(result, small_page());
  expect_self_contained(page);
  EXPECT_EQ(count_of(page, "<svg"), 4U);
  EXPECT_TRUE(holds(page, ">best</text>"));
  EXPECT_TRUE(holds(page, ">one standard error</text>"));
  for (const ScoredLambda& point : result.points) EXPECT_TRUE(holds(page, "<td>" + number(point.mean) + "</td>"));
}

}  // namespace
}  // namespace s3gd::report
