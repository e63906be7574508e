// s3gd inspect MODEL: what a model predicts, how it was fitted, and its largest weights.
#pragma once

#include <string>

#include "command.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd::app {

// top: how many weights of each output are shown.
void inspect_model(const std::string& path, Index top, const Common& common);

}  // namespace s3gd::app
