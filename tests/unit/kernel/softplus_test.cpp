#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernel/kernel.hpp"
#include "problem/loss.hpp"

namespace s3gd {
namespace {

// Every length around the vectors' width, margins from underflow to overflow of exp.
TEST(Softplus, EqualsTheFormulasToTheLastDigits) {
  std::vector<double> t = {0.0,   -0.0,   1e-300, -1e-300, 1e-9, -1e-9, 36.0,  -36.0,
                           709.0, -709.0, 745.0,  -745.0,  1e5,  -1e5,  1e300, -1e300};
  for (double x = -50; x <= 50; x += 0.37) t.push_back(x);
  for (std::size_t n = 0; n <= t.size(); n += n < 20 ? 1 : 50) {
    std::vector<double> value(n), slope(n), curvature(n), minus(n, -1.0);
    kernel::softplus_terms(1.0, 0.0, t.data(), minus.data(), static_cast<Index>(n),
                           {value.data(), slope.data(), curvature.data()});
    for (std::size_t i = 0; i < n; ++i) {
      const long double x = t[i], e = std::exp(-std::abs(x));
      const auto near = [&](double found, long double wanted, const char* what) {
        EXPECT_NEAR(found, static_cast<double>(wanted), 4e-15 * static_cast<double>(std::abs(wanted)) + 1e-305)
            << what << " at " << t[i];
      };
      near(value[i], std::max(x, 0.0L) + std::log1p(e), "value");
      near(slope[i], x > 0 ? 1 / (1 + e) : e / (1 + e), "slope");
      near(curvature[i], e / ((1 + e) * (1 + e)), "curvature");
    }
  }
}

TEST(Softplus, EntropyEqualsTheFormulaAndIsInfiniteOutside) {
  std::vector<double> a = {0, 1, 1e-300, 1e-17, 1e-9, 0.5, 1 - 1e-9, std::nextafter(1.0, 0.0), -1e-9, 1.0000001, -5, 7};
  for (double x = 0.003; x < 1; x += 0.0137) a.push_back(x);
  for (std::size_t n = 0; n <= a.size(); ++n) {
    std::vector<double> found(n);
    kernel::negative_entropy(a.data(), static_cast<Index>(n), found.data());
    for (std::size_t i = 0; i < n; ++i) {
      const long double x = a[i];
      if (x < 0 || x > 1) {
        EXPECT_EQ(found[i], std::numeric_limits<double>::infinity());
        continue;
      }
      const long double wanted = (x > 0 ? x * std::log(x) : 0) + (x < 1 ? (1 - x) * std::log1p(-x) : 0);
      EXPECT_NEAR(found[i], static_cast<double>(wanted), 1e-15) << a[i];
    }
  }
}

// Many at once equal one at a time, whichever outputs are asked for; what is not a number stays so.
TEST(Softplus, TermsOfALossAreThoseOfOneRow) {
  for (const LossSpec spec : {LossSpec{LossKind::logistic, 1}, LossSpec{LossKind::smooth_hinge, 10},
                              LossSpec{LossKind::squared_hinge, 1}, LossSpec{LossKind::squared, 1}}) {
    const Loss loss(spec);
    std::vector<double> u, y;
    for (double x = -30; x <= 30; x += 0.71) {
      u.push_back(x);
      y.push_back(u.size() % 3 == 0 ? 1.0 : -1.0);
    }
    const auto n = static_cast<Index>(u.size());
    std::vector<double> value(u.size()), slope(u.size()), curvature(u.size()), alone(u.size());
    loss.terms(u.data(), y.data(), n, {value.data(), slope.data(), curvature.data()});
    loss.terms(u.data(), y.data(), n, {nullptr, alone.data(), nullptr});
    EXPECT_EQ(alone, slope);
    for (std::size_t i = 0; i < u.size(); ++i) {
      EXPECT_NEAR(value[i], loss.value(u[i], y[i]), 1e-14 * (1 + value[i]));
      EXPECT_NEAR(slope[i], loss.slope(u[i], y[i]), 1e-14 * (1 + std::abs(slope[i])));
      EXPECT_NEAR(curvature[i], loss.curvature(u[i], y[i]), 1e-13);
    }
    u[1] = std::nan("");
    loss.terms(u.data(), y.data(), 5, {value.data(), slope.data(), nullptr});
    const bool swallows = spec.kind == LossKind::squared_hinge;  // max(0, not a number) is 0
    EXPECT_TRUE(swallows || (std::isnan(value[1]) && std::isnan(slope[1])));
  }
}

}  // namespace
}  // namespace s3gd
