#include "problem/names.hpp"

#include <array>

#include "base/nearest.hpp"
#include "problem/loss.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

template <>
std::span<const Name<LossKind>> names() {
  static const std::vector<Name<LossKind>> table = [] {
    std::vector<Name<LossKind>> rows;
    for (const LossKind kind : kEveryLoss) rows.push_back({kind, traits_of(kind).name, traits_of(kind).summary});
    return rows;
  }();
  return table;
}

template <>
std::span<const Name<PenaltyKind>> names() {
  static constexpr std::array table{
      Name<PenaltyKind>{PenaltyKind::l2, "l2", "lambda sum w_j^2: keeps all features, small"},
      Name<PenaltyKind>{PenaltyKind::l1, "l1", "lambda sum |w_j|: sets features to zero"},
      Name<PenaltyKind>{PenaltyKind::elastic_net, "elastic-net",
                        "lambda ((1 - alpha) sum |w_j| + alpha sum w_j^2): a bit of both"},
      Name<PenaltyKind>{PenaltyKind::l1_l2norm, "l1-l2norm",
                        "lambda ((1 - alpha) sum |w_j| + alpha ||w||): the paper's printed form"},
      Name<PenaltyKind>{PenaltyKind::none, "none", "no penalty"},
  };
  return table;
}

template <>
std::span<const Name<Intercept>> names() {
  static constexpr std::array table{
      Name<Intercept>{Intercept::free, "free", "an intercept that is not penalised"},
      Name<Intercept>{Intercept::regularised, "regularised", "penalised as any feature, as in the paper"},
      Name<Intercept>{Intercept::none, "none", "no intercept"},
  };
  return table;
}

template <>
std::span<const Name<ClassWeight>> names() {
  static constexpr std::array table{
      Name<ClassWeight>{ClassWeight::none, "none", "every row counts the same"},
      Name<ClassWeight>{ClassWeight::balanced, "balanced", "every class counts the same"},
      Name<ClassWeight>{ClassWeight::paper, "paper", "the means over the classes are added up, as in the paper"},
  };
  return table;
}

template <>
std::span<const Name<Scale>> names() {
  static constexpr std::array table{
      Name<Scale>{Scale::none, "none", "values as they are"},
      Name<Scale>{Scale::max_abs, "max-abs", "columns divided by their largest magnitude; zeros stay zeros"},
      Name<Scale>{Scale::standard, "standard", "columns with mean 0 and deviation 1 (sparse data: deviation only)"},
      Name<Scale>{Scale::unit_rows, "unit-rows", "rows divided by their 2-norm"},
  };
  return table;
}

template <>
std::span<const Name<Kernel>> names() {
  static constexpr std::array table{
      Name<Kernel>{Kernel::paper, "paper", "the width as printed; changes with the scale of the features"},
      Name<Kernel>{Kernel::scaled, "scaled",
                   "the width is the distance to the nearest anchor; scale makes no difference"},
  };
  return table;
}

template <>
std::span<const Name<GraphMode>> names() {
  static constexpr std::array table{
      Name<GraphMode>{GraphMode::streaming, "streaming", "a row's neighbours are found when it is first visited"},
      Name<GraphMode>{GraphMode::full, "full", "the whole graph is built before the first step"},
  };
  return table;
}

template <>
std::span<const Name<ControlMode>> names() {
  static constexpr std::array table{
      Name<ControlMode>{ControlMode::adaptive, "adaptive",
                        "the share of the propagated slopes that past batches ask for"},
      Name<ControlMode>{ControlMode::paper, "paper", "all of the propagated slopes, as printed"},
  };
  return table;
}

template <>
std::span<const Name<RowOrder>> names() {
  static constexpr std::array table{
      Name<RowOrder>{RowOrder::solver, "auto", "as the solver does by itself"},
      Name<RowOrder>{RowOrder::weighted, "weighted", "by weight, with replacement, as in the paper"},
      Name<RowOrder>{RowOrder::shuffled, "shuffled", "each once a pass, in a fresh random order"},
  };
  return table;
}

template <>
std::span<const Name<Precision>> names() {
  static constexpr std::array table{
      Name<Precision>{Precision::float32, "float", "32 bits"},
      Name<Precision>{Precision::float64, "double", "64 bits"},
  };
  return table;
}

template <>
std::span<const Name<Layout>> names() {
  static constexpr std::array table{
      Name<Layout>{Layout::automatic, "auto", "dense when more than a third of the entries are non-zero"},
      Name<Layout>{Layout::dense, "dense", "every entry is held"},
      Name<Layout>{Layout::sparse, "sparse", "only non-zero entries are held"},
  };
  return table;
}

template <>
std::span<const Name<LabelKind>> names() {
  static constexpr std::array table{
      Name<LabelKind>{LabelKind::none, "none", "no labels"},
      Name<LabelKind>{LabelKind::classes, "classes", "whole numbers or words"},
      Name<LabelKind>{LabelKind::real, "real", "real numbers"},
  };
  return table;
}

template <>
std::span<const Name<Missing>> names() {
  static constexpr std::array table{
      Name<Missing>{Missing::error, "error", "a missing value is an error"},
      Name<Missing>{Missing::zero, "zero", "0 takes its place"},
      Name<Missing>{Missing::mean, "mean", "the column's mean takes its place"},
  };
  return table;
}

template <>
std::span<const Name<IndexBase>> names() {
  static constexpr std::array table{
      Name<IndexBase>{IndexBase::detect, "detect", "0 when an index 0 occurs, otherwise 1"},
      Name<IndexBase>{IndexBase::zero, "0", "the first feature is 0"},
      Name<IndexBase>{IndexBase::one, "1", "the first feature is 1"},
  };
  return table;
}

template <>
std::span<const Name<IndexOrder>> names() {
  static constexpr std::array table{
      Name<IndexOrder>{IndexOrder::strict, "strict", "unsorted or repeated indices are an error"},
      Name<IndexOrder>{IndexOrder::merge, "merge", "unsorted indices are sorted, repeated ones added up"},
  };
  return table;
}

void throw_unknown_name(std::string_view what, std::string_view word, std::span<const std::string> candidates) {
  throw Error(ErrorCode::bad_value, std::string(what), "unknown " + std::string(what) + " '" + std::string(word) + "'",
              suggestion(word, candidates));
}

}  // namespace s3gd
