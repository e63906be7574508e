// NumPy's arrays: their header, read and written, and .npy files.
#include <charconv>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "data/arrays.hpp"
#include "data/checks.hpp"
#include "data/convert.hpp"
#include "data/format.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kLongestHeader = 1 << 20;
constexpr std::size_t kLongestText = 1 << 20;
constexpr std::size_t kMostDimensions = 32;
constexpr std::string_view kMagic = "\x93NUMPY";

// Just as much of Python's literals as NumPy writes: a dict of strings, True, False and tuples of whole numbers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, ArrayFile& file) : text_(text), file_(file) {}

  void parse() {
    list('{', '}', [&] { entry(); });
    skip_blanks();
    if (at_ != text_.size()) refuse("more text after the header", "its end");
    if (seen_.size() != 3)
      refuse("a header with " + std::to_string(seen_.size()) + " entries", "descr, fortran_order and shape");
  }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& expected, const std::string& hint = {}) const {
    throw Error({file_.name}, found, expected, hint);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char wanted) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) refuse("a header that NumPy does not write", std::string("'") + wanted + "' in it");
  }
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  // Items between brackets, with a comma behind each but perhaps the last.
  template <class Item>
  void list(char open, char close, const Item& item) {
    expect(open);
    while (!accept(close)) {
      item();
      if (accept(',')) continue;
      return expect(close);
    }
  }

  void entry() {
    const std::string key = quoted();
    expect(':');
    if (!seen_.insert(key).second) refuse("'" + key + "' twice", "it once");
    if (key == "descr")
      set_type();
    else if (key == "fortran_order")
      file_.fortran_order = truth();
    else if (key == "shape")
      list('(', ')', [&] { file_.shape.push_back(size()); });
    else
      refuse("the entry '" + key + "'", "descr, fortran_order and shape");
  }

  std::string quoted() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) refuse("a string without an end", "a closing quote");
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }

  bool truth() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) refuse("an order that is neither True nor False", "one of them");
    return false;
  }

  Index size() {
    skip_blanks();
    Index size = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
    if (error != std::errc{} || size < 0) refuse("a shape that is not made of sizes", "whole numbers from 0 on");
    at_ = static_cast<std::size_t>(end - text_.data());
    accept('L');
    if (file_.shape.size() == kMostDimensions) refuse("more than 32 dimensions", "two");
    return size;
  }

  void set_type() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[')
      refuse("an array of records", "an array of numbers", "save its columns as one matrix");
    const std::string descr = quoted();
    const std::string found = "numbers of type '" + descr + "'";
    if (descr.find('O') != std::string::npos)
      refuse("Python objects", "numbers", "save with X.astype('float32') instead of dtype=object");
    if (descr.starts_with('>'))
      refuse(found + ", most significant byte first", "least significant byte first", "save with X.astype('<f4')");
    const auto width = descr.size() < 3 ? std::nullopt : as_number<std::size_t>(std::string_view(descr).substr(2));
    if (!width || std::string_view("<|=").find(descr[0]) == std::string_view::npos)
      refuse(found, "a type such as '<f4'");
    const char kind = descr[1];
    if (kind == 'S' || kind == 'U') return set_text(kind == 'U', *width);
    for (std::size_t k = 0; k < std::size(kElements); ++k)
      if (kElements[k].kind == kind && kElements[k].bytes == *width) {
        file_.element = static_cast<Element>(k);
        return;
      }
    refuse(found, "one of f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1", "save with X.astype('float32')");
  }

  void set_text(bool wide, std::size_t width) {
    if (width == 0 || width > kLongestText) refuse("strings of " + std::to_string(width) + " letters", "1 to 1048576");
    file_.text = true;
    file_.wide_text = wide;
    file_.text_bytes = wide ? 4 * width : width;
  }

  std::string_view text_;
  ArrayFile& file_;
  std::size_t at_ = 0;
  std::set<std::string> seen_;
};

// FOO.npy -> FOO.WHAT.npy
std::string beside(const std::string& path, const std::string& what) {
  const std::string stem = path.ends_with(".npy") ? path.substr(0, path.size() - 4) : path;
  return stem + "." + what + ".npy";
}

// FOO.labels.npy; FOO_y.npy; and y.npy for X.npy, y_train.npy for X_train.npy.
std::vector<std::string> usual_labels(const std::string& path) {
  std::vector<std::string> candidates{beside(path, "labels")};
  if (path.ends_with(".npy")) candidates.push_back(path.substr(0, path.size() - 4) + "_y.npy");
  const std::size_t base = path.find_last_of('/') + 1;
  if (base < path.size() && (path[base] == 'X' || path[base] == 'x')) {
    candidates.push_back(path);
    candidates.back()[base] = 'y';
  }
  return candidates;
}

