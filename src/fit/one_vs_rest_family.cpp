// One-vs-rest: each class walks its own path, all at the same lambdas.
#include <algorithm>

#include "base/clock.hpp"
#include "base/threads.hpp"
#include "fit/binary_walk.hpp"
#include "fit/one_vs_rest_summary.hpp"
#include "model/targets.hpp"
#include "s3gd/error.hpp"
#include "s3gd/multiclass.hpp"

namespace s3gd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

std::vector<std::string> class_names(const Dataset& data, LossKind loss) {
  std::vector<std::string> names;
  for (const double value : classes_of(data, loss)) names.push_back(data.y.name_of(value));
  return names;
}

// As many classes side by side as there are threads, or one after the other on all of them.
int side_by_side(Index classes, int threads) {
  const int all = resolve_threads(threads);
  return classes >= all ? all : 1;
}

class ClassWalks final : public Walk {
 public:
  ClassWalks(const std::vector<Problem>& problems, std::vector<std::string> classes, double first)
      : classes_(std::move(classes)), threads_(side_by_side(count(), problems.front().spec().threads)) {
    walks_.resize(classes_.size());
    parallel_for(count(), threads_,
                 [&](Index k) { walks_[at(k)] = std::make_unique<BinaryWalk>(problems[at(k)], first); });
    for (const auto& walk : walks_) largest_ = std::max(largest_, walk->largest_lambda());
  }

  PathPoint next(double lambda, const SolveOptions& options) override {
    const double started = wall_now();
    std::vector<Solution> solutions(walks_.size());
    parallel_for(count(), threads_, [&](Index k) {
      SolveOptions each = options;
      if (options.seconds > 0) each.seconds = std::max(1e-9, options.seconds - (wall_now() - started));
      solutions[at(k)] = walks_[at(k)]->next(lambda, each);
    });
    PathPoint point;
    std::vector<Summary> summaries;
    for (Solution& solution : solutions) {
      point.w.insert(point.w.end(), solution.w.begin(), solution.w.end());
      summaries.push_back(std::move(solution.summary));
    }
    const Summary whole = merge_summaries(classes_, summaries);
    point.certificate = whole.certificate;
    point.status = whole.status;
    point.passes = whole.passes;
    return point;
  }

 private:
  Index count() const { return static_cast<Index>(classes_.size()); }

  std::vector<std::string> classes_;
  int threads_;
  std::vector<std::unique_ptr<BinaryWalk>> walks_;
};

class OneVsRestFamily final : public FamilyKind {
 public:
  OneVsRestFamily(const Dataset& data, const ProblemSpec& spec)
      : spec_(spec), classes_(class_names(data, spec.loss.kind)) {
    if (!spec.positive.empty())
      throw Error("one-vs-rest has every class positive once, but one class is named positive",
                  "leave --binary (ProblemSpec::positive) out");
    for (const std::string& name : classes_) {
      ProblemSpec one = spec;
      one.positive = name;
      problems_.emplace_back(data, one);
    }
  }

  const Dataset& data() const override { return problems_.front().data(); }
  int threads() const override { return spec_.threads; }
  std::vector<std::string> classes() const override { return classes_; }
  Index outputs() const override { return static_cast<Index>(classes_.size()); }
  bool has_intercept() const override { return problems_.front().has_intercept(); }
  bool penalised() const override { return is_penalised(problems_.front()); }
  bool kinked() const override { return is_kinked(problems_.front()); }

  double largest_lambda() const override {
    std::vector<double> largest(problems_.size());
    parallel_for(outputs(), side_by_side(outputs(), threads()), [&](Index k) {
      largest[at(k)] = largest_lambda_from(problems_[at(k)], fit_null_model(problems_[at(k)]));
    });
    return *std::max_element(largest.begin(), largest.end());
  }

  std::unique_ptr<Walk> walk(double first) const override {
    return std::make_unique<ClassWalks>(problems_, classes_, first);
  }

  std::string formula(double lambda) const override {
    return with_lambda(problems_.front(), lambda).formula() + kForEachClass;
  }

  Model model(double lambda, std::span<const double> w, const Scaling& scaling,
              const Certificate& certificate) const override {
    std::vector<std::vector<double>> parameters;
    const auto dim = at(problems_.front().dim());
    for (std::size_t k = 0; k < classes_.size(); ++k)
      parameters.emplace_back(w.begin() + static_cast<std::ptrdiff_t>(k * dim),
                              w.begin() + static_cast<std::ptrdiff_t>((k + 1) * dim));
    return one_vs_rest_model(data(), with_lambda(problems_.front(), lambda).spec(), classes_, parameters, scaling,
                             certificate);
  }

  std::shared_ptr<const FamilyKind> on(const Dataset& rows, const ColumnProducts&) const override {
    auto family = std::make_shared<OneVsRestFamily>(rows, spec_);
    require_same_classes(classes_, family->classes_);
    return family;
  }

 private:
  ProblemSpec spec_;
  std::vector<std::string> classes_;
  std::vector<Problem> problems_;  // one for each class
};

}  // namespace

std::shared_ptr<const FamilyKind> one_vs_rest_family(const Dataset& data, const ProblemSpec& spec) {
  return std::make_shared<OneVsRestFamily>(data, spec);
}

}  // namespace s3gd
