// The pages of a path and of a cross-validation.
#pragma once

#include <string>
#include <vector>

#include "report/document.hpp"
#include "s3gd/path.hpp"

namespace s3gd::report {

struct PathPage {
  std::string source;                      // where the rows came from
  std::string formula;                     // at the chosen lambda
  Index cols = 0;                          // weights, without the intercept
  std::vector<std::string> feature_names;  // or empty
  std::size_t chosen = 0;
  double seconds = 0;
  Index outputs = 1;  // vectors of weights: see PathPoint::w
};

Document path_document(const Path& path, const PathPage& about);
Document cross_validation_document(const CrossValidation& result, const PathPage& about);
std::string path_page(const Path& path, const PathPage& about);
std::string cross_validation_page(const CrossValidation& result, const PathPage& about);

}  // namespace s3gd::report
