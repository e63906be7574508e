#include "ovr/newton.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "finish/curvature_sample.hpp"
#include "model/certificate.hpp"
#include "ovr/class_search.hpp"

namespace s3gd {
namespace {

constexpr double kNearEnough = 1e-6;  // relative decrease expected of a step below which float no longer resolves it
constexpr Index kFirstSample = 2000;
constexpr double kGrowth = 3;         // of a sample to the next
constexpr double kLastSample = 0.35;  // of the rows: beyond, all rows gain more
constexpr int kStepsPerSample = 2;
constexpr double kHessianShare = 0.1;  // of the rows, in the first Hessians over all of them
constexpr double kRowsPerFeature = 2;  // in the preconditioner

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

using State = ClassSearch::State;

std::vector<double> ridge_of(const Problem& problem) {
  const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
  std::vector<double> ridge;
  for (Index j = 0; j < penalty.dim(); ++j) ridge.push_back(2.0 * penalty.l2_of(j));
  return ridge;
}

class Together {
 public:
  Together(const TogetherInput& input, std::vector<std::vector<double>> starts, std::span<Progress* const> progress)
      : input_(input),
        rows_(input.problems[0].rows()),
        hessians_(input.problems[0], ridge_of(input.problems[0]), [this] { return stopped(); }),
        rng_(input.seed, 5) {
    classes_.reserve(starts.size());
    for (std::size_t k = 0; k < starts.size(); ++k)
      classes_.emplace_back(input.problems[k], input.tol, std::move(starts[k]), *progress[k]);
  }

  std::vector<Finish> run() {
    if (input_.climbs) climb();
    descend();
    std::vector<Finish> finishes;
    for (ClassSearch& one : classes_) finishes.push_back(one.take_result());
    return finishes;
  }

 private:
  template <class Wanted>
  std::vector<ClassSearch*> those(Wanted&& wanted) {
    std::vector<ClassSearch*> chosen;
    for (ClassSearch& one : classes_)
      if (wanted(one)) chosen.push_back(&one);
    return chosen;
  }
  std::vector<ClassSearch*> those_in(State state) {
    return those([&](const ClassSearch& one) { return one.state() == state; });
  }
  std::vector<ClassSearch*> searching() {
    return those([](const ClassSearch& one) { return one.searching(); });
  }
  bool stopped() const {
    return std::all_of(classes_.begin(), classes_.end(),
                       [](const ClassSearch& one) { return !one.searching() || one.must_stop(); });
  }

  Index row_count() const { return sample_.empty() ? rows_ : static_cast<Index>(sample_.size()); }

  // One pass over the present rows for some of the classes, each where it wants to be seen.
  void look(std::span<ClassSearch* const> classes) {
    std::vector<ClassPass> passes;
    for (ClassSearch* one : classes) passes.push_back(one->pass(row_count()));
    sum_rows_together(passes, sample_, arithmetic_);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      classes[c]->take_pass(passes[c], arithmetic_);
      classes[c]->count_passes(static_cast<double>(row_count()) / static_cast<double>(rows_));
    }
  }

  void precondition(std::span<ClassSearch* const> classes) {
    std::vector<ClassCurvature> curvatures;
    for (const ClassSearch* one : classes) curvatures.push_back(one->curvature());
    const auto sample = static_cast<Index>(kRowsPerFeature * static_cast<double>(input_.problems[0].dim()));
    hessians_.precondition(curvatures, sample_, sample, rng_);
  }

  // New directions for those that have just reached a point.
  void aim(Index hessian_rows) {
    const std::vector<ClassSearch*> fresh = those_in(State::fresh);
    if (fresh.empty()) return;
    std::vector<ClassCurvature> curvatures;
    std::vector<StepMemory::Halfway> halves;
    std::vector<std::vector<double>> v;
    for (const ClassSearch* one : fresh) {
      curvatures.push_back(one->curvature());
      halves.push_back(one->before_metric());
      v.push_back(std::move(halves.back().v));
    }
    hessians_.build(curvatures, sample_, hessian_rows, rng_);
    const std::vector<Index> products = hessians_.solve(v);
    const double rows = static_cast<double>(hessians_.sample()) / static_cast<double>(rows_);
    for (std::size_t c = 0; c < fresh.size(); ++c) {
      halves[c].v = std::move(v[c]);
      fresh[c]->count_passes(rows * static_cast<double>(products[c]));
      const bool down = fresh[c]->set_direction(std::move(halves[c]));
      if (down && fresh[c]->expected_decrease() < kNearEnough) arithmetic_ = Arithmetic::exact;
    }
  }