// A file whose rows can be used where they lie.
template <class T>
std::optional<Dataset> map_npy(const std::shared_ptr<const MappedFile>& mapped, const LoadOptions& options) {
  const std::string& path = mapped->path();
  const auto bytes = mapped->bytes();
  const ArrayFile file = open_npy(source_of(bytes), path);
  const auto [rows, cols] = file.matrix_shape();
  if (file.element != (sizeof(T) == 4 ? Element::f4 : Element::f8) || file.fortran_order ||
      options.layout == Layout::sparse || options.cols > cols || file.header_bytes % sizeof(T) != 0)
    return std::nullopt;
  const auto expected = file.header_bytes + at(file.count) * sizeof(T);
  if (bytes.size() != expected)
    throw Error({path}, std::to_string(bytes.size()) + " bytes", std::to_string(expected) + " as its header says",
                "the file is cut short or its header is wrong");
  Dataset data;
  const auto* values = reinterpret_cast<const T*>(bytes.data() + file.header_bytes);
  data.x = Matrix(DenseView<T>{values, rows, cols, cols}, mapped);
  data.verifier = verify_once([data, path](int threads) { check_contents(data, path, threads); }, false);
  return data;
}

std::optional<Dataset> map_npy(const Input& input, const LoadOptions& options) {
  if (!is_mappable(input)) return std::nullopt;
  const auto file = std::make_shared<const MappedFile>(input.name());
  return options.precision == Precision::float32 ? map_npy<float>(file, options) : map_npy<double>(file, options);
}

void write_array(const std::string& path, const std::string& header, const std::function<void(const BytesOut&)>& fill) {
  write_atomically(path, [&](std::ostream& out) {
    out << header;
    fill([&](std::span<const std::byte> bytes) { write_bytes(out, bytes); });
  });
}

}  // namespace

ArrayFile open_npy(ByteSource source, const std::string& name) {
  ArrayFile file{std::move(source), name};
  char start[8];
  const std::size_t got = read_fully(file.source, start);
  if (!std::string_view(start, got).starts_with(kMagic))
    throw Error({name}, "something that does not begin like one", "a NumPy array", "check the path or the format");
  if (got < 8) file.read_header(start, "a NumPy array");
  if (start[6] < 1 || start[6] > 3)
    throw Error({name}, "NumPy format version " + std::to_string(static_cast<unsigned char>(start[6])), "1, 2 or 3");
  std::uint32_t size = 0;  // 2 or 4 bytes, the least significant first
  const std::size_t length_bytes = start[6] == 1 ? 2 : 4;
  file.read_header({reinterpret_cast<char*>(&size), length_bytes}, "a NumPy array");
  if (size > kLongestHeader) throw Error({name}, "a header of " + std::to_string(size) + " bytes", "at most 1048576");
  std::string text(size, '\0');
  file.read_header(text, "a NumPy array");
  HeaderParser(text, file).parse();
  file.header_bytes = 8 + length_bytes + size;
  file.set_count();
  return file;
}

std::string npy_header(const std::string& descr, const std::vector<Index>& shape) {
  std::string sizes;
  for (const Index size : shape)
    sizes += std::to_string(size) + (shape.size() == 1 || &size != &shape.back() ? "," : "");
  std::string dict = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  // Spaces and a line end up to a multiple of 64, so that the data can be used where it lies.
  constexpr std::size_t before = 10;
  dict.append(63 - (before + dict.size()) % 64, ' ');
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

int recognise_npy(std::string_view name, std::span<const char> head) {
  if (std::string_view(head.data(), head.size()).starts_with(kMagic)) return 3;
  return name.ends_with(".npy") ? 2 : 0;
}

Dataset read_npy(Input& input, const LoadOptions& options) {
  const std::string& path = input.name();
  const auto mapped = map_npy(input, options);
  Dataset data = mapped ? *mapped : open_npy(source_of(input), path).rows(options);
  data.source = path;
  const std::string labels = read_labels_beside(data, options, usual_labels(path));
  if (const auto weights = beside(path, "weights"); file_exists(weights)) {
    const auto file = Input::open(weights);
    data.weights = open_npy(source_of(*file), weights).numbers<double>();
  }
  check_targets(data, labels.empty() ? path : labels);
  return data;
}

void write_npy(const Dataset& data, const std::string& path, const SaveOptions& options) {
  refuse_compression(path, "npy");
  const Matrix dense = with_layout(data.x, Layout::dense, data.x.precision(), options.threads);
  write_array(path, npy_header(npy_descr(dense.precision()), {dense.rows(), dense.cols()}),
              [&](const BytesOut& out) { put_dense(dense, out); });
  const auto write_beside = [&](const char* what, const std::string& descr, std::span<const std::byte> bytes) {
    write_array(beside(path, what), npy_header(descr, {data.rows()}), [&](const BytesOut& out) { out(bytes); });
  };
  if (!data.y.class_names.empty()) {
    std::vector<std::string> names;
    for (const double value : data.y.values) names.push_back(data.y.name_of(value));
    const auto text = npy_text(names);
    write_beside("labels", text.descr, std::as_bytes(std::span(text.points)));
  } else if (data.y.kind != LabelKind::none) {
    write_beside("labels", "<f8", std::as_bytes(data.y.values.span()));
  }
  if (!data.weights.empty()) write_beside("weights", "<f8", std::as_bytes(data.weights.span()));
}

std::string npy_descr(Precision precision) { return precision == Precision::float32 ? "<f4" : "<f8"; }

void put_dense(const Matrix& matrix, const BytesOut& out) {
  matrix.visit([&](const auto& view) {
    if constexpr (requires { view.stride; }) {
      if (view.stride == view.cols) return out(std::as_bytes(std::span(view.values, at(view.rows * view.cols))));
      for (Index i = 0; i < view.rows; ++i) out(std::as_bytes(std::span(view.row(i), at(view.cols))));
    }
  });
}

}  // namespace s3gd
