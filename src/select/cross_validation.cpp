#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>

#include "base/clock.hpp"
#include "base/index.hpp"
#include "base/mention.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "kernel/kernel.hpp"
#include "s3gd/error.hpp"
#include "saved/score.hpp"
#include "select/folds.hpp"
#include "select/walk.hpp"

namespace s3gd {
namespace {

constexpr Index kMostProducts = 64 << 20;  // bytes

struct SmallClass {
  std::string name;
  Index rows;
};

// Classes with fewer rows than there are folds. Rows without weight do not count.
std::vector<SmallClass> small_classes(const Task& task, Index folds) {
  Model named;
  named.classes = task.classes();
  ClassFinder finder(named);
  const Dataset& data = task.data();
  std::vector<Index> rows(named.classes.size(), 0);
  finder.start(data.y);
  for (Index i = 0; i < data.rows(); ++i) {
    if (!data.weights.empty() && data.weights[i] == 0) continue;
    if (const Index k = finder.find(data.y, data.y.values[i]); k >= 0) ++rows[at(k)];
  }
  std::vector<SmallClass> small;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k] < folds) small.push_back({named.classes[k], rows[k]});
  return small;
}

// Rows of a class go to different folds as long as there are any, so that two are enough for every training set to
// have one. Metrics that rank rows of one class among those of the other want both in every fold.
void check_class(const SmallClass& small, ScoreKind metric, Index folds) {
  const std::string found = fmt::format("class {} has {} row{} for {} folds", class_mark(small.name), small.rows,
                                        small.rows == 1 ? "" : "s", folds);
  if (small.rows < 2)
    throw Error(found, "it cannot be fitted and judged by the same one: leave it out, or join it with another class");
  if (metric == ScoreKind::auc || metric == ScoreKind::average_precision)
    throw Error(found, fmt::format("the metric {} needs one of each class in every fold: use {}", name_of(metric),
                                   fewer("folds")));
}

// What is said about classes that some folds have no row of.
std::vector<Advice> check(const Task& task, const CrossValidationOptions& options) {
  check_metric(options.metric, task);
  // Splits that lack a class are refused when they are fitted.
  if (task.classes().empty() || !options.splits.empty()) return {};
  const std::vector<SmallClass> small = small_classes(task, options.folds);
  for (const SmallClass& one : small) check_class(one, options.metric, options.folds);
  if (small.empty()) return {};
  return {{AdviceCode::small_classes,
           fmt::format("{} of the classes {} fewer rows than there are folds (class {}: {}): some folds are judged "
                       "without it; {}, or more rows, tell more",
                       small.size(), small.size() == 1 ? "has" : "have", class_mark(small.front().name),
                       small.front().rows, fewer("folds")),
           {{"classes", static_cast<double>(small.size())}, {"rows", static_cast<double>(small.front().rows)}}}};
}

// All paths: the one on all rows, then one for each fold. They share nothing but the count of points done.
class Run {
 public:
  Run(const Task& task, const CrossValidationOptions& options)
      : task_(task),
        options_(options),
        folds_(options.splits.empty() ? Folds(task.data(), options.folds, options.solve.seed)
                                      : Folds(task.data(), options.splits)),
        products_(at(options.folds)),
        paths_(at(options.folds + 1)),
        scores_(at(options.folds)) {
    const Index paths = options.folds + 1;
    const Index threads = std::min<Index>(resolve_threads(task.threads()), paths);
    each_ = options.solve;
    each_.seconds = options.solve.seconds / static_cast<double>((paths + threads - 1) / threads);
  }

  // The products of columns over a training set are those of its folds added up: each fold's are summed once.
  void share_products() {
    const Index bytes = 8 * options_.folds * task_.dim() * task_.dim();
    if (!options_.splits.empty() || bytes > kMostProducts) return;
    parallel_for(options_.folds, task_.threads(),
                 [&](Index fold) { products_[at(fold)] = products_over(task_, folds_.held_out(fold)); });
  }

  void path(Index number) {
    if (number == 0) {
      paths_[0] = solve_path(task_, options_.lambdas, each_, [&](const PathPoint&) { return tell(); });
      return;
    }
    const Index fold = number - 1;
    const Task training = on_fold(task_, folds_.training(fold), products_without(fold));
    const HeldOut held_out(training, options_.metric, folds_.held_out(fold), products_[at(fold)]);
    Path& path = paths_[at(number)];
    path = solve_path_quietly(training, options_.lambdas, each_, [&](const PathPoint&) { return tell(); });
    scores_[at(fold)] = held_out.scores(path.points);
    path.points.clear();  // the status is all that is asked of it
  }

  const FoldScores& scores() const { return scores_; }
  Path& whole() { return paths_[0]; }

  // The worst of all paths: those that were cut short before those that missed a tolerance.
  Status status() const {
    Status worst = Status::converged;
    for (const Path& path : paths_)
      for (const Status bad : {Status::out_of_passes, Status::out_of_time, Status::interrupted})
        if (path.status == bad && (worst == Status::converged || bad != Status::out_of_passes)) worst = bad;
    return worst;
  }

