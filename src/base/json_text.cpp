// Text from and to values, by nlohmann's library.
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.hpp"

namespace s3gd {
namespace {

using Theirs = nlohmann::ordered_json;
using Handler = Theirs::error_handler_t;

constexpr std::size_t kDeepest = 1000;  // lists in lists: all that walks a value calls itself

// What nlohmann's parser calls.
struct Reader : nlohmann::json_sax<Theirs> {
  Json root;
  std::vector<Json> open;          // what is not closed yet, outermost first
  std::vector<std::string> names;  // under which each of them, or the value to come, goes into the one around it

  bool add(Json value) {
    if (open.empty()) {
      root = std::move(value);
    } else if (open.back().is_array()) {
      open.back().push_back(std::move(value));
    } else {
      open.back()[names.back()] = std::move(value);
      names.pop_back();
    }
    return true;
  }
  bool start(Json value) {
    if (open.size() == kDeepest) throw JsonParseError("values nested too deeply", 0);
    open.push_back(std::move(value));
    return true;
  }
  bool close() {
    Json value = std::move(open.back());
    open.pop_back();
    return add(std::move(value));
  }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Theirs::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return start(Json::object()); }
  bool start_array(std::size_t) override { return start(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    names.push_back(std::move(name));
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const Theirs::exception& error) override {
    throw JsonParseError(error.what(), byte);
  }
};

Json read(std::string_view text, bool comments) {
  Reader reader;
  Theirs::sax_parse(text, &reader, Theirs::input_format_t::json, true, comments);
  return std::move(reader.root);
}

}  // namespace

// A friend of Json.
struct JsonWriter {
  int indent;
  bool ascii_only;
  Handler handler;
  std::string out = {};

  void new_line(int level) {
    if (indent < 0) return;
    out += '\n';
    out.append(static_cast<std::size_t>(indent * level), ' ');
  }
  template <typename Range, typename One>
  void write_all(const Range& range, const char* brackets, int level, const One& one) {
    out += brackets[0];
    bool first = true;
    for (const auto& each : range) {
      if (!std::exchange(first, false)) out += ',';
      new_line(level + 1);
      one(each);
    }
    if (!first) new_line(level);
    out += brackets[1];
  }
  void write_text(const std::string& text) { out += Theirs(text).dump(-1, ' ', ascii_only, handler); }
  void write(const Json& json, int level) {
    if (json.is_null()) out += "null";
    if (json.is_boolean()) out += json.get<bool>() ? "true" : "false";
    if (json.is_count()) out += std::to_string(json.get<std::uint64_t>());
    if (json.is<std::int64_t>()) out += std::to_string(json.get<std::int64_t>());
    if (json.is<double>()) out += Theirs(json.get<double>()).dump();
    if (json.is_string()) write_text(std::get<std::string>(json.value_));
    if (json.is_array()) write_all(json, "[]", level, [&](const Json& element) { write(element, level + 1); });
    if (json.is_object())
      write_all(json.items(), "{}", level, [&](const JsonMember& member) {
        write_text(member.key);
        out += indent < 0 ? ":" : ": ";
        write(member.value, level + 1);
      });
  }
};

namespace {

std::string written(const Json& json, int indent, bool ascii_only, Handler handler) {
  JsonWriter writer{indent, ascii_only, handler};
  try {
    writer.write(json, 0);
  } catch (const Theirs::exception& error) {
    throw JsonError(error.what());
  }
  return std::move(writer.out);
}

}  // namespace

Json Json::parse(std::string_view text) { return read(text, false); }
Json Json::parse_with_comments(std::string_view text) { return read(text, true); }

Json Json::parse_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

std::string Json::dump(int indent) const { return written(*this, indent, false, Handler::strict); }

std::string Json::dump_repaired(int indent, bool ascii_only) const {
  return written(*this, indent, ascii_only, Handler::replace);
}

}  // namespace s3gd
