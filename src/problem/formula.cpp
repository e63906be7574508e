// The objective in words a person can check: Problem::formula().
#include <fmt/core.h>

#include "problem/loss.hpp"
#include "problem/penalty.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {
namespace {

// The loss's own formula with margin and parameter in it.
std::string loss_text(const LossSpec& spec, const std::string& margin) {
  const LossTraits& traits = traits_of(spec.kind);
  std::string text(traits.formula);
  const auto put = [&](const std::string& place, const std::string& value) {
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size()))
      text.replace(at, place.size(), value);
  };
  put("{u}", margin);
  if (traits.parameter != nullptr) put("{p}", fmt::format("{}", spec.*traits.parameter));
  return text;
}

std::string sum_text(const Problem& problem) {
  const bool weighted = !problem.data().weights.empty();
  const char* mean = weighted ? "weighted mean" : "mean";
  switch (problem.spec().class_weight) {
    case ClassWeight::balanced:
      return fmt::format("1/2 sum over both classes of the {} of ", mean);
    case ClassWeight::paper:
      return fmt::format("sum over both classes of the {} of ", mean);
    case ClassWeight::none:
      break;
  }
  if (problem.weights().empty()) return fmt::format("1/{} sum_i ", problem.rows());
  return "sum_i q_i ";
}

std::string term_text(const PenaltySpec& term, const char* vector) {
  const bool factors = !term.factors.empty();
  const std::string absolute = factors ? "sum_j f_j |w_j|" : fmt::format("||{}||_1", vector);
  const std::string squares = factors ? "sum_j f_j w_j^2" : fmt::format("||{}||^2", vector);
  const double first = term.lambda * (1 - term.alpha), second = term.lambda * term.alpha;
  switch (term.kind) {
    case PenaltyKind::l2:
      return fmt::format(" + {} {}", term.lambda, squares);
    case PenaltyKind::l1:
      return fmt::format(" + {} {}", term.lambda, absolute);
    case PenaltyKind::elastic_net:
      return fmt::format(" + {:.6g} {} + {:.6g} {}", first, absolute, second, squares);
    case PenaltyKind::l1_l2norm:
      return fmt::format(" + {:.6g} {} + {:.6g} ||{}||", first, absolute, second, vector);
    case PenaltyKind::none:
      return {};
  }
  return {};
}

}  // namespace

std::string Problem::formula() const {
  const bool intercept = has_intercept();
  const char* penalised = spec().intercept == Intercept::regularised ? "(w, b)" : "w";
  std::string text = intercept ? "F(w, b) = " : "F(w) = ";
  text += sum_text(*this) + loss_text(spec().loss, intercept ? "w.x_i + b" : "w.x_i");
  text += term_text(spec().penalty, penalised);
  for (const auto& term : spec().penalty.also) text += term_text(term, penalised);
  return text;
}

}  // namespace s3gd
