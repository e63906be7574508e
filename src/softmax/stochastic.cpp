#include "softmax/stochastic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/random.hpp"
#include "model/quick_step.hpp"
#include "softmax/class_iterate.hpp"
#include "softmax/propagated.hpp"

namespace s3gd {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr Index kInner = 20;  // steps between snapshots
constexpr Index kBatchesPerLesson = 4;
constexpr int kMostRetries = 4;  // of a step that was not the user's own choice
constexpr double kRetryFactor = 0.2;
constexpr double kMultiplied = 3;  // losses of batches against those before: the step is too long
constexpr Index kGoodEvery = 10;   // snapshots between two that are kept to come back to

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// 1/L(p) of one class against the rest has curvature 1/4 where softmax has 1/2.
double automatic_step(const SoftmaxProblem& problem, Index batch, std::uint64_t seed) {
  ProblemSpec spec;
  spec.positive = "largest";
  spec.intercept = problem.spec().intercept;
  spec.penalty.lambda = problem.spec().penalty.lambda;
  spec.threads = problem.spec().threads;
  return 0.5 * quick_step(Problem(problem.data(), spec), batch, seed);
}

// Rows in a fresh random order every pass.
class RowStream {
 public:
  RowStream(Index rows, Rng& rng) : rng_(rng), order_(at(rows)) { std::iota(order_.begin(), order_.end(), Index{0}); }

  Index ahead(std::size_t k) {  // the row k places on
    while (next_ + k >= coming_.size()) {
      coming_.erase(coming_.begin(), coming_.begin() + static_cast<std::ptrdiff_t>(next_));
      next_ = 0;
      rng_.shuffle(order_);
      coming_.insert(coming_.end(), order_.begin(), order_.end());
    }
    return coming_[next_ + k];
  }
  void advance(Index count) { next_ += at(count); }
  void state(Archive& a) { a(order_, coming_, next_); }

 private:
  Rng& rng_;
  std::vector<Index> order_, coming_;
  std::size_t next_ = 0;
};

template <class View>
class Run {
 public:
  using T = typename View::Value;

  Run(const StochasticInput& input, const View& x, std::vector<double> start, Progress& progress)
      : input_(input),
        problem_(input.problem),
        x_(x),
        progress_(progress),
        rng_(input.options.seed, 1),
        stream_(problem_.rows(), rng_),
        iterate_(problem_, x),
        batch_(std::min(input.options.batch, problem_.rows())),
        rows_to_draw_(input.passes * static_cast<double>(problem_.rows())),
        next_look_(static_cast<double>(problem_.rows())) {
    good_ = std::move(start);
    good_.resize(at(problem_.dim()), 0.0);
    GraphOptions graph = input.options.graph;
    graph.seed = input.options.seed;
    graph.threads = problem_.spec().threads;
    control_.emplace(problem_, graph, input.options.control, input.graph);
    end_.step = input.options.step > 0 ? input.options.step : automatic_step(problem_, batch_, input.options.seed);
  }

  StochasticEnd run() {
    for (bool resumes = input_.resumed != nullptr;; ++attempt_, resumes = false) {
      if (resumes)
        read_state(*input_.resumed);
      else
        begin_attempt();
      end_.diverged = !steps(resumes);
      if (!end_.diverged || input_.options.step > 0 || attempt_ == kMostRetries) break;
      end_.step *= kRetryFactor;
    }
    if (end_.diverged) {
      end_.w = good_;
      end_.why = "diverged";
    }
    end_.passes = rows_drawn_ / static_cast<double>(problem_.rows());
    return std::move(end_);
  }

 private:
  void begin_attempt() {
    iterate_.assign(good_);
    level_ = -1;
    loss_ = 0;
    losses_ = averaged_ = 0;
    average_.clear();
    next_snapshot_ = end_.iterations;
    snapshots_ = 0;
  }

