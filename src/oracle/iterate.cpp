#include "oracle/iterate.hpp"

#include "oracle/eager_iterate.hpp"
#include "oracle/lazy_iterate.hpp"
#include "oracle/scaled_iterate.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

// The scaled form keeps one number for every row and basis vector; beyond this it falls back to a dense drift.
constexpr double kMostProductBytes = 2e9;

template <class T, class View>
std::unique_ptr<Iterate<T>> make_for_view(const View& view, const Problem& problem, const Penalty& penalty,
                                          const DriftBasis<T>* basis, IterateForm form) {
  if (form == IterateForm::eager) return std::make_unique<EagerIterate<View>>(view, problem, penalty, basis);
  if constexpr (!is_dense_view<View>) {
    if (form == IterateForm::scaled) return std::make_unique<ScaledIterate<View>>(view, problem, penalty, basis);
    if (form == IterateForm::lazy) return std::make_unique<LazyIterate<View>>(view, problem, penalty, basis);
  }
  throw Error("this form of the iterate needs sparse rows");
}

}  // namespace

IterateForm chosen_form(const Problem& problem, const Penalty& penalty, Index basis_count) {
  if (problem.x().is_dense() || !penalty.separable()) return IterateForm::eager;
  const double bytes = static_cast<double>(problem.rows()) * static_cast<double>(basis_count + 1) *
                       (problem.x().precision() == Precision::float32 ? 4.0 : 8.0);
  if (penalty.uniform_shrink() && (basis_count == 0 || bytes <= kMostProductBytes)) return IterateForm::scaled;
  return IterateForm::lazy;
}

template <class T>
std::unique_ptr<Iterate<T>> make_iterate(const Problem& problem, const Penalty& penalty, const DriftBasis<T>* basis,
                                         IterateForm form) {
  if (form == IterateForm::automatic) form = chosen_form(problem, penalty, basis == nullptr ? 0 : basis->count);
  return problem.x().visit([&](const auto& view) -> std::unique_ptr<Iterate<T>> {
    using View = std::decay_t<decltype(view)>;
    if constexpr (std::is_same_v<typename View::Value, T>)
      return make_for_view<T>(view, problem, penalty, basis, form);
    else
      throw Error("the iterate's precision differs from the data's");
  });
}

template std::unique_ptr<Iterate<float>> make_iterate(const Problem&, const Penalty&, const DriftBasis<float>*,
                                                      IterateForm);
template std::unique_ptr<Iterate<double>> make_iterate(const Problem&, const Penalty&, const DriftBasis<double>*,
                                                       IterateForm);

}  // namespace s3gd
