#include "saved/model_weights.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace s3gd {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

std::size_t place_bytes(std::uint64_t count) {
  return count <= std::numeric_limits<std::uint32_t>::max() ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

bool is_stored(double weight) { return std::bit_cast<std::uint64_t>(weight) != 0; }

template <class Place>
void append_places(std::span<const double> weights, std::string& bytes) {
  for (std::size_t at = 0; at < weights.size(); ++at) {
    if (!is_stored(weights[at])) continue;
    const auto place = static_cast<Place>(at);
    bytes.append(reinterpret_cast<const char*>(&place), sizeof place);
  }
}

template <class T>
T take(const char* bytes, std::uint64_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <class Place>
std::string restore_sparse(const char* bytes, std::uint64_t entries, std::vector<double>& weights) {
  const char* const values = bytes + entries * sizeof(Place);
  std::uint64_t least = 0;  // that the next place may be
  for (std::uint64_t k = 0; k < entries; ++k) {
    const std::uint64_t place = take<Place>(bytes, k);
    if (place < least || place >= weights.size()) return "weights out of order, or beyond the last feature";
    weights[place] = take<double>(values, k);
    least = place + 1;
  }
  return {};
}

}  // namespace

StoredWeights store_weights(std::span<const double> weights) {
  StoredWeights stored;
  std::uint64_t nonzeros = 0;
  for (const double weight : weights) nonzeros += is_stored(weight);
  const std::size_t place = place_bytes(weights.size());
  stored.sparse = nonzeros * (place + sizeof(double)) < weights.size() * sizeof(double);
  stored.entries = stored.sparse ? nonzeros : weights.size();
  if (!stored.sparse) {
    stored.bytes.assign(reinterpret_cast<const char*>(weights.data()), weights.size_bytes());
    return stored;
  }
  stored.bytes.reserve(nonzeros * (place + sizeof(double)));
  if (place == sizeof(std::uint32_t))
    append_places<std::uint32_t>(weights, stored.bytes);
  else
    append_places<std::uint64_t>(weights, stored.bytes);
  for (const double weight : weights)
    if (is_stored(weight)) stored.bytes.append(reinterpret_cast<const char*>(&weight), sizeof weight);
  return stored;
}

std::string restore_weights(std::string_view bytes, bool sparse, std::uint64_t entries, std::uint64_t count,
                            std::vector<double>& weights) {
  const std::size_t place = sparse ? place_bytes(count) : 0;
  const std::size_t each = place + sizeof(double);
  if (bytes.size() % each != 0 || bytes.size() / each != entries || (!sparse && entries != count))
    return "another number of weights than it announces";
  weights.assign(count, 0.0);
  std::string problem;
  if (!sparse && count > 0) std::memcpy(weights.data(), bytes.data(), bytes.size());
  if (sparse)
    problem = place == sizeof(std::uint32_t) ? restore_sparse<std::uint32_t>(bytes.data(), entries, weights)
                                             : restore_sparse<std::uint64_t>(bytes.data(), entries, weights);
  for (const double weight : weights)
    if (!std::isfinite(weight)) return "a weight that is not finite";
  return problem;
}

}  // namespace s3gd
