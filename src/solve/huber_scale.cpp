#include "solve/huber_scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "problem/constant_model.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"
#include "problem/penalty.hpp"
#include "s3gd/error.hpp"
#include "solve/huber_search.hpp"

namespace s3gd {
namespace {

constexpr Index kMostColumns = 2500;    // whose Hessian's factor takes a second
constexpr int kMostFits = 60;           // a guard
constexpr int kFitsWithoutGain = 3;     // fits without a smaller gap before rounding is taken to be reached
constexpr double kFirstTol = 1e-4;      // relative gaps of fits at a sigma: the first, ...
constexpr double kTolOfGap = 1e-2;      // ... those after it as a share of the gap so far, ...
constexpr double kTolOfAll = 0.1;       // ... and the last as a share of what is asked for
constexpr int kMostTurns = 30;          // of sigma and intercept, until neither changes by more than ...
constexpr double kSettled = 1e-14;      // ... this share of sigma
constexpr double kSmallestTol = 1e-15;  // none is smaller
constexpr double kProgress = 1e-12;     // of the objective, at least, unless the gap is smaller
constexpr double kNear = 0.3;           // of log sigma: secants from here on
constexpr double kLeast = 1e-13;        // of the largest target: a sigma that is as good as zero

class ScaleSearch {
 public:
  ScaleSearch(const Problem& problem, const SolveOptions& options, const SolveInput& input)
      : problem_(problem),
        options_(options),
        epsilon_(problem.spec().loss.knee),
        scale_(problem),
        least_(scale_.least()),
        loss_(problem.spec().loss),
        errors_(at(problem.rows())) {
    input_.watch = input.watch;
  }

  ScaledSolution run() {
    see_errors(options_.start.empty() ? squared_fit() : options_.start);
    double sigma = settle(), last = 0, last_change = 0;
    double gap = std::numeric_limits<double>::infinity(), least = gap;
    for (int fit = 0, idle = 0; fit < kMostFits && idle < kFitsWithoutGain; ++fit) {
      const double tol = std::max({kTolOfAll * options_.tol, std::min(kFirstTol, kTolOfGap * gap), kSmallestTol});
      const Status status = fit_at(sigma, tol);
      see_errors(now_.w);
      const std::vector<double> fitted = errors_;
      const double own = settle(), change = std::log(own / sigma);
      keep(own, sigma, fitted);
      const Certificate& best = best_.solution.summary.certificate;
      idle = best.relative_gap < gap || best.primal < (1 - kProgress) * least ? 0 : idle + 1;
      gap = best.relative_gap;
      least = best.primal;
      if (status == Status::interrupted || status == Status::out_of_time || own <= least_) break;
      if (gap <= options_.tol && (!std::isnan(best.dual) || std::abs(change) <= options_.tol)) break;
      const double here = std::log(sigma), next = secant(here, change, last, last_change, fit);
      last = here;
      last_change = change;
      sigma = std::max(least_, std::exp(next));
    }
    conclude();
    return std::move(best_);
  }

 private:
  std::vector<double> squared_fit() {
    LossSpec squared;
    squared.kind = LossKind::squared;
    SolveOptions options = options_;
    options.solver = "auto";
    options.tol = kFirstTol;
    return taken(solve(problem_.with_loss(squared), options)).w;
  }

  Status fit_at(double sigma, double tol) {
    LossSpec loss = problem_.spec().loss;
    loss.knee = epsilon_ * sigma;
    PenaltySpec penalty = problem_.spec().penalty;
    penalty.lambda *= sigma;
    for (PenaltySpec& term : penalty.also) term.lambda *= sigma;
    SolveOptions options = options_;
    options.tol = tol;
    options.start = now_.w;
    now_ = taken(solve(problem_.with_loss(loss).with_penalty(penalty), options, input_));
    inner_ = now_.summary.certificate;
    return now_.summary.status;
  }

  // Adds up what fits cost.
  Solution taken(Solution fit) {
    passes_ += fit.summary.passes;
    iterations_ += fit.summary.iterations;
    seconds_ += fit.summary.solve_seconds;
    cpu_seconds_ += fit.summary.cpu_seconds;
    return fit;
  }

  void see_errors(const std::vector<double>& w) {
    now_.w = w;
    margins(problem_, w, errors_);
    for (std::size_t i = 0; i < errors_.size(); ++i) errors_[i] -= problem_.targets()[i];
  }

  // The best sigma for the errors, and a free intercept's best along with it: no pass is needed.
  double settle() {
    double sigma = scale_.best(errors_);
    if (problem_.spec().intercept != Intercept::free) return sigma;
    for (int turn = 0; turn < kMostTurns; ++turn) {
      const double by = sigma * best_shift(errors_, sigma);
      for (double& error : errors_) error += by;
      now_.w.back() += by;
      const double next = scale_.best(errors_);
      const bool settled = std::abs(by) + std::abs(next - sigma) <= kSettled * sigma;
      sigma = next;
      if (settled) break;
    }
    return sigma;
  }

  // Of the intercept, over sigma: where slopes have no mean.
  double best_shift(const std::vector<double>& errors, double sigma) const {
    const auto slopes_at = [&](double by) {
      SlopeSum sum;
      for (Index i = 0; i < problem_.rows(); ++i) {
        const Derivatives one = loss_.derivatives(errors[at(i)] / sigma + by, 0);
        sum.slope += problem_.weight(i) * one.slope;
        sum.curvature += problem_.weight(i) * one.curvature;
      }
      return sum;
    };
    return rising_zero(slopes_at, 0.0, 1.0);
  }

