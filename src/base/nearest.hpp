// The known word closest to what was typed, for messages: "did you mean ...?".
//
// Distance: letters inserted, dropped, changed or swapped with their neighbour (upper and lower case are the same).
// Cost: product of the two lengths for each candidate; typed words longer than 64 letters have no neighbour.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace s3gd {

int edit_distance(std::string_view a, std::string_view b);

// Empty when nothing is close: more than a third of the longer word differs and `word` does not begin a candidate.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// "did you mean 'logistic'?" when something is close, otherwise "one of a, b, c".
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

}  // namespace s3gd
