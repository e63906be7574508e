#include "report/document.hpp"

#include <fmt/core.h>

#include <cmath>
#include <set>

#include "base/json.hpp"
#include "report/drawing.hpp"
#include "unit/report/holds.hpp"

namespace s3gd::report {
namespace {

const std::string kNasty = "</script><img src=x onerror=alert(1)> & \"quotes\" 'single' {{title}} \xff";

Figure small_figure() {
  Figure figure{.id = "f",
                .title = "A figure",
                .caption = "said",
                .x = {{"t", "time", true}, {"n", "steps"}},
                .y = {{"v", "value"}, {"w", "other", true}},
                .series = {}};
  Series first{.name = "first",
               .x = {{"t", {0.5, 1, 2}}, {"n", {1, 2, 3}}},
               .y = {{"v", {{3, 2, 1}, {2, 1, 0.5}, {4, 3, 1.5}}}}};
  Series second{.name = "second",
                .x = {{"t", {0.25, 1, 4}}, {"n", {1, 2, 3}}},
                .y = {{"v", {{5, std::nan(""), 2}}}, {"w", {{1, 2, 3}}}}};
  second.before["t"] = 0.125;
  figure.series = {first, second};
  figure.marks = {{1, "here"}};
  return figure;
}

TEST(Escape, LeavesNoMarkup) { EXPECT_EQ(escape("<a & \"b\" 'c'>"), "&lt;a &amp; &quot;b&quot; &#39;c&#39;&gt;"); }

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
  EXPECT_GE(ticks(0.3, 0.9, true).size(), 2U);
  EXPECT_GE(ticks(0.86, 1.4, true).size(), 3U);  // less than a decade: as on a linear axis
  EXPECT_GT(ticks(0.86, 1.4, true).front(), 0.85);
}

TEST(Ticks, AreSaidBriefly) {
  EXPECT_EQ(tick_text(0), "0");
  EXPECT_EQ(tick_text(0.25), "0.25");
  EXPECT_EQ(tick_text(-3), "-3");
  EXPECT_EQ(tick_text(20000), "20000");
  EXPECT_EQ(tick_text(1e-6), "10\u207b\u2076");
  EXPECT_EQ(tick_text(2e12), "2\u00b710\u00b9\u00b2");
  EXPECT_EQ(tick_text(-1e5), "\u221210\u2075");
}

TEST(Svg, ALogarithmicClockLeavesOutItsFirstInstants) {
  Figure figure{.id = "f", .title = "t", .caption = "", .x = {{"x", "x", true}}, .y = {{"y", "y"}}, .series = {}};
  figure.series = {{.name = "one", .x = {{"x", {0, 1e-9, 1, 2}}}, .y = {{"y", {{4, 3, 2, 1}}}}}};
  EXPECT_FALSE(holds(svg(figure), tick_text(1e-6)));
  figure.series[0].x["x"][0] = 1e-9;  // no clock: all of it
  EXPECT_TRUE(holds(svg(figure), tick_text(1e-6)));
}

TEST(Styles, DifferInDashesOrMarkersWithoutColour) {
  for (std::size_t a = 0; a < style_count(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_STRNE(style(a).marker, style(b).marker);
      EXPECT_STRNE(style(a).light, style(b).light);
      EXPECT_STRNE(style(a).dark, style(b).dark);
    }
  for (std::size_t k = 0; k < 40; ++k) {  // beyond the colours there are, something else differs
    EXPECT_STRNE(style(k).dashes, style(k + style_count()).dashes);
    EXPECT_STRNE(style(k).marker, style(k + style_count()).marker);
  }
}

TEST(Styles, AreNumberedByNameButForCurvesThatAreAlone) {
  Figure figure = small_figure(), alone = small_figure();
  alone.series = {{.name = "alone", .x = {}, .y = {}}, {.name = "context", .x = {}, .y = {}, .quiet = true}};
  figure.series.push_back({.name = "third", .x = {}, .y = {}});
  const auto styles = styles_by_name({&alone, &figure});
  EXPECT_EQ(styles, (std::map<std::string, std::size_t>{{"first", 0}, {"second", 1}, {"third", 2}}));
}

TEST(Styles, CurvesThatNeverMeetShareThemAndThoseThatDoNeverDo) {
  const auto figure_of = [](const std::vector<std::string>& names) {
    Figure figure{.id = "f", .title = "t", .caption = "", .x = {{"x", "x"}}, .y = {{"y", "y"}}, .series = {}};
    for (const std::string& name : names)
      figure.series.push_back({.name = name, .x = {{"x", {1, 2}}}, .y = {{"y", {{1, 2}}}}});
    return figure;
  };
  const Figure steps = figure_of({"step 1", "step 5"}), some = figure_of({"sgd", "s3gd"}),
               all = figure_of({"sgd", "scv", "s3gd"});
  const auto styles = styles_by_name({&steps, &some, &all});
  EXPECT_EQ(styles, (Styles{{"step 1", 0}, {"step 5", 1}, {"sgd", 0}, {"s3gd", 1}, {"scv", 2}}));
  Document document{.title = "t", .subtitle = ""};
  document.parts = {steps, some, all};
  EXPECT_EQ(styles_of(document), styles);
  // A picture of the whole has the colours of the page, not those of a page of its own.
  EXPECT_TRUE(holds(svg(all, 0, 0, styles), fmt::format("stroke=\"{}\"", style(2).light)));
  const std::string picture = svg(some, 0, 0, {{"sgd", 4}, {"s3gd", 7}});
  EXPECT_TRUE(holds(picture, style(4).light) && holds(picture, style(7).light));
  EXPECT_FALSE(holds(picture, style(0).light) || holds(picture, style(1).light));
}

TEST(FigureData, HasTheNumbersAndNullForWhatIsMissing) {
  const Figure figure = small_figure();
  const auto data = Json::parse(figure_data(figure, styles_by_name({&figure})));
  EXPECT_EQ(data["series"][0]["y"]["v"], (Json{{3, 2, 1}, {2, 1, 0.5}, {4, 3, 1.5}}));
  EXPECT_TRUE(data["series"][1]["y"]["v"][0][1].is_null());
  EXPECT_EQ(data["series"][1]["before"]["t"], 0.125);
  EXPECT_EQ(data["series"][1]["style"], 1);
  EXPECT_EQ(data["x"][0]["log"], true);
  EXPECT_EQ(data["marks"][0]["text"], "here");
}

TEST(FigureData, WholeNumbersKeepAllDigits) {
  Figure figure = small_figure();
  figure.series[0].x["n"] = {1, 123456789, 9007199254740};
  const auto data = Json::parse(figure_data(figure, {}));
  EXPECT_EQ(data["series"][0]["x"]["n"], (Json{1, 123456789, 9007199254740}));
}

TEST(VisiblePoints, KeepBothEndsAndTheExtremesOfManyPoints) {
  Series series;
  for (int k = 0; k < 20000; ++k) {
    series.x["t"].push_back(k);
    series.y["v"].middle.push_back(std::sin(0.01 * k) + (k == 12345 ? 7 : 0) - (k == 3 ? 9 : 0));
  }
  const std::vector<std::size_t> kept = visible_points(series, "t", "v");
  EXPECT_LT(kept.size(), 500U);
  EXPECT_GT(kept.size(), 100U);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  const std::set<std::size_t> set(kept.begin(), kept.end());
  for (const std::size_t wanted : {0, 3, 12345, 19999}) EXPECT_TRUE(set.contains(wanted)) << wanted;
}

TEST(VisiblePoints, KeepAllOfFew) {
  EXPECT_EQ(visible_points(small_figure().series[0], "t", "v"), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Html, IsSelfContainedAndInOrder) {
  Document document{.title = "Title", .subtitle = "below"};
  document.parts = {Text{"One", "first\n\nsecond"},
                    Facts{"Facts", {{"name", "value"}}},
                    small_figure(),
                    small_figure(),
                    Table{.title = "T", .columns = {{"a"}, {"b", true}}, .rows = {{"1", Cell("x", Cell::Look::best)}}},
                    Text{"Two", ""}};
  const std::string page = html(document);
  expect_self_contained(page);
  EXPECT_EQ(count_of(page, "<figure id="), 2U);
  EXPECT_EQ(count_of(page, "<div class=\"figures\">"), 1U);
  EXPECT_EQ(count_of(page, "<section "), 2U);
  EXPECT_TRUE(holds(page, "<p>first</p>\n<p>second</p>"));
  EXPECT_TRUE(holds(page, "<td class=\"best words\">x</td>"));
  EXPECT_LT(page.find("first</p>"), page.find("<dt>name</dt>"));
  EXPECT_LT(page.find("<dt>name</dt>"), page.find("<figure id="));
  EXPECT_LT(page.find("<figure id="), page.find("<th scope=\"row\">1</th>"));
}

TEST(Html, TextFromDataIsNeverMarkup) {
  Document document{.title = kNasty, .subtitle = kNasty};
  Figure figure = small_figure();
  figure.title = figure.caption = figure.series[0].name = figure.marks[0].text = figure.x[0].label = kNasty;
  document.parts = {Text{kNasty, kNasty}, Facts{kNasty, {{kNasty, kNasty}}}, figure,
                    Table{.title = kNasty,
                          .caption = kNasty,
                          .columns = {{kNasty}},
                          .rows = {{Cell(kNasty, Cell::Look::poor, kNasty)}},
                          .folded = true}};
  const std::string page = html(document);
  EXPECT_FALSE(holds(page, "<img"));
  EXPECT_FALSE(holds(page, "</script><"));
  EXPECT_EQ(count_of(page, "<script"), 3U);
  EXPECT_TRUE(holds(page, "{{title}}"));  // of the data, not filled in
  EXPECT_FALSE(holds(svg(figure), "<img"));
}

TEST(Svg, StandsAloneAndDrawsTheAxesAskedFor) {
  const std::string first = svg(small_figure()), other = svg(small_figure(), 1, 1);
  EXPECT_TRUE(first.starts_with("<svg xmlns="));
  EXPECT_FALSE(holds(first, "var("));
  EXPECT_TRUE(holds(first, ">time</text>"));
  EXPECT_TRUE(holds(first, ">value</text>"));
  EXPECT_TRUE(holds(other, ">steps</text>"));
  EXPECT_TRUE(holds(other, ">other</text>"));
  EXPECT_EQ(count_of(first, "<title>"), 2U);
  EXPECT_EQ(count_of(other, "<title>"), 1U);  // the first curve has no such values
  EXPECT_EQ(count_of(first, "opacity=\"0.15\""), 1U);
  EXPECT_TRUE(holds(first, ">here</text>"));
}

TEST(Svg, ACurveThatExplodesDoesNotFlattenTheOthersAndIsCutAtTheFrame) {
  Figure figure{.id = "f", .title = "t", .caption = "", .x = {{"x", "x"}}, .y = {{"y", "y", true}}, .series = {}};
  std::vector<double> x, tame, wild;
  for (int k = 0; k < 40; ++k) {
    x.push_back(k);
    tame.push_back(1 + k);
    wild.push_back(k < 39 ? 1 + k : 1e30);
  }
  figure.series = {{.name = "tame", .x = {{"x", x}}, .y = {{"y", {tame}}}},
                   {.name = "wild", .x = {{"x", x}}, .y = {{"y", {wild}}}}};
  const std::string text = svg(figure);
  EXPECT_FALSE(holds(text, tick_text(1e20)));
  EXPECT_TRUE(holds(text, tick_text(10)));
  const std::size_t cut = text.find("<g clip-path=\"url(#frame-f)\">"), first = text.find("<title>tame");
  EXPECT_TRUE(holds(text, "<clipPath id=\"frame-f\">"));
  EXPECT_LT(cut, first);
  EXPECT_GT(text.find("</g>"), text.find("<title>wild"));
  figure.y[0].logarithmic = false;
  EXPECT_FALSE(holds(svg(figure), tick_text(1e30)));
}

// The way of a curve's line: what stands in its path.
std::string way_of(const std::string& text, const std::string& name) {
  const std::size_t line = text.find("<title>" + name), start = text.rfind("<path d=\"", line);
  return text.substr(start, line - start);
}

TEST(Svg, ADistanceFromTheOptimumIsDrawnAsTheLowestSoFar) {
  Figure figure{.id = "f", .title = "t", .caption = "", .x = {{"x", "x"}}, .y = {{"y", "y", true}}, .series = {}};
  figure.series = {{.name = "one", .x = {{"x", {1, 2, 3, 4}}}, .y = {{"y", {{1, 0.01, 0.1, 0.01}}}}}};
  const auto flat = [&] { return count_of(way_of(svg(figure), "one"), " 276.0"); };
  EXPECT_EQ(flat(), 2U);
  figure.y[0].floor = 1e-10;
  EXPECT_EQ(flat(), 3U);
  EXPECT_EQ(count_of(svg(figure), "opacity=\"0.35\""), 1U);  // what was seen
}

TEST(Svg, BelowTheFloorOfALogarithmicAxisACurveRunsAlongIt) {
  Figure figure{.id = "f", .title = "t", .caption = "", .x = {{"x", "x"}}, .y = {{"y", "y", true}}, .series = {}};
  figure.series = {{.name = "one", .x = {{"x", {1, 2, 3, 4}}}, .y = {{"y", {{1, 1e-14, -1e-15, 1e-13}}}}}};
  EXPECT_TRUE(holds(svg(figure), tick_text(1e-12)));
  figure.y[0].floor = 1e-10;
  const std::string text = svg(figure);
  EXPECT_FALSE(holds(text, tick_text(1e-12)));
  EXPECT_TRUE(holds(text, tick_text(1e-10)));
  EXPECT_EQ(count_of(way_of(text, "one"), "M"), 1U);  // no gap where it is below zero
  EXPECT_EQ(count_of(way_of(text, "one"), " 276.0"), 3U);
}

TEST(Svg, LevelsStandInTheirOwnAxisWhereItReachesThem) {
  Figure figure = small_figure();
  figure.marks = {{2, "two", "v", true}, {1000, "far", "v", true}};
  EXPECT_TRUE(holds(svg(figure), ">two</text>"));
  EXPECT_FALSE(holds(svg(figure), ">far</text>"));
  EXPECT_FALSE(holds(svg(figure, 0, 1), ">two</text>"));
}

TEST(Svg, SurvivesOnePointEqualValuesAndGaps) {
  Figure figure{.id = "f", .title = "t", .caption = "", .x = {{"x", "x", true}}, .y = {{"y", "y"}}, .series = {}};
  figure.marks = {{1, "here"}};
  EXPECT_FALSE(holds(svg(figure), "inf"));
  figure.series = {{.name = "one", .x = {{"x", {1}}}, .y = {{"y", {{2}}}}, .dots = true}};
  EXPECT_FALSE(holds(svg(figure), "nan"));
  figure.series = {
      {.name = "flat", .x = {{"x", {1, 2, 4}}}, .y = {{"y", {{0, 0, 0}}}}},
      {.name = "gap", .x = {{"x", {1, 2, 4}}}, .y = {{"y", {{1, std::nan(""), 3}, {0, 0, 2}, {2, 2, 4}}}}}};
  const std::string text = svg(figure);
  EXPECT_FALSE(holds(text, "nan"));
  EXPECT_FALSE(holds(text, "inf"));
}

}  // namespace
}  // namespace s3gd::report
