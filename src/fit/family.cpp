#include "fit/family.hpp"

#include <algorithm>

#include "s3gd/error.hpp"

namespace s3gd {

ProblemFamily::ProblemFamily(std::shared_ptr<const FamilyKind> kind) : kind_(std::move(kind)) {}
ProblemFamily::ProblemFamily(const Problem& problem) : kind_(single_family(problem)) {}
ProblemFamily::ProblemFamily(const SoftmaxProblem& problem) : kind_(softmax_family(problem)) {}

ProblemFamily ProblemFamily::one_vs_rest(const Dataset& data, const ProblemSpec& spec) {
  return ProblemFamily(one_vs_rest_family(data, spec));
}

const Dataset& ProblemFamily::data() const { return kind_->data(); }
std::vector<std::string> ProblemFamily::classes() const { return kind_->classes(); }
Index ProblemFamily::outputs() const { return kind_->outputs(); }
bool ProblemFamily::has_intercept() const { return kind_->has_intercept(); }
std::string ProblemFamily::formula(double lambda) const { return kind_->formula(lambda); }

Model ProblemFamily::model(double lambda, std::span<const double> w, const Scaling& scaling,
                           const Certificate& certificate) const {
  return kind_->model(lambda, w, scaling, certificate);
}

void require_same_classes(const std::vector<std::string>& wanted, const std::vector<std::string>& found) {
  for (const std::string& name : wanted)
    if (std::find(found.begin(), found.end(), name) == found.end())
      throw Error("without a fold no row of class " + name + " has any weight", "use fewer --folds");
}

}  // namespace s3gd