  void certify_waiting();
  void climb();
  void descend();

  const TogetherInput& input_;
  Index rows_;
  ClassHessians hessians_;
  Rng rng_;
  std::vector<ClassSearch> classes_;
  std::vector<Index> sample_;  // rows looked at; empty = all
  Arithmetic arithmetic_ = Arithmetic::data;
};

// Samples that grow, two steps on each.
void Together::climb() {
  const auto last = static_cast<Index>(kLastSample * static_cast<double>(rows_));
  const LazyShuffle shuffle(rows_, rng_);
  for (Index size = kFirstSample; size <= last; size = static_cast<Index>(kGrowth * static_cast<double>(size))) {
    sample_.resize(at(size));
    for (Index r = 0; r < size; ++r) sample_[at(r)] = shuffle(r);
    std::sort(sample_.begin(), sample_.end());
    for (ClassSearch* one : searching()) one->begin_rows();
    std::vector<ClassSearch*> active = searching();
    if (active.empty()) return;
    look(active);
    precondition(active);
    for (int taken = 0; taken < kStepsPerSample; ++taken) {
      aim(std::max<Index>(kFirstSample, size / 3));
      const std::vector<ClassSearch*> trying = those_in(State::trying);
      if (trying.empty()) break;
      look(trying);
    }
    for (ClassSearch& one : classes_) {
      if (one.state() == State::stuck) one.begin_rows();
      if (one.searching()) one.report(input_.max_iterations, false);
    }
  }
  sample_.clear();
}

void Together::certify_waiting() {
  const std::vector<ClassSearch*> waiting = those([](const ClassSearch& one) { return one.waiting(); });
  std::vector<std::vector<double>> margins(waiting.size()), gradients(waiting.size());
  std::vector<ClassPass> passes;
  for (std::size_t c = 0; c < waiting.size(); ++c) {
    margins[c].resize(at(rows_));
    gradients[c].resize(waiting[c]->w().size());
    passes.push_back({&waiting[c]->problem(), waiting[c]->w(), gradients[c], {margins[c], {}}});
  }
  sum_rows_together(passes, {}, Arithmetic::exact);
  bool exact = false;
  for (std::size_t c = 0; c < waiting.size(); ++c) {
    const Problem& problem = waiting[c]->problem();
    const std::span<const double> w = waiting[c]->w();
    RowsSeen seen{.loss = passes[c].sums.loss, .margins = margins[c], .gradient = gradients[c]};
    OfPositives positives;
    if (certificate_needs_positives(problem)) {
      positives = sum_positives(problem, w, seen.loss, gradients[c], SmallerClass(problem));
      seen.positives = &positives;
    }
    const Certificate certificate = certify_seen(problem, w, seen);
    exact = waiting[c]->take_certificate(certificate, seen.positives == nullptr ? 1.0 : 1.5) || exact;
  }
  if (!exact) return;
  arithmetic_ = Arithmetic::exact;
  for (ClassSearch* one : those_in(State::fresh)) one->begin_rows();
  look(those_in(State::fresh));
}

void Together::descend() {
  for (ClassSearch* one : searching()) one->begin_rows();
  if (searching().empty()) return;
  look(searching());
  precondition(searching());
  auto sample = static_cast<Index>(kHessianShare * static_cast<double>(rows_));
  sample = std::clamp<Index>(sample, std::min(rows_, kFirstSample), rows_);
  for (;;) {
    const std::vector<ClassSearch*> fresh = those_in(State::fresh);
    for (ClassSearch* one : fresh) one->report(input_.max_iterations, true);
    for (ClassSearch* one : those_in(State::trying))
      if (one->must_stop()) one->stop();
    if (searching().empty()) {
      certify_waiting();
      if (searching().empty()) return;
      continue;
    }
    const std::vector<ClassSearch*> next = those_in(State::fresh);
    const auto slow = std::count_if(next.begin(), next.end(), [](const ClassSearch* one) { return one->slow(); });
    if (slow > 0 && 2 * slow >= static_cast<Index>(next.size()) && sample < rows_) {
      sample = std::min(rows_, 2 * sample);
      precondition(next);
    }
    aim(sample);
    const std::vector<ClassSearch*> trying = those_in(State::trying);
    if (!trying.empty()) look(trying);
  }
}

}  // namespace

std::vector<Finish> finish_together(const TogetherInput& input, std::vector<std::vector<double>> starts,
                                    std::span<Progress* const> progress) {
  return Together(input, std::move(starts), progress).run();
}

}  // namespace s3gd
