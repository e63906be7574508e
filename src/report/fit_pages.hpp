// The pages of fits: of one run, how it went, what it is worth, what it was asked to do; of a path and of a cross-validation.
#pragma once

#include <span>

#include "report/document.hpp"
#include "s3gd/path.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::report {

struct TrainPage {
  std::string source;                                      // where the rows came from
  std::vector<std::pair<std::string, std::string>> facts;  // data, problem, settings and times
  Words words = plain_words;                               // of the advice
};

// The trace may be that of several runs in turn, as of one class after the other: wherever its clock goes back, new curves
// begin.
Document train_document(const Summary& summary, std::span<const TraceRow> trace, const TrainPage& about);

struct PathPage {
  std::string source;                      // where the rows came from
  std::string formula;                     // at the chosen lambda
  Index cols = 0;                          // weights, without the intercept
  std::vector<std::string> feature_names;  // or empty
  std::size_t chosen = 0;
  double seconds = 0;
  Index outputs = 1;  // vectors of weights: see PathPoint::w
};

std::string path_page(const Path& path, const PathPage& about);
std::string cross_validation_page(const CrossValidation& result, const PathPage& about);

}  // namespace s3gd::report
