#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/file.hpp"
#include "data/arrays.hpp"
#include "data/format.hpp"
#include "data/s3d.hpp"

namespace s3gd {
namespace {

using s3d::Header;
using s3d::Section;

void emit_names(const std::vector<std::string>& names, const BytesOut& out) {
  for (const auto& name : names) {
    const auto length = static_cast<std::uint32_t>(name.size());
    out(std::as_bytes(std::span(&length, 1)));
    out(std::as_bytes(std::span(name)));
  }
}

template <class T, class I>
void emit_rows(const CsrView<T, I>& view, Section which, std::int64_t entries_before, const BytesOut& out) {
  if (view.rows == 0) return;
  const auto count = at(view.nonzeros());
  if (which == s3d::values) out(std::as_bytes(std::span(view.values + view.starts[0], count)));
  if (which == s3d::columns) out(std::as_bytes(std::span(view.columns + view.starts[0], count)));
  if (which != s3d::starts) return;
  std::vector<std::int64_t> ends;
  for (Index i = 1; i <= view.rows; ++i) {
    ends.push_back(entries_before + view.starts[i] - view.starts[0]);
    if (ends.size() < 8192 && i < view.rows) continue;
    out(std::as_bytes(std::span(ends)));
    ends.clear();
  }
}

// What a block of rows adds to a section.
void emit(const Dataset& block, Section which, std::int64_t entries_before, bool first, const BytesOut& out) {
  const std::int64_t zero = 0;
  if (which == s3d::starts && first && !block.x.is_dense()) out(std::as_bytes(std::span(&zero, 1)));
  if (which == s3d::values) put_dense(block.x, out);
  if (which <= s3d::starts)
    block.x.visit([&](const auto& view) {
      if constexpr (requires { view.columns; }) emit_rows(view, which, entries_before, out);
    });
  if (which == s3d::labels && block.y.kind != LabelKind::none) out(std::as_bytes(block.y.values.span()));
  if (which == s3d::weights) out(std::as_bytes(block.weights.span()));
  if (which == s3d::feature_names && first) emit_names(block.feature_names, out);
  if (which == s3d::class_names && first) emit_names(block.y.class_names, out);
}

Header header_of(const Dataset& data) {
  Header header;
  header.rows = data.rows();
  header.cols = data.cols();
  header.stored = data.x.stored();
  header.layout = data.x.is_dense() ? s3d::dense_rows : s3d::sparse_rows;
  header.value_bytes = data.x.precision() == Precision::float32 ? 4 : 8;
  header.label_kind = data.y.kind;
  data.x.visit([&](const auto& view) {
    if constexpr (requires { view.columns; }) header.column_bytes = sizeof(*view.columns);
  });
  return header;
}

// Writes section after section behind the place of the header, and the header at last.
class SectionFile {
 public:
  explicit SectionFile(std::ostream& out) : out_(out) { pad_to(s3d::kHeaderBytes); }

  void begin() {
    pad_to((written_ + s3d::kAlignment - 1) / s3d::kAlignment * s3d::kAlignment);
    begin_ = written_;
    sum_ = Checksum();
  }
  void write(std::span<const std::byte> bytes) {
    write_bytes(out_, bytes);
    if (!out_) throw_file_error("write", "the file", errno != 0 ? errno : EIO);
    written_ += bytes.size();
    sum_.update(bytes);
  }
  s3d::SectionPlace end() const { return {begin_, written_ - begin_, sum_.value()}; }

  void finish(Header header) {
    header.file_bytes = written_;
    out_.seekp(0);
    write_bytes(out_, s3d::encode(header));
  }

 private:
  void pad_to(std::uint64_t position) {
    write_bytes(out_, std::vector<std::byte>(static_cast<std::size_t>(position - written_)));
    written_ = position;
  }

  std::ostream& out_;
  std::uint64_t written_ = 0, begin_ = 0;
  Checksum sum_;
};

// What grows beside the values while rows are streamed: a file without a name, gone when it is closed.
class Spool {
 public:
  explicit Spool(const std::string& path) : name_(path + ".spoolXXXXXX"), file_(mkstemp(name_.data()), path, "write") {
    unlink(name_.c_str());
    name_ = path;
  }

  void write(std::span<const std::byte> bytes) {
    if (!file_.write(bytes)) throw_file_error("write", name_, errno);
  }
  void replay(const BytesOut& out) {
    std::vector<char> buffer(1 << 20);
    lseek(file_.descriptor(), 0, SEEK_SET);
    while (const std::size_t got = file_.read(buffer)) out(std::as_bytes(std::span(buffer).first(got)));
  }

 private:
  std::string name_;
  OpenFile file_;
};

class StreamingWriter {
 public:
  StreamingWriter(std::ostream& out, const std::string& path) : file_(out) {
    for (auto& spool : spools_) spool.emplace(path);
    file_.begin();
  }

  void append(const Dataset& block) {
    block.verify();
    const Header next = header_of(block);
    if (first_) header_ = next, header_.rows = header_.stored = 0, weighted_ = !block.weights.empty();
    if (next.cols != header_.cols || next.layout != header_.layout || next.value_bytes != header_.value_bytes ||
        next.column_bytes != header_.column_bytes || next.label_kind != header_.label_kind ||
        weighted_ == block.weights.empty())
      throw Error("blocks of rows of different types cannot go into one .s3d file");
    for (std::size_t k = 0; k < s3d::section_count; ++k)
      emit(block, static_cast<Section>(k), header_.stored, first_,
           [&](std::span<const std::byte> bytes) { k == s3d::values ? file_.write(bytes) : spools_[k]->write(bytes); });
    header_.rows += next.rows;
    header_.stored += next.stored;
    first_ = false;
  }

  void finish() {
    if (first_) throw Error("there are no rows to write");
    header_.sections[s3d::values] = file_.end();
    for (std::size_t k = s3d::values + 1; k < s3d::section_count; ++k) {
      file_.begin();
      spools_[k]->replay([&](std::span<const std::byte> bytes) { file_.write(bytes); });
      header_.sections[k] = file_.end();
    }
    file_.finish(header_);
  }

 private:
  SectionFile file_;
  Header header_;
  std::array<std::optional<Spool>, s3d::section_count> spools_;
  bool first_ = true, weighted_ = false;
};

}  // namespace

void stream_s3d(const std::string& path, const std::function<void(const RowSink& take)>& produce) {
  refuse_compression(path, "s3d");
  write_atomically(path, [&](std::ostream& out) {
    StreamingWriter writer(out, path);
    produce([&](const Dataset& block) { writer.append(block); });
    writer.finish();
  });
}

void write_s3d(const Dataset& data, const std::string& path, const SaveOptions&) {
  refuse_compression(path, "s3d");
  write_atomically(path, [&](std::ostream& out) {
    SectionFile file(out);
    Header header = header_of(data);
    for (std::size_t k = 0; k < s3d::section_count; ++k) {
      file.begin();
      emit(data, static_cast<Section>(k), 0, true, [&](std::span<const std::byte> bytes) { file.write(bytes); });
      header.sections[k] = file.end();
    }
    file.finish(header);
  });
}

}  // namespace s3gd
