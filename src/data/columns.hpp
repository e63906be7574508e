// Rows read for a model, or to go with other rows: are their columns those that are expected?
#pragma once

#include <string>
#include <vector>

#include "s3gd/dataset.hpp"

namespace s3gd {

// For each column of `data` the place of its name in `names`. Empty where the columns are in that order, or where one
// of the two has no names: then they must be `cols` in number unless the data is of open width (see Dataset). Throws
// an Error that names what is missing and what is too many.
std::vector<Index> column_places(const Dataset& data, const std::vector<std::string>& names, Index cols);

// `data` with its columns as expected: where both have names, in the order of `names` (a copy, unless it is the order
// they have); otherwise as they are. Throws as above.
Dataset match_columns(const Dataset& data, const std::vector<std::string>& names, Index cols, int threads = 0);

}  // namespace s3gd
