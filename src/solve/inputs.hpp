// SolveInput as a solver of one kind of problem sees it: the test rows are that problem over them.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd {

template <class P>
struct InputOf {
  const Graph* graph = nullptr;
  const P* test = nullptr;
  std::function<bool(const TraceRow&)> watch = {};
};
using OneOutputInput = InputOf<Problem>;
using SoftmaxInput = InputOf<SoftmaxProblem>;

}  // namespace s3gd
