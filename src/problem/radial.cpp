#include "problem/radial.hpp"

#include <cmath>

namespace s3gd {

// Newton on one over the root of the sum, which is concave and increasing in r: it climbs to the root from the left
// without overshooting.
double radius_of(const std::vector<double>& t, const std::vector<double>& a, double nu) {
  double r = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    double sum = 0, slope = 0;
    for (std::size_t j = 0; j < t.size(); ++j) {
      const double below = a[j] * r + nu;
      const double ratio = t[j] / below;
      sum += ratio * ratio;
      slope += ratio * ratio * a[j] / below;
    }
    const double root = std::sqrt(sum);
    if (root <= 1.0 || slope <= 0) break;
    const double next = r + root * root * (root - 1.0) / slope;
    if (!(next > r)) break;
    r = next;
  }
  return r;
}

}  // namespace s3gd
