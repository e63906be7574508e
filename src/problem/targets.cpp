#include "problem/targets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/index.hpp"
#include "base/mention.hpp"
#include "problem/loss.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Without a branch for each: paths ask at every lambda. Zero times a number is zero, in lanes that do not wait for each
// other; zero times anything else is NaN.
bool all_finite(std::span<const double> values) {
  double lanes[8] = {}, rest = 0;
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8)
    for (std::size_t k = 0; k < 8; ++k) lanes[k] += 0.0 * values[i + k];
  for (; i < values.size(); ++i) rest += 0.0 * values[i];
  for (const double lane : lanes) rest += lane;
  return rest == 0;
}

}  // namespace

void refuse(const Dataset& data, const std::string& problem, const std::string& hint) {
  throw Error(data.source.empty() ? problem : data.source + ": " + problem, hint);
}

void check_labels(const Dataset& data) {
  if (data.rows() == 0) refuse(data, "no rows", "training needs at least one");
  if (data.cols() == 0) refuse(data, "no columns", "training needs at least one feature");
  if (data.y.kind == LabelKind::none || data.y.values.empty())
    refuse(data, "no labels", "training needs one for each row");
  if (data.y.values.size() != data.rows())
    refuse(data, std::to_string(data.y.values.size()) + " labels for " + std::to_string(data.rows()) + " rows",
           "give one for each row");
  if (all_finite(data.y.values.span())) return;
  const auto bad = std::find_if(data.y.values.begin(), data.y.values.end(), [](double y) { return !std::isfinite(y); });
  refuse(data, "the label of row " + std::to_string(bad - data.y.values.begin()) + " is not a finite number", "");
}

void check_weights(const Dataset& data) {
  if (data.weights.empty()) return;
  if (data.weights.size() != data.rows())
    refuse(data, std::to_string(data.weights.size()) + " sample weights for " + std::to_string(data.rows()) + " rows",
           "give one for each row, or none at all");
  bool any = false;
  for (Index i = 0; i < data.rows(); ++i) {
    const double weight = data.weights[i];
    if (!std::isfinite(weight) || weight < 0)
      refuse(data, "the weight of row " + std::to_string(i) + " is " + std::to_string(weight),
             "weights are finite and not negative");
    any = any || weight > 0;
  }
  if (!any) refuse(data, "all sample weights are zero", "give at least one row a positive weight");
}

namespace {

// A few classes, where there are no more and no rows of no weight; counted without a branch for each row.
std::map<double, Index> count_few_classes(const Dataset& data) {
  constexpr std::size_t kFew = 12;
  const auto& y = data.y.values;
  if (!data.weights.empty()) return {};
  std::map<double, Index> counts;
  Index counted = 0;
  double last = std::numeric_limits<double>::quiet_NaN();
  for (auto next = y.begin(); counted < data.rows(); ++next) {
    next = std::find_if(next, y.end(), [&](double label) { return label != last && counts.count(label) == 0; });
    if (counts.size() == kFew) return {};
    last = *next;
    counted += counts[last] = std::count(y.begin(), y.end(), last);
  }
  return counts;
}

// Rows of positive weight in each class. There are few classes as a rule: their counters are found without the map.
std::map<double, Index> count_classes(const Dataset& data, const std::string& loss) {
  std::map<double, Index> counts = count_few_classes(data);
  if (!counts.empty()) return counts;
  constexpr std::size_t kRemembered = 16;
  std::vector<std::pair<double, Index*>> seen;
  const Index rows = data.rows();
  for (Index i = 0; i < rows; ++i) {
    if (!data.weights.empty() && data.weights[i] == 0) continue;
    const double label = data.y.values[i];
    const auto known = std::find_if(seen.begin(), seen.end(), [&](const auto& one) { return one.first == label; });
    if (known != seen.end()) {
      ++*known->second;
      continue;
    }
    Index& count = counts[label];
    ++count;
    if (seen.size() < kRemembered) seen.emplace_back(label, &count);
    if (counts.size() > kMostTargetClasses)
      refuse(data, "more than 65536 different labels, but the loss " + loss + " wants two classes",
             "these look like real numbers: use the loss squared");
  }
  return counts;
}

double class_named(const Dataset& data, const std::map<double, Index>& counts, const std::string& positive) {
  for (const auto& [value, count] : counts)
    if (data.y.name_of(value) == positive) return value;
  if (positive == "largest")
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  if (data.y.class_names.empty()) {
    char* end = nullptr;
    const double number = std::strtod(positive.c_str(), &end);
    if (end != positive.c_str() && *end == '\0' && counts.count(number) > 0) return number;
  }
  std::string known;
  for (const auto& [value, count] : counts) {
    known += (known.empty() ? "" : ", ") + data.y.name_of(value);
    if (known.size() > 120) {
      known += ", ...";
      break;
    }
  }
  refuse(data, "no row has the label \"" + positive + "\"", "the labels are " + known);
}

// Sums of margins' exponentials stay finite up to here.
constexpr double kLargestCount = 1e100;

void check_counts(const Dataset& data, const std::string& loss, bool named) {
  if (named) refuse(data, "the loss " + loss + " takes counts, and the labels are classes", "use a loss for classes");
  bool any = false;
  for (Index i = 0; i < data.rows(); ++i) {
    const double y = data.y.values[i];
    if (!(y >= 0 && y <= kLargestCount))
      refuse(data,
             "the label of row " + std::to_string(i) + " is " + data.y.name_of(y) + ", and the loss " + loss +
                 " takes counts from 0 to 1e100",
             "use another loss");
    any = any || (y > 0 && (data.weights.empty() || data.weights[i] > 0));
  }
  if (!any) refuse(data, "all labels are 0", "the loss " + loss + " needs a row that counts something");
}

void refuse_one_class(const Dataset& data, const std::map<double, Index>& counts, const std::string& loss) {
  if (counts.size() == 1)
    refuse(data, "all rows have the label " + data.y.name_of(counts.begin()->first),
           "the loss " + loss + " needs two classes");
}

}  // namespace

