// Constants of the theory: lengths of all rows exactly, the largest eigenvalue from a sample of them.
#include <limits>

#include "base/index.hpp"
#include "base/random.hpp"
#include "data/row_access.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"
#include "problem/needs.hpp"
#include "problem/penalty.hpp"
#include "problem/quick_step.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kSampleEntries = 4'000'000;  // stored entries the power iteration looks at in each round
constexpr Index kFewestRows = 1000;          // in the sample
constexpr int kRounds = 100;                 // of the power iteration at most ...
constexpr double kAccuracy = 1e-4;           // ... until it moves by less than this share
// Of a step needed at once: a few hundred rows tell the order of magnitude, which is what a step needs.
constexpr Index kQuickRows = 500;
constexpr int kQuickRounds = 15;
constexpr double kQuickAccuracy = 1e-2;

template <class T>
double row_dot(const DenseView<T>& x, Index i, const double* v) {
  return kernel::dot(x.row(i), v, x.cols);
}
template <class T, class I>
double row_dot(const CsrView<T, I>& x, Index i, const double* v) {
  return kernel::sparse_dot(x.values + x.starts[i], x.columns + x.starts[i], x.row_nonzeros(i), v);
}

// Rows and their weights: all of them, or so many drawn evenly that a round stays cheap.
struct Sample {
  std::vector<Index> rows;
  std::vector<double> weights;
};

Sample draw(const Problem& problem, Index wanted, std::uint64_t seed) {
  const Index n = problem.rows();
  Sample sample;
  Rng rng(seed, 0x7468656f);
  for (Index k = 0; k < std::min(n, wanted); ++k) {
    const Index i = wanted >= n ? k : rng.below(n);
    sample.rows.push_back(i);
    sample.weights.push_back(problem.weight(i) * static_cast<double>(n) / static_cast<double>(std::min(n, wanted)));
  }
  return sample;
}

// Also where squares are beyond double.
double length_of(const std::vector<double>& v) {
  double square = 0, largest = 0;
  for (const double value : v) square += value * value;
  if (std::isnormal(square)) return std::sqrt(square);
  for (const double value : v) largest = std::max(largest, std::abs(value));
  if (!(largest > 0)) return 0;
  square = 0;
  for (const double value : v) square += (value / largest) * (value / largest);
  return largest * std::sqrt(square);
}

// The largest eigenvalue of sum_i q_i x_i x_i', intercept's 1 included. An interrupt does not cut it short: a step found in
// haste would be kept, and a resumed run would be another one.
double largest_eigenvalue(const Problem& problem, const Sample& sample, std::uint64_t seed, int rounds,
                          double accuracy) {
  const Index cols = problem.cols();
  Rng rng(seed, 0x706f7765);
  std::vector<double> v(at(cols + 1)), next(v.size());
  for (auto& value : v) value = rng.normal();
  if (!problem.has_intercept()) v.back() = 0;
  double eigenvalue = 0;
  for (int round = 0; round < rounds; ++round) {
    const double length = length_of(v);
    if (!(length > 0)) return 0;
    for (auto& value : v) value /= length;
    std::fill(next.begin(), next.end(), 0.0);
    problem.x().visit([&](const auto& view) {
      for (std::size_t k = 0; k < sample.rows.size(); ++k) {
        const double c = sample.weights[k] * (row_dot(view, sample.rows[k], v.data()) + v.back());
        add_row(c, view, sample.rows[k], next.data());
        if (problem.has_intercept()) next.back() += c;
      }
    });
    double rayleigh = 0;
    for (std::size_t j = 0; j < v.size(); ++j) rayleigh += v[j] * next[j];
    const bool settled = std::abs(rayleigh - eigenvalue) <= accuracy * rayleigh;
    eigenvalue = rayleigh;
    if (settled) break;
    v.swap(next);
  }
  return eigenvalue;
}

// n q_i: what a row's slope is multiplied by when every row is met equally often.
double times_its_slope(const Problem& problem, Index i) {
  return problem.weights().empty() ? 1.0 : static_cast<double>(problem.rows()) * problem.weight(i);
}

// The expected smoothness of a mini-batch: of the full gradient in part, the rest is one row's.
double mixed_smoothness(const Problem& problem, Index batch, double full, double largest) {
  const auto n = static_cast<double>(problem.rows());
  const auto p = static_cast<double>(std::clamp<Index>(batch, 1, problem.rows()));
  const double share = n > 1 ? n * (p - 1) / (p * (n - 1)) : 1.0;
  const double single = n > 1 ? (n - p) / (p * (n - 1)) : 0.0;
  return share * full + single * largest;
}

