#include "report/fit_pages.hpp"

#include "unit/report/holds.hpp"

namespace s3gd::report {
namespace {

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

TEST(PathPage, SaysEveryPoint) {
  const std::string page = path_page(small_path(), small_page());
  expect_self_contained(page);
  for (const PathPoint& point : small_path().points) {
    EXPECT_TRUE(holds(page, ">" + number(point.lambda) + "</th>"));
    EXPECT_TRUE(holds(page, "<td>" + number(point.certificate.primal) + "</td>"));
  }
  EXPECT_TRUE(holds(page, "rows &lt;of&gt; &quot;somewhere&quot;"));
  EXPECT_TRUE(holds(page, "a\\u003cb"));
  EXPECT_FALSE(holds(page, "\"idle\""));  // a weight that never leaves zero has no curve
  EXPECT_EQ(count_of(page, "<figure id="), 3U);
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
  EXPECT_EQ(count_of(page, "<figure id="), 4U);
  EXPECT_TRUE(holds(page, R"({"at":0.005,"text":"best","axis":"","level":false})"));
  EXPECT_TRUE(holds(page, R"({"at":0.05,"text":"one standard error","axis":"","level":false})"));
  EXPECT_EQ(count_of(page, "<tr class=\"outstanding\">"), 2U);
  for (const ScoredLambda& point : result.points) EXPECT_TRUE(holds(page, "<td>" + number(point.mean) + "</td>"));
}

}  // namespace
}  // namespace s3gd::report
