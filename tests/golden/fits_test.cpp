// Every golden fit against what was recorded. `S3GD_RECORD_FITS=1 build/release/tests/test_golden` records anew.
//
// Bits depend on processor and compiler: they are compared where both are of the kind they were recorded on, the optimum
// everywhere.
#include <fmt/core.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "compare/one_run.hpp"
#include "golden/fit.hpp"
#include "kernel/kernel.hpp"

extern "C" const char* openblas_get_config() __attribute__((weak));  // absent from other BLAS libraries

namespace s3gd::golden {

std::vector<std::string> differences(const Fit& now, const Fit& recorded, bool same_bits) {
  std::vector<std::string> found;
  if (same_bits) {
    if (now.bits != recorded.bits) found.push_back("other bits");
    if (now.passes != recorded.passes) found.push_back(fmt::format("passes: {}", now.passes));
    if (now.iterations != recorded.iterations) found.push_back(fmt::format("iterations: {}", now.iterations));
    if (now.status != recorded.status) found.push_back("status: " + now.status);
  }
  if (recorded.status == "converged" && now.status != "converged") found.push_back("no longer converged");
  // F(w) - F* is at most the gap; without a dual, at most the step's norm times the distance between the two points.
  const auto above = [&](const Fit& fit) {
    if (fit.has_dual) return fit.gap * std::abs(fit.objective);
    return fit.gap * std::max(1.0, fit.norm) * (now.norm + recorded.norm);
  };
  const double allowed = std::max(above(now), above(recorded)) + 1e-12 * std::abs(recorded.objective);
  if (!(std::abs(now.objective - recorded.objective) <= allowed))
    found.push_back(fmt::format("objective: {:.17g} instead of {:.17g}, {} apart are allowed", now.objective,
                                recorded.objective, allowed));
  return found;
}

namespace {

const std::string kFile = std::string(S3GD_SOURCE_DIR) + "/tests/golden/fits.txt";

// On what bits depend.
std::string machine_kind() {
  return fmt::format("{}; {}; {}; glibc {}; {}", kernel::instruction_set(),
                     openblas_get_config != nullptr ? openblas_get_config() : "another BLAS", machine_facts().compiler,
                     gnu_get_libc_version(), S3GD_BUILD_KIND);
}

struct Recorded {
  std::string machine;
  std::map<std::string, Fit> fits;
};

Recorded read_recorded() {
  std::ifstream in(kFile);
  Recorded recorded;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, gap_kind;
    words >> name;
    if (name == "machine") {
      recorded.machine = line.substr(name.size() + 1);
      continue;
    }
    Fit fit;
    words >> std::hex >> fit.bits >> std::dec >> fit.objective >> gap_kind >> fit.gap >> fit.norm >> fit.status >>
        fit.passes >> fit.iterations;
    fit.has_dual = gap_kind == "dual";
    EXPECT_TRUE(words) << "in " << kFile << ": " << line;
    recorded.fits[name] = fit;
  }
  return recorded;
}

void record(const std::vector<Case>& all) {
  std::ofstream out(kFile);
  out << "# Written by S3GD_RECORD_FITS=1 build/release/tests/test_golden\n"
         "# name, checksum of the parameters, objective, kind of the gap, gap, norm of the parameters, status, passes, "
         "iterations\n"
      << "machine " << machine_kind() << "\n";
  for (const Case& one : all) {
    const Fit fit = one.run();
    out << fmt::format("{} {:016x} {:.17g} {} {:.4g} {:.6g} {} {:.17g} {}\n", one.name, fit.bits, fit.objective,
                       fit.has_dual ? "dual" : "step", fit.gap, fit.norm, fit.status, fit.passes, fit.iterations);
  }
  ASSERT_TRUE(out.flush()) << kFile;
}

TEST(GoldenFits, AreAsRecorded) {
  const std::vector<Case> all = cases();
  if (std::getenv("S3GD_RECORD_FITS") != nullptr) return record(all);
  Recorded recorded = read_recorded();
  const bool same_machine = recorded.machine == machine_kind();
  if (!same_machine)
    fmt::print("bits not compared: recorded on\n  {}\nthis is\n  {}\n", recorded.machine, machine_kind());
  for (const Case& one : all) {
    const auto found = recorded.fits.extract(one.name);
    if (!found) {
      ADD_FAILURE() << one.name << " was never recorded";
      continue;
    }
    for (const std::string& what : differences(one.run(), found.mapped(), same_machine && one.one_output))
      ADD_FAILURE() << one.name << ": " << what;
  }
  for (const auto& [name, fit] : recorded.fits) ADD_FAILURE() << name << " is recorded, but there is no such case";
}

TEST(GoldenFits, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Case& one : cases()) {
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_EQ(one.name.find(' '), std::string::npos) << one.name;
  }
}

TEST(GoldenFits, WhatChangesIsNoticed) {
  const Fit recorded{
      .bits = 5, .objective = 2, .gap = 1e-6, .norm = 1, .status = "converged", .passes = 3, .iterations = 4};
  EXPECT_TRUE(differences(recorded, recorded, true).empty());
  const auto noticed = [&](auto change, bool same_bits) {
    Fit now = recorded;
    change(now);
    return !differences(now, recorded, same_bits).empty();
  };
  EXPECT_TRUE(noticed([](Fit& fit) { fit.bits ^= 1; }, true));
  EXPECT_FALSE(noticed([](Fit& fit) { fit.bits ^= 1; }, false));
  EXPECT_TRUE(noticed([](Fit& fit) { fit.passes += 1; }, true));
  EXPECT_TRUE(noticed([](Fit& fit) { fit.iterations += 1; }, true));
  EXPECT_TRUE(noticed([](Fit& fit) { fit.status = "out_of_passes"; }, false));
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_FALSE(noticed([&](Fit& fit) { fit.objective += sign * 1.9e-6; }, false));
    EXPECT_TRUE(noticed([&](Fit& fit) { fit.objective += sign * 2.1e-6; }, false));
  }
  EXPECT_TRUE(noticed([](Fit& fit) { fit.objective = NAN; }, false));
  EXPECT_TRUE(noticed([](Fit& fit) { fit.gap = NAN; }, false));
}

TEST(GoldenFits, TheLeastChangeOfOneWeightIsNoticed) {
  const std::vector<double> w = {1.5, -0.25, 0, 7};
  Fit recorded, now;
  keep_parameters(recorded, w);
  for (std::size_t j = 0; j < w.size(); ++j) {
    std::vector<double> changed = w;
    changed[j] = std::nextafter(changed[j], 8.0);
    keep_parameters(now, changed);
    EXPECT_FALSE(differences(now, recorded, true).empty()) << j;
  }
}

}  // namespace
}  // namespace s3gd::golden
