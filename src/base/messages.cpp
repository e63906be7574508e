// Sentences: marks put into words, errors and advice made of them.
#include "base/mention.hpp"
#include "s3gd/advice.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

// Control characters that no text of a user's holds: a mark is kBegin, its kind, the name, kBetween, the value, kEnd.
constexpr char kBegin = '\x02', kBetween = '\x1f', kEnd = '\x03';

constexpr std::string_view kKinds[] = {"option", "smaller", "larger", "fewer", "more", "class"};

std::string with_hint(std::string text, const std::string& hint) {
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

std::string describe(const Place& place, const std::string& found, const std::string& expected) {
  std::string text = place.file;
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (place.column > 0) text += ":" + std::to_string(place.column);
  if (!text.empty()) text += ": ";
  text += "found " + found;
  if (!expected.empty()) text += ", expected " + expected;
  return text;
}

}  // namespace

std::string_view name_of(Mention::Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string marked(const Mention& mention) {
  std::string text{kBegin, static_cast<char>('a' + static_cast<int>(mention.kind))};
  text.append(mention.name).append(1, kBetween).append(mention.value).append(1, kEnd);
  return text;
}

std::string plain_words(const Mention& mention) {
  const bool changed = mention.kind != Mention::Kind::option && mention.kind != Mention::Kind::class_name;
  std::string text = changed ? std::string(name_of(mention.kind)) + " " : "";
  text += mention.name;
  if (!mention.value.empty()) text.append(" ").append(mention.value);
  return text;
}

std::string in_words(std::string_view sentence, Words words) {
  std::string text;
  while (true) {
    const std::size_t begin = sentence.find(kBegin), end = sentence.find(kEnd, begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return text.append(sentence);
    text.append(sentence.substr(0, begin));
    const std::string_view mark = sentence.substr(begin + 1, end - begin - 1);
    sentence.remove_prefix(end + 1);
    const std::size_t between = mark.find(kBetween);
    const int kind = mark.empty() ? -1 : mark.front() - 'a';
    if (between == std::string_view::npos || kind < 0 || kind > static_cast<int>(Mention::Kind::class_name))
      text.append(mark);  // bytes of a broken file, quoted
    else
      text += words({static_cast<Mention::Kind>(kind), mark.substr(1, between - 1), mark.substr(between + 1)});
  }
}

const char* name_of(ErrorCode code) {
  constexpr const char* kNames[] = {"bad_input", "malformed",   "unusable_file", "other_run",     "out_of_memory",
                                    "bad_value", "idle_option", "do_not_go",     "missing_option"};
  return kNames[static_cast<int>(code)];
}

Error::Error(const std::string& problem, const std::string& hint) : Error(ErrorCode::bad_input, {}, problem, hint) {}

Error::Error(ErrorCode code, std::string option, const std::string& problem, const std::string& hint)
    : std::runtime_error(s3gd::in_words(with_hint(problem, hint))),
      code_(code),
      option_(std::move(option)),
      hint_(s3gd::in_words(hint)),
      marked_(with_hint(problem, hint)) {}

Error::Error(const Place& place, const std::string& found, const std::string& expected, const std::string& hint)
    : Error(ErrorCode::malformed, {}, describe(place, found, expected), hint) {
  place_ = place;
}

Error Error::within(const std::string& where) const {
  Error error(code_, option_, where + ": " + marked_);
  error.place_ = place_;
  error.hint_ = hint_;
  return error;
}

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
