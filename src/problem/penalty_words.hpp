// Penalties as people write them: a name, or several joined by +, as in "l1+l2".
#pragma once

#include <string_view>

#include "s3gd/problem.hpp"

namespace s3gd {

// `common`: lambda, alpha and factors of every term. Throws an Error with the nearest name where one is not known.
PenaltySpec penalty_in_words(std::string_view words, const PenaltySpec& common);

}  // namespace s3gd
