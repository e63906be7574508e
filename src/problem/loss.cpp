#include "problem/loss.hpp"

namespace s3gd {

double Loss::value(double u, double y) const {
  return visit([&](const auto& loss) { return loss.value(u, y); });
}

double Loss::curvature(double u, double y) const {
  return visit([&](const auto& loss) { return loss.curvature(u, y); });
}

double Loss::curvature_bound() const {
  return visit([&](const auto& loss) { return loss.curvature_bound(); });
}

std::optional<Balance> Loss::balance(double mean_slope, double mean_target) const {
  return visit([&](const auto& loss) -> std::optional<Balance> {
    if constexpr (requires { loss.balance(mean_slope, mean_target); }) return loss.balance(mean_slope, mean_target);
    return {};
  });
}

double Loss::conjugate(double v, double y) const {
  return visit([&](const auto& loss) { return loss.conjugate(v, y); });
}

void Loss::terms(const double* u, const double* y, Index n, const kernel::SoftplusTerms& out) const {
  visit([&](const auto& loss) {
    if constexpr (requires { loss.sharpness(); }) {
      kernel::softplus_terms(loss.sharpness(), loss.shift(), u, y, n, out);
    } else if constexpr (requires { loss.terms(u[0], y[0]); }) {
      for (Index i = 0; i < n; ++i) {
        const Terms all = loss.terms(u[i], y[i]);
        if (out.value != nullptr) out.value[i] = all.value;
        if (out.slope != nullptr) out.slope[i] = all.slope;
        if (out.curvature != nullptr) out.curvature[i] = all.curvature;
      }
    } else {
      for (Index i = 0; i < n; ++i) {
        if (out.value != nullptr) out.value[i] = loss.value(u[i], y[i]);
        if (out.slope != nullptr) out.slope[i] = loss.slope(u[i], y[i]);
        if (out.curvature != nullptr) out.curvature[i] = loss.curvature(u[i], y[i]);
      }
    }
  });
}

namespace {

// Of softplus(beta (shift - y u)) / beta.
void softplus_conjugates(double beta, double shift, const double* v, const double* y, Index n, double* out) {
  constexpr Index kBlock = 256;  // rows whose logarithms are taken at once
  double a[kBlock], entropy[kBlock];
  for (Index first = 0; first < n; first += kBlock) {
    const Index count = std::min(kBlock, n - first);
    for (Index r = 0; r < count; ++r) a[r] = -v[first + r] * y[first + r];
    kernel::negative_entropy(a, count, entropy);
    for (Index r = 0; r < count; ++r) out[first + r] = entropy[r] / beta - shift * a[r];
  }
}

}  // namespace

void Loss::conjugates(const double* v, const double* y, Index n, double* out) const {
  visit([&](const auto& loss) {
    if constexpr (requires { loss.sharpness(); }) {
      softplus_conjugates(loss.sharpness(), loss.shift(), v, y, n, out);
    } else {
      for (Index i = 0; i < n; ++i) out[i] = loss.conjugate(v[i], y[i]);
    }
  });
}

}  // namespace s3gd
