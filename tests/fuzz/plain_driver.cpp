// Runs a fuzz target without libFuzzer: on files, then on bytes drawn at random.
//
//     fuzz_NAME [FILE|FOLDER.. ] [--random COUNT [SEED]]
//
// An input that makes the target abort is left in failed_case, in the folder it was started in.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;
constexpr s3gd::Index kLongest = 400;

void run(const Input& input) {
  std::ofstream("failed_case", std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

void run_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::fprintf(stderr, "%s\n", path.c_str());
  run(Input(std::istreambuf_iterator<char>(in), {}));
}

void run_random(long count, std::uint64_t seed) {
  for (long k = 0; k < count; ++k) {
    s3gd::Rng rng(seed, static_cast<std::uint64_t>(k));
    Input input(static_cast<std::size_t>(1 + rng.below(kLongest)));
    for (auto& byte : input) byte = static_cast<std::uint8_t>(rng.below(256));
    run(input);
  }
}

}  // namespace

int main(int count, char** words) {
  for (int k = 1; k < count; ++k) {
    if (std::string(words[k]) == "--random" && k + 1 < count) {
      run_random(std::atol(words[k + 1]), k + 2 < count ? std::strtoull(words[k + 2], nullptr, 10) : 0);
      break;
    }
    if (!std::filesystem::is_directory(words[k])) {
      run_file(words[k]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(words[k])) run_file(entry.path());
  }
  std::remove("failed_case");
  return 0;
}
