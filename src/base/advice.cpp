#include "s3gd/advice.hpp"

#include "base/mention.hpp"

namespace s3gd {

std::string_view name_of(AdviceCode code) {
  constexpr std::string_view kNames[] = {
      "diverged",         "stopped_short",    "checkpoint_not_kept", "unfinished_classes", "further_classes",
      "wild_scales",      "zero_rows",        "constant_columns",    "zero_columns",       "one_class",
      "lopsided_classes", "suspect_labels",   "separable",           "zero_weights",       "vanishing_weights",
      "mute_features",    "idle_anchors",     "unfinished_lambdas",  "lambdas_above",      "small_classes",
      "cut_short",        "best_is_smallest", "best_is_last",        "best_is_largest"};
  return kNames[static_cast<std::size_t>(code)];
}

std::string Advice::sentence(Words words) const {
  std::string before;
  for (const std::string& name : classes) before += (before.empty() ? "" : ", ") + class_mark(name);
  if (!before.empty()) before = (classes.size() > 1 ? "classes " : "class ") + before + ": ";
  return in_words(before + text, words);
}

std::vector<std::string> sentences(const std::vector<Advice>& advice, Words words) {
  std::vector<std::string> list;
  for (const Advice& one : advice) list.push_back(one.sentence(words));
  return list;
}

}  // namespace s3gd
