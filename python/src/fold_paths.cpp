// Paths over parts of the rows, side by side: what a cross-validation fits, left to others to judge.
#include "arrays.hpp"
#include "base/threads.hpp"
#include "calls.hpp"
#include "s3gd/error.hpp"
#include "s3gd/path.hpp"
#include "task_data.hpp"
#include "work.hpp"

namespace s3gd::python {
namespace {

struct Part {
  std::vector<Index> rows;
  std::vector<double> lambdas;
};

std::vector<Part> parts_of(const nb::list& folds, const nb::list& lambdas) {
  if (nb::len(folds) == 0 || nb::len(folds) != nb::len(lambdas))
    throw Error(std::to_string(nb::len(folds)) + " folds and " + std::to_string(nb::len(lambdas)) +
                " lists of lambdas");
  std::vector<Part> parts;
  for (std::size_t k = 0; k < nb::len(folds); ++k)
    parts.push_back({indices_of(folds[k], "a fold"), numbers_of(lambdas[k], "lambdas")});
  for (const Part& part : parts)
    if (part.lambdas.empty() || part.lambdas.size() != parts.front().lambdas.size())
      throw Error("the folds have " + std::to_string(parts.front().lambdas.size()) + " and " +
                  std::to_string(part.lambdas.size()) + " lambdas");
  return parts;
}

struct Fits {
  Coefficients coefficients;
  std::vector<double> gaps, passes;
};

// The rows of a part are kept no longer than its path takes.
Fits fit_part(const Dataset& data, const Part& part, const Settings& settings) {
  const Task task = task_of(take_rows(data, part.rows), settings);
  Fits fits;
  for (const PathPoint& point : solve_path(task, part.lambdas, settings.solve).points) {
    append(fits.coefficients, point.w, task);
    fits.gaps.push_back(point.certificate.relative_gap);
    fits.passes.push_back(point.passes);
  }
  return fits;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

nb::dict fold_paths(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options,
                    nb::list folds, nb::list lambdas) {
  const Settings settings = settings_of(spec, options);
  const Dataset data = dataset_of(x, y, sample_weight, settings);
  const std::vector<Part> parts = parts_of(folds, lambdas);
  const int threads = settings.task.problem.threads;
  std::vector<Fits> fits(parts.size());
  Work work(settings.on_interrupt);
  work.run([&] {
    if (settings.check) data.x.check(threads);
    parallel_for(static_cast<Index>(parts.size()), threads, [&](Index k) {
      const auto at = static_cast<std::size_t>(k);
      fits[at] = fit_part(data, parts[at], settings);
    });
  });

  const std::size_t points = parts.front().lambdas.size(), cols = static_cast<std::size_t>(data.cols());
  Fits all;
  for (const Fits& one : fits) {
    if (one.gaps.size() != points)
      throw Error("the cross-validation was cut short after " + std::to_string(one.gaps.size()) + " of " +
                      std::to_string(points) + " fits of a fold",
                  "allow more time");
    append(all.coefficients.weights, one.coefficients.weights);
    append(all.coefficients.intercepts, one.coefficients.intercepts);
    append(all.gaps, one.gaps);
    append(all.passes, one.passes);
  }
  const std::size_t outputs = all.coefficients.intercepts.size() / (parts.size() * points);
  nb::dict result;
  result["coef"] = array_from(std::move(all.coefficients.weights), {parts.size(), points, outputs, cols});
  result["intercept"] = array_from(std::move(all.coefficients.intercepts), {parts.size(), points, outputs});
  result["relative_gap"] = array_from(std::move(all.gaps), {parts.size(), points});
  result["passes"] = array_from(std::move(all.passes), {parts.size(), points});
  return result;
}

}  // namespace s3gd::python
