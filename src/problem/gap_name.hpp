// What the number of a certificate is called.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd {

inline const char* name_of_gap(const Certificate& certificate) {
  return certificate.kind == Certificate::Kind::duality_gap ? "relative gap" : "prox-gradient norm";
}

}  // namespace s3gd
