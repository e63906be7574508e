// Uses the library as a stranger would: public headers only. Loads, fits, and is refused with a reason.
#include <s3gd/dataset.hpp>
#include <s3gd/error.hpp>
#include <s3gd/problem.hpp>

#include <iostream>

int main() {
  const s3gd::Dataset data = s3gd::load("gen:manifold?rows=500&cols=10");
  const s3gd::Problem problem(data, {.penalty = {.lambda = 1e-2}});
  const s3gd::Optimum fit = s3gd::solve_reference(problem, {.tol = 1e-6});
  std::cout << problem.formula() << ": " << fit.objective << '\n';
  if (!(fit.certificate.relative_gap < 1e-6)) return 1;
  try {
    s3gd::load("a-file-that-is-not-there");
  } catch (const s3gd::Error& error) {
    std::cout << "refused: " << error.what() << '\n';
    return 0;
  }
  return 1;
}
