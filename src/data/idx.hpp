// IDX, the format of MNIST: two zero bytes, a type, the number of dimensions, their sizes, then the numbers, all with
// the most significant byte first. The first dimension counts rows, the others are flattened to columns.
#pragma once

#include <string>

#include "data/elements.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd {

// The rows alone, from any source of bytes.
Dataset parse_idx(const ByteSource& source, const std::string& name, const LoadOptions& options);
// A file of one dimension.
Labels parse_idx_labels(const ByteSource& source, const std::string& name);

}  // namespace s3gd
