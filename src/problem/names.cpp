#include "problem/names.hpp"

#include <utility>

#include "base/nearest.hpp"
#include "problem/loss.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

namespace {

template <class E>
constexpr Name<E> kTable[] = {};
template <>
constexpr Name<PenaltyKind> kTable<PenaltyKind>[] = {
    {PenaltyKind::l2, "l2", "lambda sum w_j^2: keeps all features, small"},
    {PenaltyKind::l1, "l1", "lambda sum |w_j|: sets features to zero"},
    {PenaltyKind::elastic_net, "elastic-net", "lambda ((1 - alpha) sum |w_j| + alpha sum w_j^2): a bit of both"},
    {PenaltyKind::l1_l2norm, "l1-l2norm", "lambda ((1 - alpha) sum |w_j| + alpha ||w||): the paper's printed form"},
    {PenaltyKind::none, "none", "no penalty"},
};

template <>
constexpr Name<Intercept> kTable<Intercept>[] = {
    {Intercept::free, "free", "an intercept that is not penalised"},
    {Intercept::regularised, "regularised", "penalised as any feature, as in the paper"},
    {Intercept::none, "none", "no intercept"},
};

template <>
constexpr Name<ClassWeight> kTable<ClassWeight>[] = {
    {ClassWeight::none, "none", "every row counts the same"},
    {ClassWeight::balanced, "balanced", "every class counts the same"},
    {ClassWeight::paper, "paper", "the means over the classes are added up, as in the paper"},
};

template <>
constexpr Name<Scale> kTable<Scale>[] = {
    {Scale::none, "none", "values as they are"},
    {Scale::max_abs, "max-abs", "columns divided by their largest magnitude; zeros stay zeros"},
    {Scale::standard, "standard", "columns with mean 0 and deviation 1 (sparse data: deviation only)"},
    {Scale::unit_rows, "unit-rows", "rows divided by their 2-norm"},
};

template <>
constexpr Name<Kernel> kTable<Kernel>[] = {
    {Kernel::paper, "paper", "the width as printed; changes with the scale of the features"},
    {Kernel::scaled, "scaled", "the width is the distance to the nearest anchor; scale makes no difference"},
};

template <>
constexpr Name<GraphMode> kTable<GraphMode>[] = {
    {GraphMode::streaming, "streaming", "a row's neighbours are found when it is first visited"},
    {GraphMode::full, "full", "the whole graph is built before the first step"},
};

template <>
constexpr Name<ControlMode> kTable<ControlMode>[] = {
    {ControlMode::adaptive, "adaptive", "the share of the propagated slopes that past batches ask for"},
    {ControlMode::paper, "paper", "all of the propagated slopes, as printed"},
};

template <>
constexpr Name<RowOrder> kTable<RowOrder>[] = {
    {RowOrder::solver, "auto", "as the solver does by itself"},
    {RowOrder::weighted, "weighted", "by weight, with replacement, as in the paper"},
    {RowOrder::shuffled, "shuffled", "each once a pass, in a fresh random order"},
};

template <>
constexpr Name<Precision> kTable<Precision>[] = {
    {Precision::float32, "float", "32 bits"},
    {Precision::float64, "double", "64 bits"},
};

template <>
constexpr Name<Layout> kTable<Layout>[] = {
    {Layout::automatic, "auto", "dense when more than a third of the entries are non-zero"},
    {Layout::dense, "dense", "every entry is held"},
    {Layout::sparse, "sparse", "only non-zero entries are held"},
};

template <>
constexpr Name<LabelKind> kTable<LabelKind>[] = {
    {LabelKind::none, "none", "no labels"},
    {LabelKind::classes, "classes", "whole numbers or words"},
    {LabelKind::real, "real", "real numbers"},
};

template <>
constexpr Name<Missing> kTable<Missing>[] = {
    {Missing::error, "error", "a missing value is an error"},
    {Missing::zero, "zero", "0 takes its place"},
    {Missing::mean, "mean", "the column's mean takes its place"},
};

template <>
constexpr Name<IndexBase> kTable<IndexBase>[] = {
    {IndexBase::detect, "detect", "0 when an index 0 occurs, otherwise 1"},
    {IndexBase::zero, "0", "the first feature is 0"},
    {IndexBase::one, "1", "the first feature is 1"},
};

template <>
constexpr Name<IndexOrder> kTable<IndexOrder>[] = {
    {IndexOrder::strict, "strict", "unsorted or repeated indices are an error"},
    {IndexOrder::merge, "merge", "unsorted indices are sorted, repeated ones added up"},
};

}  // namespace

template <class E>
std::span<const Name<E>> names() {
  return kTable<E>;
}
template std::span<const Name<PenaltyKind>> names();
template std::span<const Name<Intercept>> names();
template std::span<const Name<ClassWeight>> names();
template std::span<const Name<Scale>> names();
template std::span<const Name<Kernel>> names();
template std::span<const Name<GraphMode>> names();
template std::span<const Name<ControlMode>> names();
template std::span<const Name<RowOrder>> names();
template std::span<const Name<Precision>> names();
template std::span<const Name<Layout>> names();
template std::span<const Name<LabelKind>> names();
template std::span<const Name<Missing>> names();
template std::span<const Name<IndexBase>> names();
template std::span<const Name<IndexOrder>> names();

template <>
std::span<const Name<LossKind>> names() {
  static const std::vector<Name<LossKind>> table = [] {
    std::vector<Name<LossKind>> rows;
    for (const LossKind kind : kEveryLoss) rows.push_back({kind, traits_of(kind).name, traits_of(kind).summary});
    return rows;
  }();
  return table;
}

void throw_unknown_name(std::string_view what, std::string_view word, std::span<const std::string> candidates) {
  throw Error(ErrorCode::bad_value, std::string(what), "unknown " + std::string(what) + " '" + std::string(word) + "'",
              suggestion(word, candidates));
}

PenaltySpec penalty_in_words(std::string_view words, const PenaltySpec& common) {
  const auto plus = words.find('+');
  PenaltySpec first = common;
  first.also.clear();
  first.kind = parse_name<PenaltyKind>("penalty", words.substr(0, plus));
  if (plus == std::string_view::npos) return first;
  PenaltySpec rest = penalty_in_words(words.substr(plus + 1), common);
  const std::vector<PenaltySpec> further = std::exchange(rest.also, {});
  first.also.push_back(std::move(rest));
  first.also.insert(first.also.end(), further.begin(), further.end());
  return first;
}

}  // namespace s3gd
