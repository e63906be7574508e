#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "base/clock.hpp"
#include "base/index.hpp"
#include "base/mention.hpp"
#include "base/threads.hpp"
#include "kernel/kernel.hpp"
#include "s3gd/error.hpp"
#include "saved/class_finder.hpp"
#include "select/folds.hpp"
#include "select/held_out.hpp"
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

}  // namespace s3gd
