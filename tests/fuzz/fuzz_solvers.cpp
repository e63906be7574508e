// Any small problem given to every solver: each ends in a result or in one Error, and no result contradicts another's.
//
// A result is wrong where it is not finite, where it says converged and its gap is larger than the tolerance, where its lower
// bound of the optimum lies above the objective of any point that any solver found, or where it took more than two seconds.
// With S3GD_FUZZ_TELL in the environment the problem and every solver's end are told.
#include <cstdio>
#include <cstdlib>

#include "base/clock.hpp"
#include "data/row_access.hpp"
#include "problem/loss.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/penalty.hpp"
#include "s3gd/error.hpp"
#include "solve/inputs.hpp"
#include "solver_problems.hpp"
#include "stochastic/control.hpp"

namespace s3gd::fuzz {
namespace {

#ifndef S3GD_MOST_SECONDS
#define S3GD_MOST_SECONDS 2
#endif
constexpr double kMostSeconds = S3GD_MOST_SECONDS;  // of processor time
// Of the sum of what was added up: objectives agree so far, whoever computes them.
constexpr double kRounding = 1e-10;
constexpr double kRoundingOfSquares = 1e-14, kLastBits = 1e-15;

template <class F>
void for_entries(const Dataset& data, Index i, const F& f) {
  data.x.visit([&](const auto& view) {
    if constexpr (requires { view.stride; }) {
      for (Index j = 0; j < view.cols; ++j) f(j, static_cast<double>(view.row(i)[j]));
    } else {
      for (auto at = view.starts[i]; at < view.starts[i + 1]; ++at)
        f(view.columns[at], static_cast<double>(view.values[at]));
    }
  });
}

const bool tells = std::getenv("S3GD_FUZZ_TELL") != nullptr;
const SolverCase* current = nullptr;  // for whoever reads what failed

void describe(const SolverCase& made) {
  const char* const outputs[] = {"", "one output", "one-vs-rest", "softmax"};
  std::fprintf(stderr, "%s, tol %g, batch %ld, seed %lu, beta %g, class weight %s, intercept %s\n",
               outputs[static_cast<int>(made.outputs)], made.tol, static_cast<long>(made.batch),
               static_cast<unsigned long>(made.seed), made.spec.loss.beta, name_of(made.spec.class_weight).c_str(),
               name_of(made.spec.intercept).c_str());
  std::fprintf(stderr, "loss %s, penalty %s (matrix: %s), lambda %g, alpha %g, %zu factors, %zu more terms\n",
               name_of(made.spec.loss.kind).c_str(), name_of(made.spec.penalty.kind).c_str(),
               name_of(made.matrix_penalty.kind), made.spec.penalty.lambda, made.spec.penalty.alpha,
               made.spec.penalty.factors.size(), made.spec.penalty.also.size());
  std::fprintf(stderr, "%s, %s; label, weight: row\n", made.data.x.is_dense() ? "dense" : "sparse",
               name_of(made.data.x.precision()).c_str());
  for (Index i = 0; i < made.data.rows(); ++i) {
    std::fprintf(stderr, "%g, %g:", made.data.y.values[i], made.data.weights.empty() ? 1.0 : made.data.weights[i]);
    std::vector<double> row(static_cast<std::size_t>(made.data.cols()));
    for_entries(made.data, i, [&](Index j, double x) { row[static_cast<std::size_t>(j)] = x; });
    for (const double x : row) std::fprintf(stderr, " %g", x);
    std::fprintf(stderr, "\n");
  }
}

[[noreturn]] void fail(const std::string& solver, const std::string& what, double found = 0, double expected = 0) {
  if (current != nullptr) describe(*current);
  std::fprintf(stderr, "%s: %s (%.17g, expected %.17g)\n", solver.c_str(), what.c_str(), found, expected);
  std::abort();
}

// The objective added up plainly, with what rounding may make of it, and of the length of its gradient.
struct Value {
  long double sum = 0, rounding = 0, rounding_of_slopes = 0;
  void add(long double term, long double error) {
    sum += term;
    rounding += kRounding * std::abs(term) + error;
  }
  void add_slope(long double size, const Dataset& data, Index i) {
    long double length = 1;  // the intercept's
    for_entries(data, i, [&](Index, double x) { length += std::abs(x); });
    rounding_of_slopes += kRounding * size * length;
  }
  double plain() const { return static_cast<double>(sum); }
  double error() const { return static_cast<double>(rounding); }
};

// Margins of one row for K outputs whose weights lie `apart` numbers from feature to feature, and the sums of magnitudes.
struct Margin {
  long double u = 0, size = 0;
};
Margin margin(const Dataset& data, Index i, std::span<const double> w, Index k, Index apart, bool intercept) {
  Margin result;
  const auto add = [&](Index j, double x) {
    const long double term = static_cast<long double>(w[static_cast<std::size_t>(j * apart + k)]) * x;
    result.u += term;
    result.size += std::abs(term);
  };
  for_entries(data, i, add);
  if (intercept) add(data.cols(), 1.0);
  return result;
}

Value value_of(const Problem& problem, std::span<const double> w) {
  const Loss loss(problem.spec().loss);
  Value value;
  for (Index i = 0; i < problem.rows(); ++i) {
    if (problem.weight(i) == 0) continue;
    const Margin m = margin(problem.data(), i, w, 0, 1, problem.has_intercept());
    const double u = static_cast<double>(m.u), y = problem.targets()[static_cast<std::size_t>(i)];
    const long double q = problem.weight(i), off = kRounding * m.size;
    // Squares are found from sums of products, too: of what is subtracted there, some bits are left.
    const long double square = loss.curvature(u, y) * (m.size + std::abs(y)) * (m.size + std::abs(y));
    value.add(q * loss.value(u, y), q * (std::abs(loss.slope(u, y)) * off + kRoundingOfSquares * square));
    // A hinge that is met to the last bit by one sum is missed by the last bit by another.
    const long double last_bit = kLastBits * (m.size + std::abs(y));
    if (std::isfinite(loss.curvature_bound())) value.rounding += q * loss.curvature_bound() * last_bit * last_bit;
    const double bend = std::isfinite(loss.curvature_bound()) ? loss.curvature_bound() : loss.curvature(u, y);
    value.add_slope(q * (std::abs(loss.slope(u, y)) + bend * m.size), problem.data(), i);
  }
  const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
  const double paid = penalty.value(w);
  value.add(paid, 0);
  return value;
}

Value value_of(const SoftmaxProblem& problem, std::span<const double> w) {
  Value value;
  const Index classes = problem.classes();
  for (Index i = 0; i < problem.rows(); ++i) {
    if (problem.weight(i) == 0) continue;
    std::vector<Margin> m;
    long double top = -INFINITY, size = 0, sum = 0;
    for (Index k = 0; k < classes; ++k) {
      m.push_back(margin(problem.data(), i, w, k, classes, problem.has_intercept()));
      top = std::max(top, m.back().u);
      size = std::max(size, m.back().size);
    }
    for (const Margin& one : m) sum += std::exp(one.u - top);
    const long double own = m[static_cast<std::size_t>(problem.targets()[static_cast<std::size_t>(i)])].u;
    const long double q = problem.weight(i), term = q * (std::log(sum) + (top - own));
    value.add(term, q * kRounding * size);
    value.add_slope(q * (1 + size), problem.data(), i);
  }
  const double paid = MatrixPenalty(problem).value(w);
  value.add(paid, 0);
  return value;
}

struct Found {
  std::string solver;
  std::vector<double> w;
  Summary summary;
};

// What the rounding of slopes does to the dual: squares of it over a ridge, or a share by which the slopes are to be shrunk to
// fit a 1-norm.
double rounding_of_dual(const Problem& problem, const Value& value) {
  const Penalty penalty(problem);
  const double last_digits = kRoundingOfSquares / kRounding * static_cast<double>(value.rounding_of_slopes);
  if (penalty.l2_strength() > 0) return last_digits * last_digits / (4 * penalty.l2_strength());
  return penalty.l1_strength() > 0 ? 2 * std::min(1.0, last_digits / penalty.l1_strength()) * value.plain() : 0.0;
}
double rounding_of_dual(const SoftmaxProblem&, const Value&) { return 0; }

template <class P>
void check_alone(const P& problem, const Found& found, double tol) {
  const Summary& summary = found.summary;
  for (const double value : found.w)
    if (!std::isfinite(value)) fail(found.solver, "a weight is not finite", value);
  if (!std::isfinite(summary.objective)) fail(found.solver, "the objective is not finite", summary.objective);
  if (!std::isfinite(summary.step)) fail(found.solver, "the step is not finite", summary.step);
  if (!std::isfinite(summary.passes)) fail(found.solver, "the passes are not finite", summary.passes);
  if (std::isnan(summary.certificate.relative_gap)) fail(found.solver, "there is no gap");
  const Value value = value_of(problem, found.w);
  if (!(std::abs(value.plain() - summary.objective) <= value.error()))
    fail(found.solver, "another objective", summary.objective, value.plain());
  if (summary.status != Status::converged) return;
  const Certificate again = certify(problem, found.w);
  const double rounding =
      again.kind == Certificate::Kind::duality_gap
          ? (2 * value.error() + rounding_of_dual(problem, value)) / std::max(std::abs(again.primal), 1e-300)
          : static_cast<double>(value.rounding_of_slopes);
  if (!(again.relative_gap <= tol * (1 + 1e-6) + rounding))
    fail(found.solver, "not converged", again.relative_gap, tol);
}

template <class P>
void check_together(const P& problem, const std::vector<Found>& all, double tol) {
  for (const Found& found : all) check_alone(problem, found, tol);
  for (const Found& bound : all) {
    if (bound.summary.certificate.kind != Certificate::Kind::duality_gap) continue;
    const double dual = bound.summary.certificate.dual, rounding = value_of(problem, bound.w).error();
    for (const Found& other : all) {
      const Value value = value_of(problem, other.w);
      if (!(dual <= value.plain() + rounding + value.error()))
        fail(bound.solver, "its bound lies above what was found by " + other.solver, dual, value.plain());
    }
  }
}

void tell(const Summary& summary) {
  if (!tells) return;
  const Certificate& certificate = summary.certificate;
  std::fprintf(stderr, "%s, %ld iterations, primal %.17g, dual %.17g, gap %.3g", name_of(summary.status),
               static_cast<long>(summary.iterations), certificate.primal, certificate.dual, certificate.relative_gap);
}

SolveOptions options_for(const SolverCase& made, const std::string& solver) {
  SolveOptions options;
  options.solver = solver;
  options.tol = made.tol;
  const Estimator* estimator = find_estimator(solver);
  if (estimator != nullptr && estimator->step_basis != StepBasis::all_rows) options.batch = made.batch;
  options.seed = made.seed;
  return options;
}

// Results of every solver; those that do not suit say so by an Error.
template <class Solve>
void for_each_solver(const std::vector<SolverInfo>& list, const SolverCase& made, const Solve& solve) {
  for (const SolverInfo& info : list) {
    const double started = cpu_now();
    if (tells) std::fprintf(stderr, "%s: ", info.name.c_str());
    try {
      solve(options_for(made, info.name));
    } catch (const Error& error) {
      if (tells) std::fprintf(stderr, "%s", error.what());
    }
    if (tells) std::fprintf(stderr, " (%.3f s)\n", cpu_now() - started);
    if (const double seconds = cpu_now() - started; seconds > kMostSeconds)
      fail(info.name, "took long", seconds, kMostSeconds);
  }
}

void one_output(const SolverCase& made) {
  const Problem problem(made.data, made.spec);
  std::vector<Found> all;
  for_each_solver(solvers(), made, [&](const SolveOptions& options) {
    Solution solution = solve(problem, options);
    tell(solution.summary);
    all.push_back({options.solver, std::move(solution.w), std::move(solution.summary)});
  });
  check_together(problem, all, made.tol);
}

void one_vs_rest(const SolverCase& made) {
  const OneVsRestProblem problem(made.data, made.spec);
  std::vector<std::vector<Found>> all(problem.classes().size());
  for_each_solver(solvers(), made, [&](const SolveOptions& options) {
    const Solution solution = solve(problem, options);
    tell(solution.summary);
    const std::size_t dim = solution.w.size() / all.size();
    for (std::size_t k = 0; k < all.size(); ++k) {
      const auto begin = solution.w.begin() + static_cast<std::ptrdiff_t>(k * dim);
      all[k].push_back(
          {options.solver, {begin, begin + static_cast<std::ptrdiff_t>(dim)}, solution.summary.classes[k]});
    }
  });
  for (std::size_t k = 0; k < all.size(); ++k) check_together(problem.of(static_cast<Index>(k)), all[k], made.tol);
}

void softmax(const SolverCase& made) {
  SoftmaxSpec spec;
  spec.penalty = made.matrix_penalty;
  spec.intercept = made.spec.intercept;
  spec.class_weight = made.spec.class_weight;
  spec.threads = 1;
  const SoftmaxProblem problem(made.data, spec);
  std::vector<Found> all;
  for_each_solver(softmax_solvers(), made, [&](const SolveOptions& options) {
    Solution solution = solve_softmax(problem, options);
    tell(solution.summary);
    all.push_back({options.solver, std::move(solution.w), std::move(solution.summary)});
  });
  check_together(problem, all, made.tol);
}

}  // namespace
}  // namespace s3gd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace s3gd;
  using namespace s3gd::fuzz;
  try {
    const SolverCase made = case_from({data, size});
    current = &made;
    if (tells) describe(made);
    if (made.outputs == Outputs::one) one_output(made);
    if (made.outputs == Outputs::one_vs_rest) one_vs_rest(made);
    if (made.outputs == Outputs::softmax) softmax(made);
  } catch (const s3gd::Error&) {  // no problem at all
  }
  return 0;
}
