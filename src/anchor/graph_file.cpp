#include <bit>
#include <cstring>
#include <tuple>

#include "anchor/anchors.hpp"
#include "base/checksum.hpp"
#include "base/file.hpp"
#include "base/index.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

static_assert(std::endian::native == std::endian::little, "graph files are little-endian");

constexpr std::array<char, 8> kMagic{'s', '3', 'g', 'd', 'g', 'r', 'p', 'h'};
constexpr std::uint32_t kVersion = 1;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t kernel = 0;
  std::int64_t rows = 0;
  std::int64_t anchors = 0;
  std::int64_t neighbours = 0;
  std::int64_t sample_per_anchor = 0;
  std::int64_t rounds = 0;
  std::uint64_t seed = 0;
  std::uint64_t data_checksum = 0;
  double seconds = 0;
};
static_assert(sizeof(Header) == 80);

// What stands in both under the same name.
template <class From>
auto fields(From& from) {
  return std::tie(from.neighbours, from.sample_per_anchor, from.rounds, from.seed);
}

const std::string kRemedy = "build the graph again";

[[noreturn]] void refuse(const std::string& name, const std::string& why) { throw Error(name + " " + why, kRemedy); }

template <class T>
void put(std::vector<std::byte>& bytes, std::span<const T> values) {
  const auto more = std::as_bytes(values);
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// Cuts `count` values off the front of the bytes, which are known to be long enough.
template <class T>
std::vector<T> take(std::span<const std::byte>& bytes, Index count) {
  std::vector<T> values(at(count));
  const auto size = values.size() * sizeof(T);
  if (size > 0) std::memcpy(values.data(), bytes.data(), size);
  bytes = bytes.subspan(size);
  return values;
}

Header read_header(std::span<const std::byte> bytes, const std::string& name) {
  Header header;
  if (bytes.size() < sizeof header.magic || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    refuse(name, "is not a graph file");
  if (bytes.size() < sizeof header) refuse(name, "is cut short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kVersion)
    refuse(name, "is a graph file of version " + std::to_string(header.version) + ", expected version " +
                     std::to_string(kVersion));
  return header;
}

std::size_t file_size(const Header& header) {
  return sizeof header + static_cast<std::size_t>(header.anchors) * sizeof(std::int64_t) +
         static_cast<std::size_t>(header.rows * header.neighbours) * (sizeof(std::int32_t) + sizeof(float)) +
         sizeof(std::uint64_t);
}

void check_size(const Header& header, std::size_t size, const std::string& name) {
  const auto most = static_cast<std::int64_t>(size);  // no count can exceed the number of bytes
  const auto fits = [most](std::int64_t count) { return count >= 1 && count <= most; };
  if (!fits(header.rows) || !fits(header.anchors) || !fits(header.neighbours) || header.rows > most / header.neighbours)
    refuse(name, "is cut short or damaged");
  const auto expected = file_size(header);
  if (size != expected)
    refuse(name, "has " + std::to_string(size) + " bytes, expected " + std::to_string(expected) +
                     ": it is cut short or damaged");
}

void check_contents(const Header& header, const Graph& graph, const std::string& name) {
  bool sound = header.kernel <= static_cast<std::uint32_t>(Kernel::scaled) && header.neighbours <= header.anchors &&
               header.sample_per_anchor >= 0 && header.rounds >= 0;
  for (const Index row : graph.anchor_rows) sound = sound && row >= 0 && row < header.rows;
  for (const auto anchor : graph.neighbours) sound = sound && anchor >= 0 && anchor < header.anchors;
  for (const float gamma : graph.gammas) sound = sound && gamma >= 0 && gamma <= 1;
  if (!sound) refuse(name, "holds numbers that no graph has");
}

}  // namespace

std::vector<std::byte> graph_to_bytes(const Graph& graph, const Matrix& x) {
  Header header;
  header.kernel = static_cast<std::uint32_t>(graph.options.kernel);
  header.rows = graph.rows();
  header.anchors = graph.anchors();
  fields(header) = fields(graph.options);
  header.data_checksum = checksum(x);
  header.seconds = graph.seconds;
  std::vector<std::byte> bytes;
  bytes.reserve(file_size(header));
  put(bytes, std::span<const Header>(&header, 1));
  put(bytes, std::span<const Index>(graph.anchor_rows));
  put(bytes, graph.neighbours.span());
  put(bytes, graph.gammas.span());
  const std::uint64_t sum = checksum(bytes);
  put(bytes, std::span<const std::uint64_t>(&sum, 1));
  return bytes;
}

Graph graph_from_bytes(std::span<const std::byte> bytes, const std::string& name, const Matrix& x) {
  const Header header = read_header(bytes, name);
  check_size(header, bytes.size(), name);
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  if (sum != checksum(bytes.first(bytes.size() - sizeof sum))) refuse(name, "is damaged: its checksum does not match");

  Graph graph;
  auto rest = bytes.subspan(sizeof header);
  graph.anchor_rows = take<Index>(rest, header.anchors);
  graph.neighbours = Array<std::int32_t>(take<std::int32_t>(rest, header.rows * header.neighbours));
  graph.gammas = Array<float>(take<float>(rest, header.rows * header.neighbours));
  check_contents(header, graph, name);
  graph.options.anchors = header.anchors;
  graph.options.kernel = static_cast<Kernel>(header.kernel);
  fields(graph.options) = fields(header);
  graph.seconds = header.seconds;
  if (header.rows != x.rows())
    refuse(name, "was built from " + std::to_string(header.rows) + " rows, these are " + std::to_string(x.rows()));
  if (header.data_checksum != checksum(x)) refuse(name, "was built from other rows than these");
  return graph;
}

void save_graph(const Graph& graph, const Matrix& x, const std::string& path) {
  const auto bytes = graph_to_bytes(graph, x);
  write_atomically(path, [&](std::ostream& out) { write_bytes(out, bytes); });
}

Graph load_graph(const std::string& path, const Matrix& x) {
  const MappedFile file(path);
  return graph_from_bytes(file.bytes(), path, x);
}

}  // namespace s3gd
