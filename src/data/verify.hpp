// Checks that wait until rows are used, and then run once whatever the number of threads that ask.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "data/format.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd {

std::shared_ptr<const Verifier> verify_once(std::function<void(int threads)> check, bool has_checksums);

// Throws, naming `name`, unless matrix, labels and weights are sound: sizes agree, every number is finite, classes are
// whole numbers (and have a name, if any has), weights are not negative.
void check_contents(const Dataset& data, const std::string& name, int threads);

// The part of it that concerns labels and weights.
void check_targets(const Dataset& data, const std::string& name);

}  // namespace s3gd
