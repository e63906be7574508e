// LIBSVM, CSV and TSV out. Numbers are the shortest text that reads back as the same bits.
#include <charconv>

#include "base/file.hpp"
#include "base/index.hpp"
#include "data/compressed_output.hpp"
#include "data/csv_record.hpp"
#include "data/format.hpp"
#include "data/row_access.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kBufferBytes = 1 << 18;

class TextOut {
 public:
  explicit TextOut(std::ostream& out) : out_(out) { buffer_.reserve(kBufferBytes + 64); }

  template <class N>
    requires std::is_arithmetic_v<N>
  void put(N value) {
    char text[32];
    buffer_.append(text, std::to_chars(text, text + sizeof text, value).ptr);
  }
  void put(char c) { buffer_ += c; }
  void put(std::string_view t) { buffer_ += t; }
  void end_line() {
    buffer_ += '\n';
    if (buffer_.size() >= kBufferBytes) flush();
  }
  void flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
  }

 private:
  std::ostream& out_;
  std::string buffer_;
};

// Calls f(column, value) for every entry of row i that is not zero.
template <class View, class F>
void for_each_written(const View& view, Index i, F&& f) {
  for_each_entry(view, i, [&](Index j, auto value) {
    if (!is_plain_zero(value)) f(j, value);
  });
}

void write_text(const std::string& path, const std::function<void(TextOut&)>& fill) {
  write_atomically(path, [&](std::ostream& file) {
    write_compressed(file, path, [&](std::ostream& plain) {
      TextOut out(plain);
      fill(out);
      out.flush();
    });
  });
}

std::string csv_header(const Dataset& data, char separator) {
  std::string header;
  const auto add = [&](const std::string& name) {
    header += (header.empty() ? "" : std::string(1, separator)) + csv_field(name, separator);
  };
  if (data.y.kind != LabelKind::none) add("label");
  if (!data.weights.empty()) add("weight");
  for (Index j = 0; j < data.cols(); ++j)
    add(data.feature_names.empty() ? "x" + std::to_string(j + 1) : data.feature_names[at(j)]);
  return header;
}

void write_separated(const Dataset& data, const std::string& path, char separator) {
  std::vector<std::string> classes;
  for (const auto& name : data.y.class_names) classes.push_back(csv_field(name, separator));
  write_text(path, [&](TextOut& out) {
    out.put(csv_header(data, separator));
    out.end_line();
    data.x.visit([&](const auto& view) {
      for (Index i = 0; i < view.rows; ++i) {
        bool first = true;  // in this line
        const auto field = [&](auto value) {
          if (!std::exchange(first, false)) out.put(separator);
          out.put(value);
        };
        if (data.y.kind != LabelKind::none)
          classes.empty() ? field(data.y.values[i])
                          : field(std::string_view(classes[static_cast<std::size_t>(data.y.values[i])]));
        if (!data.weights.empty()) field(data.weights[i]);
        Index column = 0;
        const auto zeros_up_to = [&](Index end) {
          for (; column < end; ++column) field('0');
        };
        for_each_written(view, i, [&](Index j, auto value) {
          zeros_up_to(j);
          field(value);
          ++column;
        });
        zeros_up_to(view.cols);
        out.end_line();
      }
    });
  });
}

void libsvm_rows(const Dataset& data, TextOut& out) {
  if (!data.weights.empty())
    throw Error("LIBSVM text has no place for sample weights", "write .csv or .s3d, or leave the weights out");
  data.x.visit([&](const auto& view) {
    for (Index i = 0; i < view.rows; ++i) {
      out.put(data.y.kind == LabelKind::none ? 0.0 : data.y.values[i]);
      for_each_written(view, i, [&](Index j, auto value) {
        out.put(' ');
        out.put(j + 1);
        out.put(':');
        out.put(value);
      });
      out.end_line();
    }
  });
}

}  // namespace

void write_libsvm(const Dataset& data, const std::string& path, const SaveOptions&) {
  stream_libsvm(path, [&](const RowSink& take) { take(data); });
}

void stream_libsvm(const std::string& path, const std::function<void(const RowSink& take)>& produce) {
  write_text(path, [&](TextOut& out) { produce([&](const Dataset& block) { libsvm_rows(block, out); }); });
}

void write_csv(const Dataset& data, const std::string& path, const SaveOptions&) { write_separated(data, path, ','); }
void write_tsv(const Dataset& data, const std::string& path, const SaveOptions&) { write_separated(data, path, '\t'); }

}  // namespace s3gd
