#include "reproduce/complexity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reproduce/criteria.hpp"

namespace s3gd::reproduce {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Sample {
  Shape shape;
  double seconds = 0;
};

double value_of(const Shape& shape, const std::string& by) {
  if (by == "n") return shape.n;
  if (by == "d") return shape.d;
  if (by == "m") return shape.m;
  return by == "p" ? shape.p : shape.k_in;
}

Shape shape_of(const ResultSet& set, const std::string& solver) {
  Shape shape;
  shape.n = static_cast<double>(set.rows);
  shape.d = static_cast<double>(set.cols);
  shape.k_in = solver == "svrg" ? 50 : 20;
  return shape;
}

// Sets that differ in `by` alone, the other side being that of most sets.
std::vector<Sample> over_sets(const Results& results, const std::string& solver, const std::string& by) {
  std::vector<double> others;
  for (const ResultSet& set : results.sets) others.push_back(static_cast<double>(by == "n" ? set.cols : set.rows));
  const auto most = std::max_element(others.begin(), others.end(), [&](double a, double b) {
    return std::count(others.begin(), others.end(), a) < std::count(others.begin(), others.end(), b);
  });
  std::vector<Sample> samples;
  for (std::size_t k = 0; k < others.size(); ++k)
    if (others[k] == *most)
      samples.push_back({shape_of(results.sets[k], solver), iteration_seconds(results, results.sets[k], solver)});
  return samples;
}

std::vector<Sample> over_labels(const Results& results, const std::string& solver, const std::string& by) {
  std::vector<Sample> samples;
  for (const ResultSet& set : results.sets)
    for (const std::string& label : results.labels()) {
      const double value = criteria::number_in_label(label, by);
      const double seconds = iteration_seconds(results, set, label);
      if (std::isnan(value) || std::isnan(seconds) || !label.starts_with(solver + " ")) continue;
      Shape shape = shape_of(set, solver);
      (by == "m" ? shape.m : by == "p" ? shape.p : shape.k_in) = value;
      samples.push_back({shape, seconds});
    }
  return samples;
}

}  // namespace

double formula_cost(const std::string& solver, const Shape& s) {
  if (solver == "sgd" || solver == "ssgd") return s.p * s.d;
  if (solver == "svrg") return s.p * s.d + s.n / s.k_in * s.d;
  if (solver == "scv") return s.p * s.d + s.d * s.d;
  if (solver == "s3gd") return s.p * s.d + s.m / s.k_in * s.d + s.p * (s.k + s.d);
  return std::nan("");
}

std::vector<FittedExponent> fit_exponents(const Json& rule, const Results& results) {
  std::vector<FittedExponent> cells;
  for (const Json& row : rule.at("vary"))
    for (const auto& solver : row.at("solvers").get<std::vector<std::string>>()) {
      FittedExponent cell;
      cell.solver = solver;
      cell.by = row.at("by").get<std::string>();
      std::vector<double> formula;
      for (const Sample& sample : cell.by == "n" || cell.by == "d" ? over_sets(results, solver, cell.by)
                                                                   : over_labels(results, solver, cell.by)) {
        if (value_of(sample.shape, cell.by) > row.value("at_most", kNoLimit)) continue;
        cell.at.push_back(value_of(sample.shape, cell.by));
        cell.seconds.push_back(sample.seconds);
        formula.push_back(formula_cost(solver, sample.shape));
      }
      cell.formula = fitted_exponent(cell.at, formula);
      cell.measured = fitted_exponent(cell.at, cell.seconds);
      cells.push_back(std::move(cell));
    }
  return cells;
}

}  // namespace s3gd::reproduce
