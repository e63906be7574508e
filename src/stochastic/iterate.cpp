#include "stochastic/iterate.hpp"

#include "s3gd/error.hpp"
#include "stochastic/eager_iterate.hpp"
#include "stochastic/lazy_iterate.hpp"
#include "stochastic/scaled_iterate.hpp"

namespace s3gd {
namespace {

// The scaled form keeps one number for every row and basis vector; beyond this it falls back to a dense drift.
constexpr double kMostProductBytes = 2e9;
// Several outputs: a step that touches all columns is cheaper than one that keeps account of each it touches, up to so many
// columns for each entry of a row.
constexpr Index kColumnsPerEntry = 40;

template <class T, class Count, class View>
std::unique_ptr<Iterate<T>> make_for_view(const View& view, const StochasticProblem& problem,
                                          const DriftBasis<T>* basis, IterateForm form) {
  if (form == IterateForm::eager) return std::make_unique<EagerIterate<View, Count>>(view, problem, basis);
  if constexpr (!is_dense_view<View>) {
    if (form == IterateForm::scaled) return std::make_unique<ScaledIterate<View, Count>>(view, problem, basis);
    if (form == IterateForm::lazy) return std::make_unique<LazyIterate<View, Count>>(view, problem, basis);
  }
  throw Error("this form of the iterate needs sparse rows");
}

}  // namespace

IterateForm chosen_form(const OutputProblem& problem, Index basis_count) {
  if (problem.x().is_dense() || !problem.separable_penalty()) return IterateForm::eager;
  const bool several = problem.outputs() > 1;
  const double bytes = static_cast<double>(problem.rows()) * static_cast<double>(basis_count + 1) *
                       (problem.x().precision() == Precision::float32 ? 4.0 : 8.0);
  const bool fits = several || basis_count == 0 || bytes <= kMostProductBytes;
  if (problem.uniform_shrink() && fits) return IterateForm::scaled;
  const Index per_row = problem.x().stored() / std::max<Index>(1, problem.rows());
  return several && problem.cols() <= kColumnsPerEntry * per_row ? IterateForm::eager : IterateForm::lazy;
}

bool drifts_for_nothing(const OutputProblem& problem, IterateForm form) {
  return problem.outputs() == 1 && form == IterateForm::scaled;
}

template <class T>
std::unique_ptr<Iterate<T>> make_iterate(const StochasticProblem& problem, const DriftBasis<T>* basis,
                                         IterateForm form) {
  if (form == IterateForm::automatic) form = chosen_form(*problem, basis == nullptr ? 0 : basis->count);
  return problem->x().visit([&](const auto& view) -> std::unique_ptr<Iterate<T>> {
    using View = std::decay_t<decltype(view)>;
    if constexpr (std::is_same_v<typename View::Value, T>)
      return problem->outputs() == 1 ? make_for_view<T, Single>(view, problem, basis, form)
                                     : make_for_view<T, Several>(view, problem, basis, form);
    else
      throw Error("the iterate's precision differs from the data's");
  });
}

template std::unique_ptr<Iterate<float>> make_iterate(const StochasticProblem&, const DriftBasis<float>*, IterateForm);
template std::unique_ptr<Iterate<double>> make_iterate(const StochasticProblem&, const DriftBasis<double>*,
                                                       IterateForm);

}  // namespace s3gd