  void state(Archive& a) {
    a(rng_, stream_, iterate_, *control_, good_, average_, batches_, losses_, averaged_, attempt_);
    a(next_snapshot_, snapshots_, next_look_, next_certificate_, rows_drawn_, loss_, level_);
    a(end_.iterations, end_.step, end_.inner, end_.certificate);
  }
  void read_state(Archive& from) {
    state(from);
    from.expect_end();
  }

  // Steps between snapshots, so that a drift of m vectors costs no more than the steps.
  Index inner() const {
    if (input_.options.inner > 0) return input_.options.inner;
    if (problem_.x().is_dense()) return kInner;
    const double row = static_cast<double>(problem_.x().stored()) / static_cast<double>(problem_.rows()) + 1;
    const double drift = static_cast<double>(control_->drift_vectors() * problem_.cols());
    return std::max(kInner, static_cast<Index>(std::ceil(drift / (row * static_cast<double>(batch_)))));
  }

  void snapshot() {
    const Index until = inner() * batch_;
    end_.inner = inner();
    if (const Index wanted = control_->rows_wanted(until); wanted > 0) {
      std::vector<Index> rows(at(wanted));
      for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = stream_.ahead(k);
      control_->coming(rows, until);
    }
    const std::vector<Index>& anchors = control_->anchor_rows();
    std::vector<T> u(anchors.size() * at(iterate_.width()));
    iterate_.margins(anchors, u.data());
    std::vector<double> margins;
    for (std::size_t j = 0; j < anchors.size(); ++j)
      for (Index k = 0; k < problem_.classes(); ++k)
        margins.push_back(static_cast<double>(u[j * at(iterate_.width()) + at(k)]));
    control_->snapshot(margins);
    iterate_.set_drift(control_->drift());
  }

  // One step; false when its numbers make no sense.
  bool step() {
    const Index classes = problem_.classes(), width = iterate_.width();
    rows_.resize(at(batch_));
    for (std::size_t b = 0; b < rows_.size(); ++b) rows_[b] = stream_.ahead(b);
    stream_.advance(batch_);
    u_.resize(at(batch_ * width));
    log_sums_.resize(at(batch_));
    propagated_.resize(at(classes));
    slopes_.resize(at(classes));
    iterate_.margins(rows_, u_.data());
    own_.resize(at(batch_));
    for (std::size_t b = 0; b < rows_.size(); ++b)
      own_[b] = static_cast<double>(u_[b * at(width) + at(problem_.targets()[at(rows_[b])])]);
    kernel::softmax_rows(batch_, classes, width, u_.data(), log_sums_.data());
    const bool lesson = control_->learns() && batches_++ % kBatchesPerLesson == 0;
    const double per_row = static_cast<double>(problem_.rows()) / static_cast<double>(batch_);
    double loss = 0;
    for (std::size_t b = 0; b < rows_.size(); ++b) {
      const double weight = problem_.weight(rows_[b]) * per_row;
      loss += weight * (log_sums_[b] - own_[b]);
      T* p = u_.data() + b * at(width);
      p[problem_.targets()[at(rows_[b])]] -= T(1);
      control_->propagate(rows_[b], propagated_.data());
      if (lesson) {
        for (Index k = 0; k < classes; ++k) slopes_[at(k)] = static_cast<double>(p[k]);
        control_->learn(weight * weight * (row_square(x_, rows_[b]) + (problem_.has_intercept() ? 1.0 : 0.0)),
                        slopes_.data(), propagated_.data());
      }
      for (Index k = 0; k < classes; ++k)
        p[k] = static_cast<T>(weight) * (p[k] - static_cast<T>(control_->share() * propagated_[at(k)]));
    }
    if (level_ < 0) level_ = loss;
    if (!std::isfinite(loss)) return false;
    loss_ += loss;
    ++losses_;
    iterate_.step(end_.step, rows_, u_.data());
    rows_drawn_ += static_cast<double>(batch_);
    ++end_.iterations;
    return true;
  }