  // Where log(own sigma) - log sigma, twice seen, would be zero; from afar the own one, which is safe.
  static double secant(double here, double change, double last, double last_change, int fit) {
    const double step = -change * (here - last) / (change - last_change);
    const bool near = fit > 0 && std::abs(change) < kNear;
    return near && std::abs(step) < 5 * std::abs(change) && step * change > 0 ? here + step : here + change;
  }

  // The weights found at `sigma`, where the errors were `fitted`, with the scale and intercept they have since settled to.
  void keep(double own, double sigma, const std::vector<double>& fitted) {
    const Penalty penalty(problem_);
    Certificate found{.primal = scale_.objective(errors_, own) + penalty.value(std::span<const double>(now_.w))};
    const bool bound = penalty.prox_is_exact() && penalty.on_every_feature();
    found.kind = inner_.kind;
    found.dual = std::numeric_limits<double>::quiet_NaN();
    found.relative_gap = inner_.relative_gap;
    if (bound) {
      found.dual = dual_at(errors_, own, penalty);
      if (std::abs(std::log(own / sigma)) > kNear) found.dual = std::max(found.dual, dual_at(fitted, sigma, penalty));
      found.dual = std::min(found.dual, found.primal);
      found.relative_gap = (found.primal - found.dual) / std::max(found.primal, std::numeric_limits<double>::min());
    }
    const Certificate& best = best_.solution.summary.certificate;
    const bool better = bound ? found.relative_gap < best.relative_gap : found.primal < best.primal;
    if (!best_.solution.w.empty() && !better) return;
    best_ = {now_, own};
    best_.solution.summary.certificate = found;
  }

  // D at the slopes of these errors at the best intercept, all of them shortened as far as D asks for.
  double dual_at(const std::vector<double>& errors, double sigma, const Penalty& penalty) const {
    const bool free = problem_.spec().intercept == Intercept::free;
    const double by = free ? best_shift(errors, sigma) : 0.0;
    std::vector<double> v(errors.size()), z(at(problem_.dim()));
    double energy = 0, product = 0;
    for (Index i = 0; i < problem_.rows(); ++i) {
      const double q = problem_.weight(i), own = loss_.slope(errors[at(i)] / sigma + by, 0);
      energy += q * own * own / 4;
      product += q * own * problem_.targets()[at(i)];
      v[at(i)] = -q * own;
    }
    transpose_times(problem_, v, z);
    if (free) z.back() = 0;  // up to rounding it is
    const double scale = energy > 1 ? 1 / std::sqrt(energy) : 1;
    for (double& value : z) value *= scale;
    const double feasible = penalty.feasible_scale(z);
    for (double& value : z) value *= feasible;
    return -scale * feasible * product - penalty.conjugate(z);
  }

  void conclude() {
    Summary& summary = best_.solution.summary;
    summary.objective = summary.certificate.primal;
    summary.passes = passes_;
    summary.iterations = iterations_;
    summary.solve_seconds = seconds_;
    summary.cpu_seconds = cpu_seconds_;
    const bool done = summary.certificate.relative_gap <= options_.tol || best_.scale <= least_;
    if (done) summary.status = Status::converged;
    if (!done && summary.status == Status::converged) summary.status = Status::out_of_passes;
  }

  const Problem& problem_;
  const SolveOptions& options_;
  SolveInput input_;
  double epsilon_;
  ErrorScale scale_;
  double least_;
  Loss loss_;                   // in units of sigma
  std::vector<double> errors_;  // u - y at now_.w
  Solution now_;
  Certificate inner_;
  ScaledSolution best_;
  double passes_ = 0, seconds_ = 0, cpu_seconds_ = 0;
  Index iterations_ = 0;
};

}  // namespace

ErrorScale::ErrorScale(const Problem& problem) : loss_(problem.spec().loss), epsilon_(problem.spec().loss.knee) {
  for (Index i = 0; i < problem.rows(); ++i) q_.push_back(problem.weight(i));
  double largest = 0;
  for (const double y : problem.targets()) largest = std::max(largest, std::abs(y));
  least_ = std::max(10 * std::numeric_limits<double>::epsilon(), kLeast * largest);
}

// sum_i q_i min(t r_i^2, epsilon^2) = 1 at t = 1 / sigma^2. The left side is concave in t and grows: Newton from below
// never goes too far.
double ErrorScale::best(std::span<const double> errors) const {
  const double far = epsilon_ * epsilon_;
  double t = 0;
  for (int step = 0; step < 100; ++step) {
    double inside = 0, outside = 0;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      const double square = errors[i] * errors[i];
      const bool line = t * square > far;
      (line ? outside : inside) += q_[i] * (line ? 1.0 : square);
    }
    const double next = (1 - far * outside) / inside;
    if (!(next > t * (1 + 1e-15))) break;
    t = next;
  }
  return std::isfinite(t) && t > 0 ? std::max(least_, 1 / std::sqrt(t)) : least_;
}

double ErrorScale::objective(std::span<const double> errors, double sigma) const {
  double sum = sigma;
  for (std::size_t i = 0; i < q_.size(); ++i) sum += q_[i] * sigma * loss_.value(errors[i] / sigma, 0);
  return sum;
}

ScaledSolution solve_with_scale(const Problem& problem, const SolveOptions& options, const SolveInput& input) {
  if (problem.spec().loss.kind != LossKind::huber)
    throw Error("the scale of the errors is found with the loss huber alone", "use the loss huber");
  if (problem.spec().loss.knee < 1) throw Error("epsilon is below 1", "give 1 or more");
  if (options.solver == "auto" && Penalty(problem).smooth() && problem.dim() <= kMostColumns) {
    HuberSearch search(problem, options, input);
    search.journal.begin_stage("newton");
    if (!search.by_newton()) search.by_interior_point();
    return search.conclude();
  }
  return ScaleSearch(problem, options, input).run();
}

}  // namespace s3gd
