#include "problem/names.hpp"

#include <utility>

#include "base/nearest.hpp"
#include "problem/loss.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

namespace {

// "name: summary" of each value, in the order in which they are declared.
template <class E>
constexpr std::string_view kWords[1] = {};
template <>
constexpr std::string_view kWords<PenaltyKind>[] = {
    "l2: lambda sum w_j^2: keeps all features, small", "l1: lambda sum |w_j|: sets features to zero",
    "elastic-net: lambda ((1 - alpha) sum |w_j| + alpha sum w_j^2): a bit of both",
    "l1-l2norm: lambda ((1 - alpha) sum |w_j| + alpha ||w||): the paper's printed form", "none: no penalty"};
template <>
constexpr std::string_view kWords<Intercept>[] = {"free: an intercept that is not penalised",
                                                  "regularised: penalised as any feature, as in the paper",
                                                  "none: no intercept"};
template <>
constexpr std::string_view kWords<ClassWeight>[] = {"none: every row counts the same",
                                                    "balanced: every class counts the same",
                                                    "paper: the means over the classes are added up, as in the paper"};
template <>
constexpr std::string_view kWords<Scale>[] = {
    "none: values as they are", "max-abs: columns divided by their largest magnitude; zeros stay zeros",
    "standard: columns with mean 0 and deviation 1 (sparse data: deviation only)",
    "unit-rows: rows divided by their 2-norm"};
template <>
constexpr std::string_view kWords<Kernel>[] = {
    "paper: the width as printed; changes with the scale of the features",
    "scaled: the width is the distance to the nearest anchor; scale makes no difference"};
template <>
constexpr std::string_view kWords<GraphMode>[] = {"streaming: a row's neighbours are found when it is first visited",
                                                  "full: the whole graph is built before the first step"};
template <>
constexpr std::string_view kWords<ControlMode>[] = {
    "adaptive: the share of the propagated slopes that past batches ask for",
    "paper: all of the propagated slopes, as printed"};
template <>
constexpr std::string_view kWords<Propagation>[] = {
    "auto: what left least variance on every set tried: slope", "constant: the anchors' slopes as they are, as printed",
    "linear: beside them a multiple of the row's margin at a reference point",
    "slope: beside them a multiple of the row's own slope there"};
template <>
constexpr std::string_view kWords<RowOrder>[] = {"auto: as the solver does by itself",
                                                 "weighted: by weight, with replacement, as in the paper",
                                                 "shuffled: each once a pass, in a fresh random order"};
template <>
constexpr std::string_view kWords<Precision>[] = {"float: 32 bits", "double: 64 bits"};
template <>
constexpr std::string_view kWords<Layout>[] = {"auto: dense when more than a third of the entries are non-zero",
                                               "dense: every entry is held", "sparse: only non-zero entries are held"};
template <>
constexpr std::string_view kWords<LabelKind>[] = {"none: no labels", "classes: whole numbers or words",
                                                  "real: real numbers"};
template <>
constexpr std::string_view kWords<Missing>[] = {"error: a missing value is an error", "zero: 0 takes its place",
                                                "mean: the column's mean takes its place"};
template <>
constexpr std::string_view kWords<IndexBase>[] = {"detect: 0 when an index 0 occurs, otherwise 1",
                                                  "0: the first feature is 0", "1: the first feature is 1"};
template <>
constexpr std::string_view kWords<IndexOrder>[] = {"strict: unsorted or repeated indices are an error",
                                                   "merge: unsorted indices are sorted, repeated ones added up"};

}  // namespace

template <class E>
std::span<const Name<E>> names() {
  static const std::vector<Name<E>> table = [] {
    std::vector<Name<E>> rows;
    for (const std::string_view words : kWords<E>) {
      const auto colon = words.find(": ");
      rows.push_back({static_cast<E>(rows.size()), words.substr(0, colon), words.substr(colon + 2)});
    }
    return rows;
  }();
  return table;
}
template std::span<const Name<PenaltyKind>> names();
template std::span<const Name<Intercept>> names();
template std::span<const Name<ClassWeight>> names();
template std::span<const Name<Scale>> names();
template std::span<const Name<Kernel>> names();
template std::span<const Name<GraphMode>> names();
template std::span<const Name<ControlMode>> names();
template std::span<const Name<Propagation>> names();
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