 private:
  ColumnProducts products_without(Index fold) const {
    if (!products_[0]) return {};
    std::vector<double> sum(products_[0]->size(), 0.0);
    for (Index other = 0; other < options_.folds; ++other)
      if (other != fold) kernel::axpy(1.0, products_[at(other)]->data(), sum.data(), static_cast<Index>(sum.size()));
    return std::make_shared<const std::vector<double>>(std::move(sum));
  }

  bool tell() {
    if (!options_.watch) return true;
    const std::lock_guard lock(mutex_);
    go_on_ = options_.watch(++done_, (options_.folds + 1) * static_cast<Index>(options_.lambdas.size())) && go_on_;
    return go_on_;
  }

  const Task& task_;
  const CrossValidationOptions& options_;
  Folds folds_;
  SolveOptions each_;
  std::vector<ColumnProducts> products_;  // of each fold; null: not shared
  std::vector<Path> paths_;
  FoldScores scores_;
  std::mutex mutex_;
  Index done_ = 0;
  bool go_on_ = true;
};

constexpr std::uint64_t kStream = 17;

template <class T>
Array<T> slice(const Array<T>& whole, Index begin, Index end) {
  if (whole.empty()) return {};
  return Array<T>(whole.span().subspan(at(begin), at(end - begin)), whole.owner());
}

template <class T>
MatrixView slice(DenseView<T> view, Index begin, Index end) {
  view.values = view.row(begin);
  view.rows = end - begin;
  return view;
}

template <class T, class I>
MatrixView slice(CsrView<T, I> view, Index begin, Index end) {
  view.starts += begin;
  view.rows = end - begin;
  return view;
}

Dataset slice(const Dataset& whole, Index begin, Index end) {
  Dataset part = whole;
  part.x = Matrix(whole.x.visit([&](const auto& view) { return slice(view, begin, end); }), whole.x.owner());
  part.y.values = slice(whole.y.values, begin, end);
  part.weights = slice(whole.weights, begin, end);
  return part;
}

std::size_t folds_with(const FoldScores& scores, std::size_t lambdas) {
  return static_cast<std::size_t>(
      std::count_if(scores.begin(), scores.end(), [&](const auto& fold) { return fold.size() >= lambdas; }));
}

// How many lambdas are judged, of the `most` that the path on all rows has.
std::size_t lambdas_judged(const FoldScores& scores, std::size_t most) {
  std::size_t chosen = 0, largest = 0;
  bool several = false;
  for (std::size_t lambdas = 1; lambdas <= most; ++lambdas) {
    const std::size_t folds = folds_with(scores, lambdas);
    if (several && folds < 2) break;
    several = folds >= 2;
    if (folds * lambdas <= largest) continue;
    largest = folds * lambdas;
    chosen = lambdas;
  }
  return chosen;
}

ScoredLambda summarised(double lambda, std::vector<double> scores) {
  ScoredLambda point;
  point.lambda = lambda;
  point.scores = std::move(scores);
  const auto there = [](double score) { return !std::isnan(score); };
  const auto count = static_cast<double>(std::count_if(point.scores.begin(), point.scores.end(), there));
  for (const double score : point.scores)
    if (there(score)) point.mean += score / count;
  double squares = 0;
  for (const double score : point.scores)
    if (there(score)) squares += (score - point.mean) * (score - point.mean);
  if (count > 1) point.standard_error = std::sqrt(squares / (count - 1) / count);
  return point;
}

void choose(CrossValidation& result) {
  const double sign = higher_is_better(result.metric) ? -1 : 1;
  const auto& points = result.points;
  for (std::size_t k = 1; k < points.size(); ++k)
    if (sign * points[k].mean < sign * points[result.best].mean) result.best = k;
  const ScoredLambda& best = points[result.best];
  while (sign * points[result.one_standard_error].mean > sign * best.mean + best.standard_error)
    ++result.one_standard_error;
}

void add_advice(CrossValidation& result, std::size_t folds, std::size_t of_folds, std::size_t of_lambdas) {
  const std::size_t count = result.points.size();
  const bool all = count == of_lambdas;
  if (!all || folds < of_folds)
    result.advice.push_back(
        {AdviceCode::cut_short,
         fmt::format("cut short: {} of {} lambdas are judged, by {} of {} folds", count, of_lambdas, folds, of_folds),
         {{"lambdas", static_cast<double>(count)},
          {"of_lambdas", static_cast<double>(of_lambdas)},
          {"folds", static_cast<double>(folds)},
          {"of_folds", static_cast<double>(of_folds)}}});
  if (of_lambdas < 2) return;
  if (result.best + 1 == count)
    result.advice.push_back(
        all ? Advice{AdviceCode::best_is_smallest,
                     "the best lambda is the smallest of all: weaker penalties may do better still, " +
                         opt("lambda-min") + " tells"}
            : Advice{AdviceCode::best_is_last,
                     "the best lambda is the last that was reached: weaker penalties may do better still, more time "
                     "tells"});
  if (result.best == 0 && count > 1)
    result.advice.push_back({AdviceCode::best_is_largest,
                             "the best lambda is the largest of all: the features may say nothing about the labels"});
}

}  // namespace

