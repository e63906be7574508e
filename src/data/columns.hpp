// Rows read for a model, or to go with other rows: are their columns those that are expected?
#pragma once

#include "s3gd/dataset.hpp"

namespace s3gd {

// For each column of `data` the place of its name in `names`. Empty where the columns are in that order, or where one
// of the two has no names: then they must be `cols` in number unless the data is of open width (see Dataset). Throws
// an Error that names what is missing and what is too many.
std::vector<Index> column_places(const Dataset& data, const std::vector<std::string>& names, Index cols);

// `data` with its columns as expected: where both have names, in the order of `names` (a copy, unless it is the order
// they have); otherwise as they are. Throws as above.
Dataset match_columns(const Dataset& data, const std::vector<std::string>& names, Index cols, int threads = 0);

// Has a second file read as the first was, where options do not say otherwise.
void read_alike(LoadOptions& options, const std::optional<Index>& index_base, const std::string& label_column);

// Has rows to judge by go with training rows: columns as match_columns() does, and, where the files leave out columns
// without entries, the wider one says how many there are.
void match_widths(Dataset& train, Dataset& test, int threads = 0);

}  // namespace s3gd
