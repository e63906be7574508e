// What paths and cross-validation ask of a task: the model without penalised features, which a path starts from, and the largest
// lambda of use, from the slopes of the loss there; to be solved at one lambda after the other, and to be stated over the
// rows of a fold.
#pragma once

#include <memory>
#include <vector>

#include "s3gd/path.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

struct NullModel {
  std::vector<double> w;         // zero but for free intercepts and features without a penalty
  std::vector<double> gradient;  // of the loss part there; zero in those, to rounding
  double loss = 0;
};
NullModel fit_null_model(const Problem& problem);
NullModel fit_null_model(const SoftmaxProblem& problem);

bool is_penalised(const Problem& problem);  // whether lambda multiplies anything
bool is_penalised(const SoftmaxProblem& problem);
bool is_kinked(const Problem& problem);  // whether it holds weights at zero
bool is_kinked(const SoftmaxProblem& problem);
double largest_lambda_from(const Problem& problem, const NullModel& null);
double largest_lambda_from(const SoftmaxProblem& problem, const NullModel& null);

// Solves one lambda after the other, each from where the last one ended.
class Walk {
 public:
  virtual ~Walk() = default;
  // Without advice. options.seconds is for this one; its start is not looked at.
  virtual Solution next(double lambda, const SolveOptions& options) = 0;
  double largest_lambda() const { return largest_; }  // as the function of that name

 protected:
  double largest_ = 0;
};

// `first`: the largest lambda it will be asked for. Far below the largest of all, the model without features says little,
// and a solver's own start is better. Throws where there is no penalty, as largest_lambda() does.
std::unique_ptr<Walk> walk_over(const Task& task, double first);

bool is_kinked(const Task& task);  // whether lambda holds weights at zero

// The same task over other rows, with the same classes; throws where these lack one. `known` may be null.
Task on_fold(const Task& task, const Dataset& rows, const ColumnProducts& known);
// Of these rows alone; null where walks make no use of them.
ColumnProducts products_over(const Task& task, const Dataset& rows);

// solve_path() without its advice, for paths whose advice nobody reads. `largest` becomes largest_lambda(), if it is there.
Path solve_path_quietly(const Task& task, std::vector<double> lambdas, const SolveOptions& options,
                        const WatchPoint& watch, double* largest = nullptr);

}  // namespace s3gd
