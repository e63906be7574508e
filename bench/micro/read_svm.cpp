// Reads one file with load() and prints rows, seconds (the best of several runs) and the peak memory over the result:
//   bench_read_svm FILE [THREADS] [RUNS]
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/error.hpp"

namespace {

double result_bytes(const s3gd::Dataset& data) {
  const double matrix = data.x.visit([](const auto& view) {
    using View = std::decay_t<decltype(view)>;
    if constexpr (requires { view.stride; })
      return static_cast<double>(view.rows * view.stride) * sizeof(typename View::Value);
    else
      return static_cast<double>(view.nonzeros()) * (sizeof(typename View::Value) + sizeof(typename View::Column)) +
             static_cast<double>(view.rows + 1) * 8;
  });
  return matrix + static_cast<double>(data.rows()) * 8;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_read_svm FILE [THREADS] [RUNS]\n");
    return 2;
  }
  try {
    s3gd::LoadOptions options;
    options.threads = argc > 2 ? std::atoi(argv[2]) : 0;
    const int runs = argc > 3 ? std::atoi(argv[3]) : 3;
    const double before = static_cast<double>(s3gd::peak_memory_bytes());
    double best = 1e300, best_cpu = 1e300, over = 0;
    s3gd::Index rows = 0;
    for (int run = 0; run < runs; ++run) {
      const double start = s3gd::wall_now(), start_cpu = s3gd::cpu_now();
      const auto data = s3gd::load(argv[1], options);
      best = std::min(best, s3gd::wall_now() - start);
      best_cpu = std::min(best_cpu, s3gd::cpu_now() - start_cpu);
      rows = data.rows();
      if (run == 0) over = static_cast<double>(s3gd::peak_memory_bytes()) - before - result_bytes(data);
    }
    fmt::print("{{\"rows\": {}, \"seconds\": {:.4f}, \"cpu_seconds\": {:.4f}, \"memory_over_result_mb\": {:.1f}}}\n",
               rows, best, best_cpu, over / 1e6);
  } catch (const s3gd::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
