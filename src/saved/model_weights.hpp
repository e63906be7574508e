// The numbers of a model file: all weights, or only those that are not zero, whichever takes fewer bytes.
//
//   dense    doubles
//   sparse   the places of the weights that are not zero, ascending, as 32-bit numbers (64-bit where one needs it),
//            then these weights as doubles
//
// All little-endian; a place counts through outputs x features. Minus zero counts as a weight: it is another bit
// pattern.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace s3gd {

struct StoredWeights {
  bool sparse = false;
  std::uint64_t entries = 0;  // doubles that follow
  std::string bytes;
};
StoredWeights store_weights(std::span<const double> weights);

// The inverse. Empty text: all is well; otherwise what is wrong with the bytes, and `weights` is of no use.
std::string restore_weights(std::string_view bytes, bool sparse, std::uint64_t entries, std::uint64_t count,
                            std::vector<double>& weights);

}  // namespace s3gd
