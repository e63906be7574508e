// Two classes, or regression: one vector of parameters.
#include <cmath>

#include "base/interrupt.hpp"
#include "finish/methods.hpp"
#include "finish/quadratic_loss.hpp"
#include "fit/binary_walk.hpp"
#include "model/same_problem.hpp"

namespace s3gd {
namespace {

class SingleWalk final : public Walk {
 public:
  SingleWalk(const Problem& problem, double first) : walk_(problem, first) { largest_ = walk_.largest_lambda(); }

  PathPoint next(double lambda, const SolveOptions& options) override {
    Solution solution = walk_.next(lambda, options);
    PathPoint point;
    point.w = std::move(solution.w);
    point.certificate = solution.summary.certificate;
    point.status = solution.summary.status;
    point.passes = solution.summary.passes;
    return point;
  }

 private:
  BinaryWalk walk_;
};

class SingleFamily final : public FamilyKind {
 public:
  explicit SingleFamily(const Problem& problem) : problem_(problem) {}

  const Dataset& data() const override { return problem_.data(); }
  int threads() const override { return problem_.spec().threads; }
  std::vector<std::string> classes() const override {
    const auto name = [&](double value) { return std::isnan(value) ? kRestClass : data().y.name_of(value); };
    if (std::isnan(problem_.positive_class())) return {};
    return {name(problem_.negative_class()), name(problem_.positive_class())};
  }
  Index outputs() const override { return 1; }
  bool has_intercept() const override { return problem_.has_intercept(); }
  bool penalised() const override { return is_penalised(problem_); }
  bool kinked() const override { return is_kinked(problem_); }
  double largest_lambda() const override { return largest_lambda_from(problem_, fit_null_model(problem_)); }
  std::unique_ptr<Walk> walk(double first) const override { return std::make_unique<SingleWalk>(problem_, first); }
  std::string formula(double lambda) const override { return with_lambda(problem_, lambda).formula(); }
  Model model(double lambda, std::span<const double> w, const Scaling& scaling,
              const Certificate& certificate) const override {
    return make_model(with_lambda(problem_, lambda), w, scaling, certificate);
  }
  std::shared_ptr<const FamilyKind> on(const Dataset& rows, const ColumnProducts& known) const override {
    return single_family(Problem(rows, same_problem(problem_)).with_products(known));
  }
  ColumnProducts products(const Dataset& rows) const override {
    if (!problem_.weights().empty() || !suits_gram(problem_) || !gram_pays(problem_, true)) return {};
    return column_products(Problem(rows, same_problem(problem_)), [] { return interrupted(); });
  }

 private:
  Problem problem_;
};

}  // namespace

std::shared_ptr<const FamilyKind> single_family(const Problem& problem) {
  return std::make_shared<SingleFamily>(problem);
}

}  // namespace s3gd
