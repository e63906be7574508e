// How links are written: see problem/names.hpp.
#pragma once

#include "problem/names.hpp"
#include "s3gd/model.hpp"

namespace s3gd {

template <>
std::span<const Name<Link>> names();

}  // namespace s3gd