  // Whether the losses of batches since the last snapshot are of the size they were at the start; a low one may be luck.
  bool is_sane() {
    if (losses_ == 0) return true;
    const double mean = loss_ / static_cast<double>(losses_);
    if (!(mean <= kMultiplied * level_)) return false;
    level_ = std::max(level_, mean);
    loss_ = 0;
    losses_ = 0;
    return true;
  }

  void add_to_average() {
    if (rows_drawn_ < 0.5 * rows_to_draw_) return;
    now_.resize(good_.size());
    iterate_.read(now_);
    average_.resize(good_.size(), 0.0);
    const double share = 1.0 / static_cast<double>(++averaged_);
    for (std::size_t j = 0; j < now_.size(); ++j) average_[j] += share * (now_[j] - average_[j]);
  }

  bool spent() const {
    return rows_drawn_ >= rows_to_draw_ ||
           (input_.options.iterations > 0 && end_.iterations >= input_.options.iterations);
  }

  bool ended() {
    const bool whole_pass = rows_drawn_ >= next_look_;
    if (!spent() && !whole_pass) return progress_.must_stop();
    now_.resize(good_.size());
    iterate_.read(now_);
    double gap = kNotANumber;
    if (input_.certifies && whole_pass) {
      // Validation rows are looked at after every pass, the certificate costs more.
      const auto pass = static_cast<double>(problem_.rows());
      next_look_ = input_.options.patience > 0 ? rows_drawn_ + pass : 2 * rows_drawn_;
      if (rows_drawn_ >= next_certificate_) {
        next_certificate_ = 2 * rows_drawn_;
        end_.certificate = certify(problem_, now_);
        gap = end_.certificate.relative_gap;
        if (gap <= input_.options.tol) return true;
      }
    }
    const bool goes_on = progress_.moved(now_, rows_drawn_ / static_cast<double>(problem_.rows()), kNotANumber, gap);
    return spent() || !goes_on;
  }

  // Before a snapshot; false when the numbers make no sense. A run that resumes has done this.
  bool look_back(bool& ends) {
    if (!is_sane()) return false;
    if (snapshots_++ % kGoodEvery == 0) iterate_.read(good_);
    add_to_average();
    ends = ended();
    const bool stopping = ends && progress_.must_stop();
    if (input_.keep && !spent() && (!ends || stopping)) input_.keep([this](Archive& a) { state(a); }, stopping);
    return true;
  }

  bool steps(bool resumes) {
    for (;; resumes = false) {
      if (end_.iterations == next_snapshot_) {
        bool ends = false;
        if (!resumes && !look_back(ends)) return false;
        if (ends) return finish();
        snapshot();
        next_snapshot_ += inner();
      }
      if (!step()) return false;
    }
  }

  bool finish() {
    end_.w.resize(good_.size());
    iterate_.read(end_.w);
    if (!average_.empty() && (!input_.certifies || objective(problem_, average_) < objective(problem_, end_.w)))
      end_.w = average_;
    end_.certificate.relative_gap = kNotANumber;
    end_.why = progress_.must_stop() ? "stopped" : "budget used up";
    return true;
  }

  const StochasticInput& input_;
  const SoftmaxProblem& problem_;
  const View& x_;
  Progress& progress_;
  Rng rng_;
  RowStream stream_;
  ClassIterate<View> iterate_;
  std::optional<PropagatedClasses> control_;
  Index batch_, batches_ = 0, losses_ = 0, averaged_ = 0, next_snapshot_ = 0, snapshots_ = 0;
  int attempt_ = 0;
  double rows_to_draw_, next_look_, next_certificate_ = 0, rows_drawn_ = 0, loss_ = 0, level_ = -1;
  std::vector<Index> rows_;
  std::vector<T> u_;
  std::vector<double> log_sums_, own_, propagated_, slopes_, good_, now_, average_;
  StochasticEnd end_;
};

}  // namespace

StochasticEnd run_stochastic(const StochasticInput& input, std::vector<double> start, Progress& progress) {
  return input.problem.x().visit([&](const auto& x) { return Run(input, x, std::move(start), progress).run(); });
}

}  // namespace s3gd
