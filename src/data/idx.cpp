#include "data/idx.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/file.hpp"
#include "data/assemble.hpp"
#include "data/compressed_output.hpp"
#include "data/convert.hpp"
#include "data/labels.hpp"
#include "data/readers.hpp"
#include "data/verify.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

struct IdxHeader {
  Element element = Element::u1;
  std::vector<Index> sizes;
  Index count = 1;
};

std::optional<Element> element_of(unsigned char code) {
  switch (code) {
    case 0x08:
      return Element::u1;
    case 0x09:
      return Element::i1;
    case 0x0b:
      return Element::i2;
    case 0x0c:
      return Element::i4;
    case 0x0d:
      return Element::f4;
    case 0x0e:
      return Element::f8;
    default:
      return std::nullopt;
  }
}

bool looks_like_idx(std::span<const char> head) {
  return head.size() >= 4 && head[0] == 0 && head[1] == 0 && element_of(static_cast<unsigned char>(head[2])) &&
         head[3] >= 1 && head[3] <= 8;
}

IdxHeader read_header(const ByteSource& source, const std::string& name) {
  char start[4];
  if (read_fully(source, start) < 4 || !looks_like_idx(start))
    throw Error({name}, "something that does not begin like one", "an IDX file", "check the path or the format");
  IdxHeader header;
  header.element = *element_of(static_cast<unsigned char>(start[2]));
  for (int k = 0; k < start[3]; ++k) {
    unsigned char size[4];
    if (read_fully(source, {reinterpret_cast<char*>(size), 4}) < 4)
      throw Error({name}, "the end of the file within the header", "the sizes of the dimensions",
                  "the file is cut short");
    header.sizes.push_back(Index{size[0]} << 24 | Index{size[1]} << 16 | Index{size[2]} << 8 | Index{size[3]});
    const auto count = product(header.count, header.sizes.back());
    if (!count || *count > std::numeric_limits<Index>::max() / 8)
      throw Error({name}, "sizes whose product does not fit into 64 bits", "smaller ones");
    header.count = *count;
  }
  if (header.count == 0) throw Error({name}, "a dimension of size 0", "at least one row and one column");
  return header;
}

template <class T>
Matrix read_matrix(const IdxHeader& header, const ByteSource& source, const std::string& name) {
  const auto values = read_elements<T>(source, header.element, true, header.count, name);
  return dense_matrix(values, header.sizes[0], header.count / header.sizes[0]);
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

Dataset parse_idx(const ByteSource& source, const std::string& name, const LoadOptions& options) {
  const auto header = read_header(source, name);
  if (header.sizes.size() < 2)
    throw Error({name}, "one dimension", "two or more: rows and columns",
                "this looks like the labels; give the images");
  Dataset data;
  data.source = name;
  data.x = options.precision == Precision::float32 ? read_matrix<float>(header, source, name)
                                                   : read_matrix<double>(header, source, name);
  expect_end(source, name);
  check_contents(data, name, options.threads);
  apply_options(data, options, WhenOpen::choose);
  return data;
}

Labels parse_idx_labels(const ByteSource& source, const std::string& name) {
  const auto header = read_header(source, name);
  if (header.sizes.size() != 1)
    throw Error({name}, std::to_string(header.sizes.size()) + " dimensions", "one: a label for each row");
  Labels labels;
  labels.values = read_elements<double>(source, header.element, true, header.count, name);
  expect_end(source, name);
  labels.kind = kind_of_labels(labels.values.span());
  return labels;
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

}  // namespace s3gd
