// How long it takes to open a 2 GB .s3d file, and how much memory, before rows are touched; then to verify it.
//   bench_open_s3d FOLDER [GIGABYTES]     writes FOLDER/open_s3d.s3d, opens it in a fresh process, removes it
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "data/format.hpp"
#include "data/generate.hpp"
#include "data/s3d.hpp"
#include "s3gd/error.hpp"

namespace {

using namespace s3gd;

constexpr Index kCols = 1000;
constexpr Index kBlockRows = 2000;

void write_file(const std::string& path, double gigabytes) {
  const Dataset block = generate(fmt::format("gen:ill?rows={}&cols={}", kBlockRows, kCols));
  const auto blocks = static_cast<Index>(gigabytes * 1e9 / (4.0 * kBlockRows * kCols));
  const double start = wall_now();
  stream_s3d(path, [&](const RowSink& take) {
    for (Index k = 0; k < blocks; ++k) take(block);
  });
  fmt::print("write    {:8.0f} ms   peak {:5.1f} MB\n", 1e3 * (wall_now() - start), 1e-6 * double(peak_memory_bytes()));
  std::fflush(stdout);
}

int open_file(const std::string& path) {
  const double before = wall_now();
  const Dataset data = open_s3d(path, {});
  const double opened = wall_now();
  fmt::print("open     {:8.2f} ms   peak {:5.1f} MB   {} rows of {} columns\n", 1e3 * (opened - before),
             1e-6 * double(peak_memory_bytes()), data.rows(), data.cols());
  const double start = wall_now();
  data.verify();
  const double seconds = wall_now() - start;
  fmt::print("verify   {:8.0f} ms   {:.1f} GB/s\n", 1e3 * seconds,
             4e-9 * double(data.rows()) * double(data.cols()) / seconds);
  return 0;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count == 3 && std::string(arguments[1]) == "--open") return open_file(arguments[2]);
  if (count < 2) {
    fmt::print(stderr, "usage: bench_open_s3d FOLDER [GIGABYTES]\n");
    return 2;
  }
  const std::string path = std::string(arguments[1]) + "/open_s3d.s3d";
  write_file(path, count > 2 ? std::stod(arguments[2]) : 2.0);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", arguments[0], "--open", path.c_str(), nullptr);
    _exit(127);
  }
  int status = 1;
  waitpid(child, &status, 0);
  unlink(path.c_str());
  return status == 0 ? 0 : 1;
} catch (const s3gd::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
