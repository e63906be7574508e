#include "data/format.hpp"

namespace s3gd {

const std::vector<Format>& format_table() {
  static const std::vector<Format> table{};
  return table;
}

}  // namespace s3gd