// Where nothing bends, any step will do.
double step_of(double smoothness) {
  return smoothness > 0 ? std::min(1.0 / smoothness, std::numeric_limits<double>::max()) : 1.0;
}

// The constants below are none where it is not bounded.
double largest_curvature(const Problem& problem) {
  if (!kBoundedCurvature.met(problem))
    throw Error(sentence("the theory of step sizes", kBoundedCurvature, problem), "give a step");
  return Loss(problem.spec().loss).curvature_bound();
}

}  // namespace

double shuffled_step(const Problem& problem, Index batch, std::uint64_t seed) {
  const Theory constants = theory(problem, batch, seed);
  if (problem.weights().empty()) return constants.suggested_step;
  const double curvature = largest_curvature(problem);
  const auto lengths = squared_row_norms(problem);
  double largest = 0;
  for (Index i = 0; i < problem.rows(); ++i)
    largest = std::max(largest, curvature * lengths[at(i)] * times_its_slope(problem, i));
  return step_of(mixed_smoothness(problem, batch, constants.smoothness_full, largest));
}

double quick_step(const Problem& problem, Index batch, std::uint64_t seed) {
  const double curvature = largest_curvature(problem);
  const Sample sample = draw(problem, kQuickRows, seed);
  double largest = 0, mean = 0;
  problem.x().visit([&](const auto& view) {
    for (std::size_t k = 0; k < sample.rows.size(); ++k) {
      if (sample.weights[k] == 0) continue;
      const double length = row_square(view, sample.rows[k]) + (problem.has_intercept() ? 1.0 : 0.0);
      largest = std::max(largest, length * times_its_slope(problem, sample.rows[k]));
      mean += sample.weights[k] * length;
    }
  });
  const double full =
      std::min(mean, largest_eigenvalue(problem, sample, seed, kQuickRounds, kQuickAccuracy) * (1 + kQuickAccuracy));
  const double smoothness = curvature * mixed_smoothness(problem, batch, full, largest);
  return smoothness > 0 ? step_of(smoothness) : theory(problem, batch, seed).suggested_step;
}

Theory theory(const Problem& problem, Index batch, std::uint64_t seed) {
  const double curvature = largest_curvature(problem);
  const Penalty penalty(problem);
  const auto lengths = squared_row_norms(problem);
  Theory result;
  for (Index i = 0; i < problem.rows(); ++i) {
    if (problem.weight(i) == 0) continue;
    const double smoothness = curvature * lengths[at(i)];
    result.smoothness_max = std::max(result.smoothness_max, smoothness * problem.total_weight());
    result.smoothness_mean += smoothness * problem.weight(i);
  }
  const Index per_row = std::max<Index>(1, problem.x().stored() / problem.rows());
  const Sample sample = draw(problem, std::max(kFewestRows, kSampleEntries / per_row), seed);
  result.smoothness_full =
      std::min(curvature * largest_eigenvalue(problem, sample, seed, kRounds, kAccuracy), result.smoothness_mean);
  result.strong_convexity = std::numeric_limits<double>::infinity();
  for (Index j = 0; j < problem.dim(); ++j)
    result.strong_convexity = std::min(result.strong_convexity, 2.0 * penalty.l2_of(j));
  result.svrg_step_bound = 1.0 / (4.0 * result.smoothness_max);
  result.s3gd_step_bound = 1.0 / (8.0 * result.smoothness_max);
  result.batch_smoothness = mixed_smoothness(problem, batch, result.smoothness_full, result.smoothness_max);
  result.suggested_step = step_of(result.batch_smoothness);
  return result;
}

Rate paper_rate(const Theory& constants, double step, Index inner) {
  constexpr double kInapplicable = std::numeric_limits<double>::quiet_NaN();
  const double L = constants.smoothness_max, mu = constants.strong_convexity;
  const auto m = static_cast<double>(inner);
  if (!(step > 0 && step < constants.s3gd_step_bound && inner > 0)) return {kInapplicable, kInapplicable};
  const double slack = 1.0 - 4.0 * L * step;
  Rate rate;
  rate.rho = 1.0 / (mu * step * slack * m) + 4.0 * L * step * (m + 1) / (slack * m);
  const double below = step * mu * (m - 4.0 * step * L * (2.0 * m + 1)) - 1.0;  // positive exactly when rho < 1
  rate.delta_factor = below > 0 ? 8.0 * step * step * L * mu * m / below : std::numeric_limits<double>::infinity();
  return rate;
}

}  // namespace s3gd
