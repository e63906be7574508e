// Numbers and strings as they stand in binary files, and IDX, which is little more.
#include "data/arrays.hpp"

#include <array>
#include <concepts>
#include <map>

#include "base/file.hpp"
#include "data/checks.hpp"
#include "data/convert.hpp"
#include "data/format.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kBlockBytes = 1 << 18;

[[noreturn]] void cut_short(const ArrayFile& file, Index got, const char* what) {
  throw Error({file.name}, std::to_string(got) + what, std::to_string(file.count) + " as its header says",
              "the file is cut short or its header is wrong");
}

template <class T, class From>
void convert(const char* bytes, std::size_t count, bool swapped, T* into, const std::string& name) {
  for (std::size_t k = 0; k < count; ++k) {
    std::array<char, sizeof(From)> raw;
    std::memcpy(raw.data(), bytes + k * sizeof(From), sizeof(From));
    if (swapped) std::reverse(raw.begin(), raw.end());
    const From value = std::bit_cast<From>(raw);
    if constexpr (std::integral<T> && std::floating_point<From>) {
      throw Error({name}, "floating-point numbers", "whole numbers");
    } else if constexpr (std::integral<T>) {
      if (!std::in_range<T>(value)) throw Error({name}, std::to_string(value), "a smaller whole number");
    }
    into[k] = static_cast<T>(value);
  }
}

// `count` elements, converted.
template <class T>
Array<T> read_elements(const ArrayFile& file) {
  constexpr decltype(&convert<T, float>) converters[] = {
      convert<T, std::uint8_t>,  convert<T, std::int8_t>,  convert<T, std::uint8_t>,  convert<T, std::int16_t>,
      convert<T, std::uint16_t>, convert<T, std::int32_t>, convert<T, std::uint32_t>, convert<T, std::int64_t>,
      convert<T, std::uint64_t>, convert<T, float>,        convert<T, double>};
  const std::size_t width = file.element_bytes();
  std::vector<char> block(std::min(kBlockBytes, at(file.count) * width));
  GrowBuffer<T> values;
  while (values.size() < file.count) {
    const Index before = values.size();
    const auto wanted = std::min(at(file.count - before), kBlockBytes / width);
    const std::size_t got = read_fully(file.source, std::span(block).first(wanted * width));
    if (got < wanted * width) cut_short(file, before + static_cast<Index>(got / width), " numbers");
    require_memory(static_cast<double>(before) * sizeof(T), file.name);
    values.resize(before + static_cast<Index>(wanted));
    converters[static_cast<std::size_t>(file.element)](block.data(), wanted, file.big_endian, values.data() + before,
                                                       file.name);
  }
  expect_end(file.source, file.name);
  return std::move(values).finish();
}

template <class T>
Matrix read_matrix(const ArrayFile& file) {
  const auto [rows, cols] = file.matrix_shape();
  const auto values = read_elements<T>(file);
  if (!file.fortran_order) return dense_matrix(values, rows, cols);
  const auto [by_row, kept] = room_for<T>(rows * cols);
  transpose(values.data(), cols, rows, by_row);
  return dense_matrix(kept, rows, cols);
}

// Labels by name, in the order of their alphabet.
Labels named_labels(const std::vector<std::string>& names) {
  std::map<std::string, double> numbers;
  for (const auto& name : names) numbers[name] = 0;
  Labels labels;
  for (auto& [name, number] : numbers) {
    number = static_cast<double>(labels.class_names.size());
    labels.class_names.push_back(name);
  }
  std::vector<double> values;
  for (const auto& name : names) values.push_back(numbers[name]);
  labels.values = Array<double>(std::move(values));
  labels.kind = LabelKind::classes;
  return labels;
}

void append_utf8(std::string& text, char32_t point) {
  auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) return put(point);
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;  // bytes of six bits behind the first
  put((0xff00U >> (more + 1) & 0xffU) | point >> 6 * more);      // as many ones as there are bytes
  for (int k = more - 1; k >= 0; --k) put(0x80 | (point >> 6 * k & 0x3f));
}

