// Softmax: one matrix of weights. Points hold it class by class.
#include "fit/family.hpp"
#include "fit/softmax_null_model.hpp"
#include "s3gd/multiclass.hpp"

namespace s3gd {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

std::vector<double> class_by_class(const SoftmaxProblem& problem, std::span<const double> w) {
  std::vector<double> turned;
  turned.reserve(w.size());
  for (Index k = 0; k < problem.classes(); ++k)
    for (Index j = 0; j < problem.features(); ++j) turned.push_back(w[at(j * problem.classes() + k)]);
  return turned;
}

std::vector<double> feature_by_feature(const SoftmaxProblem& problem, std::span<const double> w) {
  std::vector<double> turned;
  turned.reserve(w.size());
  for (Index j = 0; j < problem.features(); ++j)
    for (Index k = 0; k < problem.classes(); ++k) turned.push_back(w[at(k * problem.features() + j)]);
  return turned;
}

class SoftmaxWalk final : public Walk {
 public:
  SoftmaxWalk(const SoftmaxProblem& problem, double first) : problem_(problem) {
    SoftmaxNullModel null = fit_null_model(problem);
    largest_ = largest_lambda_from(problem, null);
    if (first > kStartsAtNull * largest_) start_ = std::move(null.w);
  }

  PathPoint next(double lambda, const SolveOptions& options) override {
    SolveOptions each = options;
    each.start = start_;
    SoftmaxSolution solution = solve_softmax(with_lambda(problem_, lambda), each);
    PathPoint point;
    point.w = class_by_class(problem_, solution.w);
    point.certificate = solution.summary.certificate;
    point.status = solution.summary.status;
    point.passes = solution.summary.passes;
    point.rank = solution.rank;
    start_ = std::move(solution.w);
    return point;
  }

 private:
  SoftmaxProblem problem_;
  std::vector<double> start_;  // empty: the solver's own
};

class SoftmaxFamily final : public FamilyKind {
 public:
  explicit SoftmaxFamily(const SoftmaxProblem& problem) : problem_(problem) {}

  const Dataset& data() const override { return problem_.data(); }
  int threads() const override { return problem_.spec().threads; }
  std::vector<std::string> classes() const override { return problem_.class_names(); }
  Index outputs() const override { return problem_.classes(); }
  bool has_intercept() const override { return problem_.has_intercept(); }
  bool penalised() const override { return is_penalised(problem_); }
  bool kinked() const override { return is_kinked(problem_); }
  double largest_lambda() const override { return largest_lambda_from(problem_, fit_null_model(problem_)); }
  std::unique_ptr<Walk> walk(double first) const override { return std::make_unique<SoftmaxWalk>(problem_, first); }
  std::string formula(double lambda) const override { return with_lambda(problem_, lambda).formula(); }
  Model model(double lambda, std::span<const double> w, const Scaling& scaling,
              const Certificate& certificate) const override {
    return softmax_model(with_lambda(problem_, lambda), feature_by_feature(problem_, w), scaling, certificate);
  }
  std::shared_ptr<const FamilyKind> on(const Dataset& rows, const ColumnProducts&) const override {
    const SoftmaxProblem there(rows, problem_.spec());
    require_same_classes(classes(), there.class_names());
    return softmax_family(there);
  }

 private:
  SoftmaxProblem problem_;
};

}  // namespace

std::shared_ptr<const FamilyKind> softmax_family(const SoftmaxProblem& problem) {
  return std::make_shared<SoftmaxFamily>(problem);
}

}  // namespace s3gd
