#include "problem/quick_step.hpp"

#include <gtest/gtest.h>

#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::small_data;
using testing::SmallData;

// The sample is all rows then, and the eigenvalue is known to one part in a hundred.
TEST(QuickStep, OfFewRowsIsTheStepOfTheTheory) {
  for (const bool sparse : {false, true})
    for (const bool weighted : {false, true}) {
      SmallData shape;
      shape.rows = 300;
      shape.weighted = weighted;
      const Problem problem(small_data<double>(shape, sparse), ProblemSpec{});
      const double exact = theory(problem, 10, 1).suggested_step;
      EXPECT_NEAR(quick_step(problem, 10, 1) / exact, 1.0, 0.05);
    }
}

TEST(QuickStep, OfASampleIsCloseOnRowsThatAreAlike) {
  SmallData shape;
  shape.rows = 20000;
  const Problem problem(small_data<float>(shape, false), ProblemSpec{});
  const double exact = theory(problem, 10, 1).suggested_step;
  const double quick = quick_step(problem, 10, 1);
  EXPECT_GT(quick, 0.5 * exact);
  EXPECT_LT(quick, 2.0 * exact);
}

}  // namespace
}  // namespace s3gd
