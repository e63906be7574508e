// A place in a standard container, which counts in std::size_t.
#pragma once

#include "s3gd/matrix.hpp"

namespace s3gd {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace s3gd
