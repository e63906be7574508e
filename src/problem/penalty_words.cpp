#include "problem/penalty_words.hpp"

#include <utility>

#include "problem/names.hpp"

namespace s3gd {

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
