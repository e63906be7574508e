// Rows read for a model, or to go with other rows: are their columns those that are expected?
#pragma once

#include <string>
#include <vector>

#include "s3gd/dataset.hpp"

namespace s3gd {

// `data` with its columns as expected: where both have names, in the order of `names` (a copy, unless it is the order
// they have); otherwise as they are, `cols` in number unless the data is of open width (see Dataset). Throws an Error
// that names what is missing and what is too many.
Dataset match_columns(const Dataset& data, const std::vector<std::string>& names, Index cols, int threads = 0);

}  // namespace s3gd
