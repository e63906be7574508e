// Numbers as they stand in binary files, and IDX, which is little more.
#include "data/arrays.hpp"

#include <array>
#include <concepts>

#include "base/file.hpp"
#include "data/checks.hpp"
#include "data/compressed_output.hpp"
#include "data/format.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kBlockBytes = 1 << 18;

template <class From>
From load(const char* bytes, bool swapped) {
  std::array<char, sizeof(From)> raw;
  std::memcpy(raw.data(), bytes, sizeof(From));
  if (swapped) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<From>(raw);
}

template <class T, class From>
T convert_one(From value, const std::string& name) {
  if constexpr (std::integral<T> && !std::floating_point<From>) {
    if (!std::in_range<T>(value)) throw Error({name}, std::to_string(value), "a smaller whole number");
    return static_cast<T>(value);
  } else if constexpr (std::integral<T>) {
    throw Error({name}, "floating-point numbers", "whole numbers");
  } else {
    return static_cast<T>(value);
  }
}

template <class T, class From>
void convert(const char* bytes, std::size_t count, bool swapped, T* into, const std::string& name) {
  for (std::size_t k = 0; k < count; ++k) into[k] = convert_one<T>(load<From>(bytes + k * sizeof(From), swapped), name);
}

std::optional<Element> element_of(unsigned char code) {
  constexpr Element kTypes[] = {Element::u1, Element::i1, Element::b1, Element::i2,
                                Element::i4, Element::f4, Element::f8};
  if (code < 0x08 || code > 0x0e || code == 0x0a) return std::nullopt;  // there is no type 0x0a
  return kTypes[code - 0x08];
}

bool looks_like_idx(std::span<const char> head) {
  return head.size() >= 4 && head[0] == 0 && head[1] == 0 && element_of(static_cast<unsigned char>(head[2])) &&
         head[3] >= 1 && head[3] <= 8;
}

NpyHeader read_header(const ByteSource& source, const std::string& name) {
  char start[4];
  if (read_fully(source, start) < 4 || !looks_like_idx(start))
    throw Error({name}, "something that does not begin like one", "an IDX file", "check the path or the format");
  NpyHeader header;
  header.big_endian = true;
  header.count = 1;
  header.element = *element_of(static_cast<unsigned char>(start[2]));
  for (int k = 0; k < start[3]; ++k) {
    unsigned char size[4];
    if (read_fully(source, {reinterpret_cast<char*>(size), 4}) < 4)
      throw Error({name}, "the end of the file within the header", "the sizes of the dimensions",
                  "the file is cut short");
    header.shape.push_back(Index{size[0]} << 24 | Index{size[1]} << 16 | Index{size[2]} << 8 | Index{size[3]});
    const auto count = product(header.count, header.shape.back());
    if (!count || *count > std::numeric_limits<Index>::max() / 8)
      throw Error({name}, "sizes whose product does not fit into 64 bits", "smaller ones");
    header.count = *count;
  }
  if (header.count == 0) throw Error({name}, "a dimension of size 0", "at least one row and one column");
  return header;
}

// train-images-idx3-ubyte.gz -> train-labels-idx1-ubyte.gz, or without (or with) .gz; '.' for '-' before idx as well.
std::string labels_beside(const std::string& path) {
  std::string labels = path;
  const std::size_t folder = path.find_last_of('/') + 1;
  const std::size_t images = labels.find("images", folder);
  if (images == std::string::npos) return {};
  labels.replace(images, 6, "labels");
  const std::size_t idx = labels.find("idx", images);
  if (idx != std::string::npos && idx + 3 < labels.size()) labels[idx + 3] = '1';
  const std::string plain(without_compression_suffix(labels));
  for (const auto& candidate : {labels, plain, plain + ".gz"})
    if (file_exists(candidate)) return candidate;
  return {};
}

}  // namespace

template <class T>
Array<T> read_elements(const ByteSource& source, Element element, bool big_endian, Index count,
                       const std::string& name) {
  constexpr decltype(&convert<T, float>) converters[] = {
      convert<T, std::uint8_t>,  convert<T, std::int8_t>,  convert<T, std::uint8_t>,  convert<T, std::int16_t>,
      convert<T, std::uint16_t>, convert<T, std::int32_t>, convert<T, std::uint32_t>, convert<T, std::int64_t>,
      convert<T, std::uint64_t>, convert<T, float>,        convert<T, double>};
  const std::size_t width = size_of(element);
  std::vector<char> block(std::min(kBlockBytes, at(count) * width));
  GrowBuffer<T> values;
  while (values.size() < count) {
    const auto wanted = std::min(at(count - values.size()), kBlockBytes / width);
    const std::size_t got = read_fully(source, std::span(block).first(wanted * width));
    if (got < wanted * width)
      throw Error({name}, std::to_string(values.size() + static_cast<Index>(got / width)) + " numbers",
                  std::to_string(count) + " as its header says", "the file is cut short or its header is wrong");
    const Index before = values.size();
    require_memory(static_cast<double>(before) * sizeof(T), name);
    values.resize(before + static_cast<Index>(wanted));
    converters[static_cast<std::size_t>(element)](block.data(), wanted, big_endian, values.data() + before, name);
  }
  return std::move(values).finish();
}

template Array<float> read_elements(const ByteSource&, Element, bool, Index, const std::string&);
template Array<double> read_elements(const ByteSource&, Element, bool, Index, const std::string&);
template Array<std::int32_t> read_elements(const ByteSource&, Element, bool, Index, const std::string&);
template Array<std::int64_t> read_elements(const ByteSource&, Element, bool, Index, const std::string&);

Dataset parse_idx(const ByteSource& source, const std::string& name, const LoadOptions& options) {
  const auto header = read_header(source, name);
  if (header.shape.size() < 2)
    throw Error({name}, "one dimension", "two or more: rows and columns",
                "this looks like the labels; give the images");
  return parse_rows(header, source, name, options);
}

Labels parse_idx_labels(const ByteSource& source, const std::string& name) {
  const auto header = read_header(source, name);
  if (header.shape.size() != 1)
    throw Error({name}, std::to_string(header.shape.size()) + " dimensions", "one: a label for each row");
  return read_npy_labels(header, source, name);
}

int recognise_idx(std::string_view name, std::span<const char> head) {
  if (looks_like_idx(head)) return 3;
  const bool named = name.ends_with(".idx") || name.ends_with("-ubyte") || name.find("-idx") != std::string_view::npos;
  return named ? 2 : 0;
}

Dataset read_idx(Input& input, const LoadOptions& options) {
  Dataset data = parse_idx(source_of(input), input.name(), options);
  const std::string path = options.labels_path.empty() ? labels_beside(input.name()) : options.labels_path;
  if (path.empty()) return data;
  data.y = read_labels_file(path);
  check_targets(data, path);
  return data;
}

Labels read_labels_file(const std::string& path) {
  const auto input = Input::open(path);
  const auto source = source_of(*input);
  if (recognise_npy({}, input->peek()) == 3) return read_npy_labels(read_npy_header(source, path), source, path);
  if (recognise_idx({}, input->peek()) == 3) return parse_idx_labels(source, path);
  throw Error({path}, "something else", "labels as a NumPy or IDX array of one dimension");
}

void refuse_compression(const std::string& path, const std::string& format) {
  const auto plain = std::string(without_compression_suffix(path));
  if (plain != path) throw Error(path + ": the format " + format + " is not written compressed", "write " + plain);
}

}  // namespace s3gd
