// How links are written: see model/names.hpp.
#pragma once

#include "model/names.hpp"
#include "s3gd/model.hpp"

namespace s3gd {

template <>
std::span<const Name<Link>> names();

}  // namespace s3gd
