#include "select/null_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "problem/constant_model.hpp"
#include "problem/full_pass.hpp"
#include "problem/newton.hpp"
#include "problem/penalty.hpp"
#include "s3gd/path.hpp"

namespace s3gd {
namespace {

constexpr double kOverwhelming = 1e30;  // a lambda under which nothing that is penalised moves
constexpr int kMostSteps = 100;
constexpr int kPatience = 4;     // steps without smaller slopes before they are taken to be rounding, ...
constexpr double kFalls = 1e-6;  // ... nor a loss smaller by this share

std::vector<Index> unpenalised_features(const Problem& problem) {
  const Penalty penalty(problem);
  std::vector<Index> found;
  for (Index j = 0; j < problem.cols(); ++j)
    if (penalty.l1_of(j) == 0 && penalty.l2_of(j) == 0 && !penalty.in_norm(j)) found.push_back(j);
  return found;
}

NullModel seen_at(const Problem& problem, std::vector<double> w) {
  NullModel model;
  model.w = std::move(w);
  model.gradient.resize(model.w.size());
  model.loss = loss_and_gradient(problem, model.w, model.gradient);
  return model;
}

// Newton's method under an overwhelming penalty, until the slopes of what is free stop falling: they are rounding then.
NullModel fit_features(const Problem& problem, std::vector<double> start, std::vector<Index> free) {
  if (problem.spec().intercept == Intercept::free) free.push_back(problem.cols());
  const Problem overwhelmed = with_lambda(problem, kOverwhelming);
  Newton newton(overwhelmed, std::move(start));
  NullModel best;
  double least = std::numeric_limits<double>::infinity(), lowest = least;
  int idle = 0;
  for (int step = 0; step < kMostSteps && idle < kPatience; ++step) {
    NullModel here = seen_at(problem, newton.w());
    double slope = 0;
    for (const Index j : free) slope = std::max(slope, std::abs(here.gradient[at(j)]));
    const bool falls = here.loss < (1 - kFalls) * lowest;  // slopes may well grow meanwhile, where curvature has steps
    idle = slope < 0.5 * least || falls ? 0 : idle + 1;
    lowest = std::min(lowest, here.loss);
    if (slope < least) {
      best = std::move(here);
      least = slope;
    }
    if (slope == 0 || !newton.newton_step(1e-12)) break;
  }
  return best;
}

}  // namespace

NullModel fit_null_model(const Problem& problem) {
  std::vector<double> w(at(problem.dim()), 0.0);
  if (problem.spec().intercept == Intercept::free) w.back() = best_constant(problem, 0).b;
  std::vector<Index> free = unpenalised_features(problem);
  return free.empty() ? seen_at(problem, std::move(w)) : fit_features(problem, std::move(w), std::move(free));
}

}  // namespace s3gd
