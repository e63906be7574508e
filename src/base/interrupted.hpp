// What is thrown where Ctrl-C leaves nothing to finish with, such as half a file of rows: the one Error that is nobody's
// mistake. Runs that have something to show return it with Status::interrupted instead.
#pragma once

#include "s3gd/error.hpp"

namespace s3gd {

class Interrupted : public Error {
 public:
  explicit Interrupted(const std::string& what = "interrupted") : Error(what) {}
};

}  // namespace s3gd