// Bytes that are no UTF-8 become the replacement character, one each.
std::vector<char32_t> code_points(const std::string& text) {
  constexpr char32_t kReplacement = 0xfffd;
  std::vector<char32_t> points;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const int ones = std::countl_one(lead);
    const std::size_t length = ones == 0 ? 1 : static_cast<std::size_t>(ones);
    char32_t point = ones == 0 ? lead : lead & (0xffU >> (ones + 1));
    for (std::size_t k = 1; k < length && at + k < text.size(); ++k)
      point = point << 6 | (static_cast<unsigned char>(text[at + k]) & 0x3fU);
    std::string again;  // the only way to write it
    if (length <= 4 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)) append_utf8(again, point);
    const bool good = !again.empty() && text.compare(at, length, again) == 0;
    points.push_back(good ? point : kReplacement);
    at += good ? length : 1;
  }
  return points;
}

std::string decode_wide(const std::string& raw, const std::string& name) {
  std::vector<char32_t> points(raw.size() / sizeof(char32_t));
  std::memcpy(points.data(), raw.data(), raw.size());
  while (!points.empty() && points.back() == 0) points.pop_back();
  std::string text;
  for (const char32_t point : points) {
    if (point > 0x10ffff) throw Error({name}, "a letter outside of Unicode", "strings");
    append_utf8(text, point);
  }
  return text;
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

ArrayFile open_idx(const ByteSource& source, const std::string& name) {
  ArrayFile file{source, name};
  char start[4];
  if (read_fully(file.source, start) < 4 || !looks_like_idx(start))
    throw Error({name}, "something that does not begin like one", "an IDX file", "check the path or the format");
  file.big_endian = true;
  file.element = *element_of(static_cast<unsigned char>(start[2]));
  for (int k = 0; k < start[3]; ++k) {
    unsigned char size[4];
    file.read_header({reinterpret_cast<char*>(size), 4}, "the sizes of the dimensions");
    file.shape.push_back(Index{size[0]} << 24 | Index{size[1]} << 16 | Index{size[2]} << 8 | Index{size[3]});
  }
  file.set_count();
  return file;
}

// train-images-idx3-ubyte.gz -> train-labels-idx1-ubyte.gz, or without (or with) .gz; '.' for '-' before idx as well.
std::vector<std::string> usual_labels(const std::string& path) {
  std::string labels = path;
  const std::size_t folder = path.find_last_of('/') + 1;
  const std::size_t images = labels.find("images", folder);
  if (images == std::string::npos) return {};
  labels.replace(images, 6, "labels");
  const std::size_t idx = labels.find("idx", images);
  if (idx != std::string::npos && idx + 3 < labels.size()) labels[idx + 3] = '1';
  const std::string plain(without_compression_suffix(labels));
  return {labels, plain, plain + ".gz"};
}

}  // namespace

void ArrayFile::set_count() {
  std::optional<Index> bytes = static_cast<Index>(element_bytes());
  count = 1;
  // Dimensions of size 0 do not hide an overflow of the others.
  for (const Index dimension : shape) {
    if (bytes) bytes = product(*bytes, std::max<Index>(dimension, 1));
    if (bytes) count *= dimension;
  }
  if (!bytes) throw Error({name}, "a shape whose size does not fit into 64 bits", "a smaller one");
}

void ArrayFile::read_header(std::span<char> into, const std::string& expected) const {
  if (read_fully(source, into) < into.size())
    throw Error({name}, "the end of the file within the header", expected, "the file is cut short");
}

std::pair<Index, Index> ArrayFile::matrix_shape() const {
  if (text) throw Error({name}, "an array of strings", "an array of numbers");
  if (shape.size() < 2)
    throw Error({name}, "an array of " + std::to_string(shape.size()) + " dimensions", "two: rows and columns",
                "one row or column is X.reshape(1, -1) or X.reshape(-1, 1)");
  if (shape.size() > 2 && fortran_order)
    throw Error({name}, "more than two dimensions in Fortran order", "C order", "save with numpy.ascontiguousarray(X)");
  if (count == 0) throw Error({name}, "an array without entries", "at least one row and one column");
  return {shape[0], count / shape[0]};
}

