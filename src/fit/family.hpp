// What paths and cross-validation ask of a problem, whichever of its kinds it is: to be solved at a lambda, from where the
// last one ended, and to turn parameters into a model, which held-out rows are judged with.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "s3gd/path.hpp"

namespace s3gd {

// Solves one lambda after the other, each from where the last one ended.
class Walk {
 public:
  virtual ~Walk() = default;
  // All of a point but lambda, counts and seconds. options.seconds is for this one; its start is not looked at.
  virtual PathPoint next(double lambda, const SolveOptions& options) = 0;
  double largest_lambda() const { return largest_; }  // as the function of that name

 protected:
  double largest_ = 0;
};

class FamilyKind {
 public:
  virtual ~FamilyKind() = default;
  virtual const Dataset& data() const = 0;
  virtual int threads() const = 0;
  virtual std::vector<std::string> classes() const = 0;
  virtual Index outputs() const = 0;
  virtual bool has_intercept() const = 0;
  virtual bool penalised() const = 0;  // whether lambda multiplies anything
  virtual bool kinked() const = 0;     // whether it holds weights at zero
  virtual double largest_lambda() const = 0;
  // `first`: the largest lambda it will be asked for. Far below the largest of all, the model without features says
  // little, and a solver's own start is better.
  virtual std::unique_ptr<Walk> walk(double first) const = 0;
  virtual std::string formula(double lambda) const = 0;
  virtual Model model(double lambda, std::span<const double> w, const Scaling& scaling,
                      const Certificate& certificate) const = 0;
  // The same problem over other rows, with the same classes; throws where these lack one. `known` may be null.
  virtual std::shared_ptr<const FamilyKind> on(const Dataset& rows, const ColumnProducts& known) const = 0;
  // Of these rows alone; null where walks make no use of them.
  virtual ColumnProducts products(const Dataset&) const { return {}; }
};

constexpr double kStartsAtNull = 0.5;  // of the largest lambda: from here up, walks begin at the model without features

std::shared_ptr<const FamilyKind> single_family(const Problem& problem);
std::shared_ptr<const FamilyKind> one_vs_rest_family(const Dataset& data, const ProblemSpec& spec);
std::shared_ptr<const FamilyKind> softmax_family(const SoftmaxProblem& problem);

// solve_path() without its advice, for paths whose advice nobody reads. `largest` becomes largest_lambda(), if it is there.
Path solve_path_quietly(const ProblemFamily& family, std::vector<double> lambdas, const SolveOptions& options,
                        const WatchPoint& watch, double* largest = nullptr);

// One with several classes: throws unless those of `rows` are the same.
void require_same_classes(const std::vector<std::string>& wanted, const std::vector<std::string>& found);

}  // namespace s3gd
