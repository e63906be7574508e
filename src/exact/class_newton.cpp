#include "exact/class_newton.hpp"

#include <utility>

#include "exact/class_hessians.hpp"
#include "problem/certificate.hpp"
#include "problem/class_pass.hpp"
#include "problem/optimality.hpp"
#include "problem/penalty.hpp"

namespace s3gd {
namespace {

constexpr double kRowsPerFeature = 2;  // in the preconditioner

class ClassSystems final : public NewtonSystems {
 public:
  explicit ClassSystems(std::span<const Problem> problems)
      : problems_(problems), penalty_(problems[0]), ridge_(penalty_.ridge()), hessians_(problems[0], ridge_) {}

  Index rows() const override { return problems_[0].rows(); }
  bool has_dual() const override { return penalty_.has_dual(); }

  void look(std::span<const SystemAt> at, std::span<const Index> rows, Arithmetic arithmetic) override {
    const std::size_t count = rows.empty() ? static_cast<std::size_t>(this->rows()) : rows.size();
    std::vector<ClassPass> passes;
    for (const auto& [system, point] : at) {
      point->gradient.resize(point->w.size());
      point->curvatures.resize(count);
      passes.push_back({&problems_[system], point->w, point->gradient, {{}, point->curvatures}});
    }
    sum_rows_together(passes, rows, arithmetic);
    for (std::size_t c = 0; c < at.size(); ++c) {
      const RowSums& sums = passes[c].sums;
      at[c].point->scale = sums.weight > 0 ? problems_[at[c].system].total_weight() / sums.weight : 1.0;
      at[c].point->complete(at[c].point->scale, sums.loss, penalty_, ridge_);
    }
  }

  double gap(const SystemAt& at) const override {
    const SystemPoint& point = *at.point;
    return estimated_gap(problems_[at.system], penalty_, point.w, point.loss_gradient(ridge_), point.value);
  }

  std::vector<Certified> certify(std::span<const SystemAt> at) const override;

  void precondition(std::span<const SystemAt> at, std::span<const Index> rows, Rng& rng) override {
    const auto sample = static_cast<Index>(kRowsPerFeature * static_cast<double>(ridge_.size()));
    hessians_.precondition(curvatures(at), rows, sample, rng);
  }
  void build(std::span<const SystemAt> at, std::span<const Index> rows, Index sample, Rng& rng) override {
    hessians_.build(curvatures(at), rows, sample, rng);
  }
  std::vector<double> solve(std::span<std::vector<double>> v, const std::function<bool()>& stop) override {
    const double share = static_cast<double>(hessians_.sample()) / static_cast<double>(rows());
    std::vector<double> passes;
    for (const Index products : hessians_.solve(v, stop)) passes.push_back(share * static_cast<double>(products));
    return passes;
  }

 private:
  static std::vector<ClassCurvature> curvatures(std::span<const SystemAt> at) {
    std::vector<ClassCurvature> result;
    for (const auto& [system, point] : at) result.push_back({point->curvatures, point->scale});
    return result;
  }

  std::span<const Problem> problems_;
  Penalty penalty_;
  std::vector<double> ridge_;
  ClassHessians hessians_;
};

std::vector<NewtonSystems::Certified> ClassSystems::certify(std::span<const SystemAt> at) const {
  std::vector<std::vector<double>> margins(at.size()), gradients(at.size());
  std::vector<ClassPass> passes;
  for (std::size_t c = 0; c < at.size(); ++c) {
    margins[c].resize(static_cast<std::size_t>(rows()));
    gradients[c].resize(ridge_.size());
    passes.push_back({&problems_[at[c].system], at[c].point->w, gradients[c], {margins[c], {}}});
  }
  sum_rows_together(passes, {}, Arithmetic::exact);
  std::vector<Certified> result;
  for (std::size_t c = 0; c < at.size(); ++c) {
    const Problem& problem = problems_[at[c].system];
    const std::vector<double>& w = at[c].point->w;
    RowsSeen seen{.loss = passes[c].sums.loss, .margins = margins[c], .gradient = gradients[c]};
    OfPositives positives;
    if (certificate_needs_positives(problem)) {
      positives = sum_positives(problem, w, seen.loss, gradients[c], SmallerClass(problem));
      seen.positives = &positives;
    }
    result.push_back({certify_seen(problem, w, seen), seen.positives == nullptr ? 1.0 : 1.5});
  }
  return result;
}

}  // namespace

std::vector<Finish> finish_together(std::span<const Problem> problems, const JointInput& input,
                                    std::vector<std::vector<double>> starts, std::span<Progress* const> progress) {
  for (std::vector<double>& start : starts) start.resize(static_cast<std::size_t>(problems[0].dim()), 0.0);
  ClassSystems systems(problems);
  return finish_jointly(systems, input, std::move(starts), progress);
}

}  // namespace s3gd