template <class T>
Array<T> ArrayFile::numbers() const {
  const bool flat = shape.size() == 1 || (shape.size() == 2 && shape[1] == 1);
  if (text || !flat)
    throw Error({name}, text ? "strings" : std::to_string(shape.size()) + " dimensions", "one number for each row");
  return read_elements<T>(*this);
}
template Array<float> ArrayFile::numbers() const;
template Array<double> ArrayFile::numbers() const;
template Array<std::int32_t> ArrayFile::numbers() const;
template Array<std::int64_t> ArrayFile::numbers() const;

Matrix ArrayFile::matrix(Precision precision) const {
  return precision == Precision::float32 ? read_matrix<float>(*this) : read_matrix<double>(*this);
}

std::vector<std::string> ArrayFile::strings() const {
  if (!text || shape.size() > 1) throw Error({name}, "an array of another kind", "one string for each");
  std::vector<std::string> strings;
  std::string raw(text_bytes, '\0');
  for (Index i = 0; i < count; ++i) {
    if (read_fully(source, raw) < raw.size()) cut_short(*this, i, " strings");
    strings.push_back(wide_text ? decode_wide(raw, name) : raw.substr(0, raw.find_last_not_of('\0') + 1));
  }
  expect_end(source, name);
  return strings;
}

Labels ArrayFile::labels() const {
  if (text) return named_labels(strings());
  Labels labels;
  labels.values = numbers<double>();
  labels.kind = kind_of_labels(labels.values.span());
  return labels;
}

Dataset ArrayFile::rows(const LoadOptions& options) const {
  Dataset data;
  data.source = name;
  data.x = matrix(options.precision);
  check_contents(data, name, options.threads);
  apply_options(data, options, WhenOpen::choose);
  return data;
}

NpyText npy_text(const std::vector<std::string>& strings) {
  std::vector<std::vector<char32_t>> decoded;
  std::size_t width = 1;
  for (const auto& text : strings) {
    decoded.push_back(code_points(text));
    width = std::max(width, decoded.back().size());
  }
  NpyText text{"<U" + std::to_string(width), {}};
  for (auto& points : decoded) {
    points.resize(width);
    text.points.insert(text.points.end(), points.begin(), points.end());
  }
  return text;
}

Dataset parse_idx(const ByteSource& source, const std::string& name, const LoadOptions& options) {
  const ArrayFile file = open_idx(source, name);
  if (file.shape.size() < 2)
    throw Error({name}, "one dimension", "two or more: rows and columns",
                "this looks like the labels; give the images");
  return file.rows(options);
}

Labels parse_idx_labels(const ByteSource& source, const std::string& name) {
  const ArrayFile file = open_idx(source, name);
  if (file.shape.size() != 1)
    throw Error({name}, std::to_string(file.shape.size()) + " dimensions", "one: a label for each row");
  return file.labels();
}

int recognise_idx(std::string_view name, std::span<const char> head) {
  if (looks_like_idx(head)) return 3;
  const bool named = name.ends_with(".idx") || name.ends_with("-ubyte") || name.find("-idx") != std::string_view::npos;
  return named ? 2 : 0;
}

Dataset read_idx(Input& input, const LoadOptions& options) {
  Dataset data = parse_idx(source_of(input), input.name(), options);
  const std::string labels = read_labels_beside(data, options, usual_labels(input.name()));
  if (!labels.empty()) check_targets(data, labels);
  return data;
}

Labels read_labels_file(const std::string& path) {
  const auto input = Input::open(path);
  const auto source = source_of(*input);
  if (recognise_npy({}, input->peek()) == 3) return open_npy(source, path).labels();
  if (recognise_idx({}, input->peek()) == 3) return parse_idx_labels(source, path);
  throw Error({path}, "something else", "labels as a NumPy or IDX array of one dimension");
}

std::string read_labels_beside(Dataset& data, const LoadOptions& options, const std::vector<std::string>& usual) {
  const auto found = std::find_if(usual.begin(), usual.end(), file_exists);
  std::string path = !options.labels_path.empty() ? options.labels_path : found != usual.end() ? *found : "";
  if (!path.empty()) data.y = read_labels_file(path);
  return path;
}

}  // namespace s3gd
