// The page of one run: how it went, what it is worth, what it was asked to do.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/document.hpp"
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

}  // namespace s3gd::report