CrossValidation cross_validate(const Task& task, const CrossValidationOptions& given) {
  CrossValidationOptions options = given;
  if (!options.splits.empty()) options.folds = static_cast<Index>(options.splits.size());
  const std::vector<Advice> about_classes = check(task, options);
  const RunClock clock;
  CrossValidation result;
  result.metric = options.metric;
  Run run(task, options);
  run.share_products();
  parallel_for(options.folds + 1, task.threads(), [&](Index number) { run.path(number); });
  result.path = std::move(run.whole());
  result.status = run.status();
  result.advice = result.path.advice;
  result.advice.insert(result.advice.end(), about_classes.begin(), about_classes.end());
  judge(run.scores(), std::set(options.lambdas.begin(), options.lambdas.end()).size(), result);
  result.seconds = clock.wall_seconds();
  result.cpu_seconds = clock.cpu_seconds();
  return result;
}

// Rows in random order within their class, class after class, dealt one to each fold in turn. Those without weight come
// last: they are as good as absent, and must not take a fold's place among those that count.
std::vector<std::vector<Index>> deal_folds(const Dataset& data, Index count, std::uint64_t seed) {
  std::map<std::pair<bool, double>, std::vector<Index>> classes;
  Index rows_that_count = 0;
  for (Index i = 0; i < data.rows(); ++i) {
    const bool idle = !data.weights.empty() && data.weights[i] == 0;
    rows_that_count += idle ? 0 : 1;
    classes[{idle, data.y.kind == LabelKind::classes ? data.y.values[i] : 0.0}].push_back(i);
  }
  if (count < 2 || count > rows_that_count)
    throw Error(std::to_string(count) + " folds of " + std::to_string(rows_that_count) +
                    (rows_that_count < data.rows() ? " rows that have a weight" : " rows"),
                "give a number from 2 to that of the rows");
  std::vector<std::size_t> fold_of(at(data.rows()));
  Rng rng(seed, kStream);
  std::size_t next = 0;
  for (auto& [label, rows] : classes) {
    rng.shuffle(rows);
    for (const Index row : rows) fold_of[at(row)] = next++ % at(count);
  }
  std::vector<std::vector<Index>> folds(at(count));
  for (Index i = 0; i < data.rows(); ++i) folds[fold_of[at(i)]].push_back(i);  // ascending
  return folds;
}

Folds::Folds(const Dataset& data, Index count, std::uint64_t seed) {
  const auto folds = deal_folds(data, count, seed);
  std::vector<Index> order;
  for (Index part = 0; part < 2 * count - 1; ++part) {
    const auto& rows = folds[at(part % count)];
    starts_.push_back(static_cast<Index>(order.size()));
    order.insert(order.end(), rows.begin(), rows.end());
  }
  starts_.push_back(static_cast<Index>(order.size()));
  laid_out_ = take_rows(data, order);
}

Folds::Folds(const Dataset& data, std::vector<Split> splits) : laid_out_(data), splits_(std::move(splits)) {
  for (std::size_t fold = 0; fold < splits_.size(); ++fold)
    for (const auto* part : {&splits_[fold].train, &splits_[fold].test}) {
      if (part->empty())
        throw Error("fold " + std::to_string(fold) + " has no rows to " +
                    (part == &splits_[fold].train ? "fit" : "judge by"));
      for (const Index row : *part)
        if (row < 0 || row >= data.rows())
          throw Error("fold " + std::to_string(fold) + " names row " + std::to_string(row) + " of " +
                      std::to_string(data.rows()));
    }
}

// The parts after the fold's own, up to where it comes again.
Dataset Folds::training(Index fold) const {
  if (!splits_.empty()) return take_rows(laid_out_, splits_[at(fold)].train);
  return slice(laid_out_, starts_[at(fold + 1)], starts_[at(fold + count())]);
}

Dataset Folds::held_out(Index fold) const {
  if (!splits_.empty()) return take_rows(laid_out_, splits_[at(fold)].test);
  return slice(laid_out_, starts_[at(fold)], starts_[at(fold + 1)]);
}

void judge(const FoldScores& scores, std::size_t lambdas, CrossValidation& result) {
  const std::size_t judged = lambdas_judged(scores, result.path.points.size());
  if (judged == 0) return;
  for (std::size_t k = 0; k < judged; ++k) {
    std::vector<double> at_lambda;
    for (const auto& fold : scores) at_lambda.push_back(fold.size() >= judged ? fold[k] : std::nan(""));
    result.points.push_back(summarised(result.path.points[k].lambda, std::move(at_lambda)));
  }
  choose(result);
  add_advice(result, folds_with(scores, judged), scores.size(), lambdas);
}

}  // namespace s3gd
