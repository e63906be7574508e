#include "problem/table_pass.hpp"

#include <gtest/gtest.h>

#include "support/class_problems.hpp"

namespace s3gd {
namespace {

using testing::Vector;

struct Found {
  std::vector<Vector> gradients, margins, curvatures;
  std::vector<RowSums> sums;
};

Found together(const std::vector<Problem>& problems, const std::vector<Vector>& w, std::span<const Index> rows,
               Arithmetic arithmetic) {
  const std::size_t n = rows.empty() ? static_cast<std::size_t>(problems[0].rows()) : rows.size();
  const std::size_t k = problems.size();
  Found found{std::vector<Vector>(k, Vector(w[0].size())),
              std::vector<Vector>(k, Vector(n)),
              std::vector<Vector>(k, Vector(n)),
              {}};
  std::vector<ClassPass> passes;
  for (std::size_t c = 0; c < k; ++c)
    passes.push_back({&problems[c], w[c], found.gradients[c], {found.margins[c], found.curvatures[c]}});
  sum_rows_together(passes, rows, arithmetic);
  for (const ClassPass& pass : passes) found.sums.push_back(pass.sums);
  return found;
}

std::vector<Vector> points(const std::vector<Problem>& problems) {
  std::vector<Vector> w;
  for (std::size_t k = 0; k < problems.size(); ++k) w.push_back(testing::random_vector(problems[k].dim(), 10 + k, 0.4));
  return w;
}

void expect_near(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], tolerance * (1 + std::abs(b[j])));
}

TEST(ClassPass, FindsForEachProblemWhatAPassOfItsOwnDoes) {
  const auto sample = testing::softmax_sample(400, 9, 11, 3);
  const std::vector<Index> some{1, 5, 6, 77, 250, 251, 399};
  for (const Matrix& x : sample.table.layouts())
    for (const ProblemSpec& spec : testing::smooth_specs())
      for (const bool weighted : {false, true}) {
        const auto problems = testing::class_problems(sample.data(x, weighted), spec);
        const auto w = points(problems);
        for (const auto& rows : {std::vector<Index>(), some})
          for (const Arithmetic arithmetic : {Arithmetic::data, Arithmetic::exact}) {
            const Found found = together(problems, w, rows, arithmetic);
            const double tolerance = arithmetic == Arithmetic::exact ? 1e-12 : 1e-5;
            for (std::size_t k = 0; k < problems.size(); ++k) {
              Vector gradient(w[k].size()), margins(found.margins[k].size()), curvatures(margins.size());
              const RowSums sums =
                  sum_rows(problems[k], rows, w[k], Arithmetic::exact, gradient, {margins, curvatures});
              EXPECT_NEAR(found.sums[k].loss, sums.loss, tolerance);
              EXPECT_NEAR(found.sums[k].weight, sums.weight, 1e-12);
              expect_near(found.gradients[k], gradient, tolerance);
              expect_near(found.margins[k], margins, tolerance);
              // A hinge's curvature jumps where a margin meets its corner: random ones do not.
              expect_near(found.curvatures[k], curvatures, tolerance);
            }
          }
      }
}

TEST(ClassPass, ClassWeightsAreEachProblemsOwn) {
  const auto sample = testing::softmax_sample(300, 5, 4, 8);
  ProblemSpec spec;
  spec.class_weight = ClassWeight::balanced;
  const auto problems = testing::class_problems(sample.data(sample.table.layouts()[0], true), spec);
  const auto w = points(problems);
  const Found found = together(problems, w, {}, Arithmetic::exact);
  for (std::size_t k = 0; k < problems.size(); ++k) {
    Vector gradient(w[k].size());
    EXPECT_NEAR(found.sums[k].loss, smooth_gradient(problems[k], w[k], gradient), 1e-12);
    expect_near(found.gradients[k], gradient, 1e-12);
  }
}

TEST(ClassPass, TheBitsAreTheSameAtAnyNumberOfThreads) {
  const auto sample = testing::softmax_sample(9000, 40, 6, 4);  // several chunks
  for (const Matrix& x : sample.table.layouts())
    for (const Arithmetic arithmetic : {Arithmetic::data, Arithmetic::exact}) {
      ProblemSpec spec;
      spec.threads = 1;
      const auto one = testing::class_problems(sample.data(x), spec);
      const auto w = points(one);
      const Found expected = together(one, w, {}, arithmetic);
      for (const int threads : {2, 7}) {
        spec.threads = threads;
        const Found found = together(testing::class_problems(sample.data(x), spec), w, {}, arithmetic);
        EXPECT_EQ(found.gradients, expected.gradients);
        EXPECT_EQ(found.margins, expected.margins);
        EXPECT_EQ(found.curvatures, expected.curvatures);
        for (std::size_t k = 0; k < w.size(); ++k) EXPECT_EQ(found.sums[k].loss, expected.sums[k].loss);
      }
    }
}

}  // namespace
}  // namespace s3gd
