#include <algorithm>
#include <cstring>

#include "data/npy.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

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
