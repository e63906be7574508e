#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "problem/newton.hpp"
#include "problem/reference_cache.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr int kProxSteps = 3;  // between Newton steps: lets coordinates enter and leave
constexpr int kPatience = 6;   // rounds without a better certificate before rounding is taken to be reached

class Search {
 public:
  Search(const Problem& problem, const OptimumOptions& options)
      : problem_(problem), options_(options), newton_(problem, start_of(problem, options)) {}

  Optimum run() {
    keep();
    while (!done()) {
      ++best_.iterations;
      round();
      keep();
      stopped_ = options_.keep_going && !options_.keep_going(best_.w, best_.certificate);
    }
    best_.method = newton_.direct() ? "newton" : "newton-cg";
    if (!newton_.smooth()) best_.method = "prox-" + best_.method;
    return best_;
  }

 private:
  static std::vector<double> start_of(const Problem& problem, const OptimumOptions& options) {
    if (options.start.empty()) return std::vector<double>(static_cast<std::size_t>(problem.dim()), 0.0);
    if (static_cast<Index>(options.start.size()) != problem.dim())
      throw Error("the start has " + std::to_string(options.start.size()) + " numbers, expected " +
                  std::to_string(problem.dim()));
    return options.start;
  }

  void round() {
    // Conjugate gradients solve as exactly as the point deserves: superlinear, and cheap far away.
    const double gap = best_.certificate.relative_gap;
    const double accuracy = std::clamp(0.1 * std::sqrt(gap), 1e-9, 0.1);
    if (!newton_.smooth() && !newton_.coordinate_step())
      for (int step = 0; step < kProxSteps && newton_.prox_step(); ++step) continue;
    newton_.newton_step(accuracy);
  }

  void keep() {
    const Certificate certificate = certify(problem_, newton_.w());
    const bool better = best_.w.empty() || certificate.relative_gap < best_.certificate.relative_gap;
    const bool progress = best_.w.empty() || certificate.relative_gap < 0.9 * best_.certificate.relative_gap ||
                          newton_.objective() < lowest_ - 1e-13 * std::abs(lowest_);
    idle_ = progress ? 0 : idle_ + 1;
    lowest_ = best_.w.empty() ? newton_.objective() : std::min(lowest_, newton_.objective());
    if (!better) return;
    best_.w = newton_.w();
    best_.objective = certificate.primal;
    best_.certificate = certificate;
  }

  bool done() const {
    return best_.certificate.relative_gap <= options_.tol || best_.iterations >= options_.max_iterations ||
           idle_ >= kPatience || interrupted() || stopped_ ||
           (options_.max_seconds > 0 && clock_.wall_seconds() > options_.max_seconds);
  }

  const Problem& problem_;
  const OptimumOptions& options_;
  Newton newton_;
  RunClock clock_;
  Optimum best_;
  double lowest_ = 0;
  int idle_ = 0;
  bool stopped_ = false;
};

}  // namespace

Optimum solve_reference(const Problem& problem, const OptimumOptions& options) {
  if (options.cache_folder.empty()) return Search(problem, options).run();
  const ReferenceCache cache(problem, options.cache_folder);
  if (auto known = cache.load(); known && known->certificate.relative_gap <= options.tol) return *std::move(known);
  Optimum found = Search(problem, options).run();
  cache.store(found);
  return found;
}

}  // namespace s3gd
