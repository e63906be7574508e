// s3gd inspect MODEL: what a model predicts, how it was fitted, and its largest weights.
#pragma once

#include "command.hpp"

namespace s3gd::app {

// top: how many weights of each output are shown.
void inspect_model(const std::string& path, Index top, const Common& common);

// "3 classes: a, b, c", of many the first.
std::string list_classes(std::vector<std::string> classes);

}  // namespace s3gd::app
