// What one full gradient costs: milliseconds a pass (best of several), and the bytes it reads a second.
//
//   bench_full_pass [--threads N] [--rounds N] DATASET...
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "problem/full_pass.hpp"
#include "s3gd/error.hpp"

namespace {

using namespace s3gd;

double bytes_of(const Matrix& x) {
  const double value = x.precision() == Precision::float32 ? 4 : 8;
  return static_cast<double>(x.stored()) * (value + (x.is_dense() ? 0 : 4));
}

void measure(const std::string& name, int threads, int rounds) {
  Dataset data = load(name);
  ProblemSpec spec;
  spec.intercept = Intercept::regularised;
  spec.threads = threads;
  spec.positive = "largest";
  const Problem problem(data, spec);
  std::vector<double> w(static_cast<std::size_t>(problem.dim())), gradient(w.size());
  for (std::size_t j = 0; j < w.size(); ++j) w[j] = 1e-3 * static_cast<double>(j % 7);
  const auto best_of = [&](auto&& pass) {
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
      const double start = wall_now();
      pass();
      best = std::min(best, wall_now() - start);
    }
    return best;
  };
  const double old = best_of([&] { loss_and_gradient(problem, w, gradient); });
  const double exact = best_of([&] { sum_rows(problem, {}, w, Arithmetic::exact, gradient); });
  const double best = best_of([&] { sum_rows(problem, {}, w, Arithmetic::data, gradient); });
  fmt::print("{:16} {:8} rows {:6} cols {}  old {:8.3f} exact {:8.3f} data {:8.3f} ms  {:5.1f} GB/s\n", name,
             problem.rows(), problem.cols(), problem.x().is_dense() ? "dense" : "csr  ", 1e3 * old, 1e3 * exact,
             1e3 * best, 1e-9 * bytes_of(problem.x()) / best);
}

}  // namespace

int main(int argc, char** argv) try {
  int threads = 1, rounds = 20;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--threads" && i + 1 < argc)
      threads = std::stoi(argv[++i]);
    else if (word == "--rounds" && i + 1 < argc)
      rounds = std::stoi(argv[++i]);
    else
      measure(word, threads, rounds);
  }
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