Targets make_targets(const Dataset& data, const ProblemSpec& spec) {
  check_labels(data);
  check_weights(data);
  const bool named = !spec.positive.empty() || !data.y.class_names.empty();  // classes, whatever the loss takes
  const TargetKind wanted = traits_of(spec.loss.kind).targets;
  const std::string loss = name_of(spec.loss.kind);
  if (wanted == TargetKind::counts) check_counts(data, loss, named);
  if (wanted != TargetKind::classes && !named) return {data.y.values, false, kNone, kNone};

  const auto counts = count_classes(data, loss);
  const bool names_both = data.y.class_names.size() == 2 && data.y.class_names[1] == spec.positive;
  if (!names_both) refuse_one_class(data, counts, loss);
  if (counts.size() > 2 && spec.positive.empty()) {
    const bool real = data.y.kind == LabelKind::real;
    refuse(data, std::to_string(counts.size()) + " different labels, but the loss " + loss + " wants two classes",
           real ? "the labels are real numbers: use the loss squared"
                : opt("binary", "LABEL") + " tells that class from the rest, " + opt("binary", "largest") +
                      " the one with most rows");
  }
  Targets targets;
  targets.classes = true;
  targets.positive = names_both              ? 1
                     : spec.positive.empty() ? counts.rbegin()->first
                                             : class_named(data, counts, spec.positive);
  targets.negative = kNone;
  if (names_both)
    targets.negative = 0;
  else if (counts.size() == 2)
    targets.negative = targets.positive == counts.begin()->first ? counts.rbegin()->first : counts.begin()->first;
  std::vector<double> signs(at(data.rows()));
  std::transform(data.y.values.begin(), data.y.values.end(), signs.begin(),
                 [&](double label) { return label == targets.positive ? 1.0 : -1.0; });
  targets.values = Array<double>(std::move(signs));
  return targets;
}

std::vector<double> classes_of(const Dataset& data, LossKind loss) {
  check_labels(data);
  check_weights(data);
  const auto counts = count_classes(data, name_of(loss));
  if (data.y.kind == LabelKind::real && counts.size() > 2)
    refuse(data, "the labels are real numbers, not classes", "use the loss squared");
  refuse_one_class(data, counts, name_of(loss));
  std::vector<double> values;
  for (const auto& [value, count] : counts) values.push_back(value);
  return values;
}

std::vector<double> make_weights(const Dataset& data, const Targets& targets, ClassWeight class_weight) {
  if (class_weight != ClassWeight::none && !targets.classes)
    refuse(data, "class weights, but the labels are real numbers", "leave class weights out");
  if (class_weight == ClassWeight::none && data.weights.empty()) return {};
  const bool by_class = class_weight != ClassWeight::none;
  return group_weights(data, by_class ? 2 : 1, class_weight == ClassWeight::balanced ? 2 : 1,
                       [&](Index i) { return by_class && targets.values[i] > 0 ? 1 : 0; });
}

// Sums of weights over the largest, so that none overflows.
std::vector<double> group_weights(const Dataset& data, Index groups, double share,
                                  const std::function<Index(Index row)>& group) {
  const double largest = data.weights.empty() ? 1.0 : *std::max_element(data.weights.begin(), data.weights.end());
  const auto given = [&](Index i) { return data.weights.empty() ? 1.0 : data.weights[i] / largest; };
  std::vector<double> sums(at(groups), 0.0), q(at(data.rows()));
  for (Index i = 0; i < data.rows(); ++i) sums[at(group(i))] += given(i);
  if (share == 0) share = static_cast<double>(groups - std::count(sums.begin(), sums.end(), 0.0));
  bool uniform = true;
  for (Index i = 0; i < data.rows(); ++i) {
    const double sum = sums[at(group(i))];
    q[at(i)] = sum > 0 ? given(i) / sum / share : 0.0;
    uniform = uniform && q[at(i)] == 1.0 / static_cast<double>(data.rows());
  }
  return uniform ? std::vector<double>() : q;
}

}  // namespace s3gd
