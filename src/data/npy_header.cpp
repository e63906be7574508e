// The header of a NumPy array, and arrays of strings.
#include <charconv>

#include "data/arrays.hpp"
#include "data/assemble.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kLongestHeader = 1 << 20;
constexpr std::size_t kLongestText = 1 << 20;
constexpr std::size_t kMostDimensions = 32;

// Just as much of Python's literals as NumPy writes: a dict of strings, True, False and tuples of whole numbers.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (std::find(seen_.begin(), seen_.end(), key) != seen_.end()) refuse("'" + key + "' twice", "it once");
      seen_.push_back(key);
      if (key == "descr")
        set_type(header);
      else if (key == "fortran_order")
        header.fortran_order = truth();
      else if (key == "shape")
        header.shape = tuple();
      else
        refuse("the entry '" + key + "'", "descr, fortran_order and shape");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) refuse("more text after the header", "its end");
    if (seen_.size() != 3)
      refuse("a header with " + std::to_string(seen_.size()) + " entries", "descr, fortran_order and shape");
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& found, const std::string& expected, const std::string& hint = {}) const {
    throw Error({name_}, found, expected, hint);
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

  std::vector<Index> tuple() {
    std::vector<Index> sizes;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      Index size = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), size);
      if (error != std::errc{} || size < 0) refuse("a shape that is not made of sizes", "whole numbers from 0 on");
      at_ = static_cast<std::size_t>(end - text_.data());
      accept('L');
      sizes.push_back(size);
      if (sizes.size() > kMostDimensions) refuse("more than 32 dimensions", "two");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  void set_type(NpyHeader& header) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[')
      refuse("an array of records", "an array of numbers", "save its columns as one matrix");
    const std::string descr = quoted();
    const std::string found = "numbers of type '" + descr + "'";
    if (descr.find('O') != std::string::npos)
      refuse("Python objects", "numbers", "save with X.astype('float32') instead of dtype=object");
    if (descr.size() < 3) refuse(found, "a type such as '<f4'");
    const char order = descr[0], kind = descr[1];
    if (order == '>')
      refuse(found + ", most significant byte first", "least significant byte first", "save with X.astype('<f4')");
    if (order != '<' && order != '|' && order != '=') refuse(found, "a type such as '<f4'");
    std::size_t width = 0;
    const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), width);
    if (error != std::errc{} || end != descr.data() + descr.size()) refuse(found, "a type such as '<f4'");
    if (kind == 'S' || kind == 'U') return set_text(header, kind, width);
    for (std::size_t k = 0; k < std::size(kElements); ++k)
      if (kElements[k].kind == kind && kElements[k].bytes == width) {
        header.element = static_cast<Element>(k);
        return;
      }
    refuse(found, "one of f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1", "save with X.astype('float32')");
  }

  void set_text(NpyHeader& header, char kind, std::size_t width) const {
    if (width == 0 || width > kLongestText) refuse("strings of " + std::to_string(width) + " letters", "1 to 1048576");
    header.text = true;
    header.wide_text = kind == 'U';
    header.text_bytes = kind == 'U' ? 4 * width : width;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::vector<std::string> seen_;
};

[[noreturn]] void cut_short(const std::string& name) {
  throw Error({name}, "the end of the file within the header", "a NumPy array", "the file is cut short");
}

constexpr char32_t kReplacement = 0xfffd;

void append_utf8(std::string& text, char32_t point) {
  auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xc0 | point >> 6);
  } else {
    if (point < 0x10000) {
      put(0xe0 | point >> 12);
    } else {
      put(0xf0 | point >> 18);
      put(0x80 | (point >> 12 & 0x3f));
    }
    put(0x80 | (point >> 6 & 0x3f));
  }
  put(0x80 | (point & 0x3f));
}

// Bytes that are no UTF-8 become the replacement character, one each.
std::vector<char32_t> code_points(const std::string& text) {
  std::vector<char32_t> points;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    char32_t point = length <= 1 ? lead : lead & (0xffU >> (length + 1));
    bool good = length > 0 && at + length <= text.size();
    for (std::size_t k = 1; good && k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[at + k]);
      good = (next & 0xc0) == 0x80;
      point = point << 6 | (next & 0x3f);
    }
    std::string again;
    if (good) append_utf8(again, point);
    good = good && again.size() == length && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    points.push_back(good ? point : kReplacement);
    at += good ? length : 1;
  }
  return points;
}

std::string decode_wide(const std::string& raw, const std::string& name) {
  std::string text;
  std::size_t end = raw.size();
  const auto point_at = [&](std::size_t at) {
    char32_t point;
    std::memcpy(&point, raw.data() + at, sizeof point);
    return point;
  };
  while (end > 0 && point_at(end - 4) == 0) end -= 4;
  for (std::size_t at = 0; at < end; at += 4) {
    if (point_at(at) > 0x10ffff) throw Error({name}, "a letter outside of Unicode", "strings");
    append_utf8(text, point_at(at));
  }
  return text;
}

}  // namespace

NpyHeader read_npy_header(const ByteSource& source, const std::string& name) {
  char start[8];
  const std::size_t got = read_fully(source, start);
  if (got < 6 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    throw Error({name}, "something that does not begin like one", "a NumPy array", "check the path or the format");
  if (got < 8) cut_short(name);
  if (start[6] < 1 || start[6] > 3)
    throw Error({name}, "NumPy format version " + std::to_string(static_cast<unsigned char>(start[6])), "1, 2 or 3");
  const std::size_t length_bytes = start[6] == 1 ? 2 : 4;
  unsigned char length[4] = {};
  if (read_fully(source, {reinterpret_cast<char*>(length), length_bytes}) < length_bytes) cut_short(name);
  const std::size_t size =
      length[0] | std::size_t{length[1]} << 8 | std::size_t{length[2]} << 16 | std::size_t{length[3]} << 24;
  if (size > kLongestHeader) throw Error({name}, "a header of " + std::to_string(size) + " bytes", "at most 1048576");
  std::string text(size, '\0');
  if (read_fully(source, text) < size) cut_short(name);
  NpyHeader header = HeaderParser(text, name).parse();
  header.header_bytes = 8 + length_bytes + size;
  std::optional<Index> bytes = static_cast<Index>(header.element_bytes());
  header.count = 1;
  // Dimensions of size 0 do not hide an overflow of the others.
  for (const Index dimension : header.shape) {
    if (bytes) bytes = product(*bytes, std::max<Index>(dimension, 1));
    if (bytes) header.count *= dimension;
  }
  if (!bytes) throw Error({name}, "a shape whose size does not fit into 64 bits", "a smaller one");
  return header;
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

std::vector<std::string> read_npy_text(const NpyHeader& header, const ByteSource& source, const std::string& name) {
  if (!header.text || header.shape.size() > 1) throw Error({name}, "an array of another kind", "one string for each");
  std::vector<std::string> strings;
  std::string raw(header.text_bytes, '\0');
  for (Index i = 0; i < header.count; ++i) {
    if (read_fully(source, raw) < raw.size())
      throw Error({name}, std::to_string(i) + " strings", std::to_string(header.count) + " as its header says",
                  "the file is cut short or its header is wrong");
    strings.push_back(header.wide_text ? decode_wide(raw, name) : raw.substr(0, raw.find_last_not_of('\0') + 1));
  }
  expect_end(source, name);
  return strings;
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

}  // namespace s3gd
