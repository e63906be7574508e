#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernel/softplus.hpp"

namespace s3gd {
namespace {

// Every length around the vectors' width, margins from underflow to overflow of exp.
TEST(Softplus, EqualsTheFormulasToTheLastDigits) {
  std::vector<double> t = {0.0,   -0.0,   1e-300, -1e-300, 1e-9, -1e-9, 36.0,  -36.0,
                           709.0, -709.0, 745.0,  -745.0,  1e5,  -1e5,  1e300, -1e300};
  for (double x = -50; x <= 50; x += 0.37) t.push_back(x);
  for (std::size_t n = 0; n <= t.size(); n += n < 20 ? 1 : 50) {
    std::vector<double> value(n), slope(n), curvature(n);
    kernel::softplus(t.data(), static_cast<Index>(n), value.data(), slope.data(), curvature.data());
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

}  // namespace
}  // namespace s3gd
