#include <archive.h>
#include <archive_entry.h>

#include <limits>
#include <memory>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "data/readers.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

// A zip archive of arrays, stored as they are: NumPy reads them faster so, and they are written at the disk's speed.
class NpzFile {
 public:
  NpzFile(std::ostream& out, const std::string& path) : out_(out), path_(path), archive_(archive_write_new()) {
    if (!archive_) throw Error("out of memory");
    check(archive_write_set_format_zip(archive_.get()));
    check(archive_write_set_format_option(archive_.get(), "zip", "compression", "store"));
    check(archive_write_set_bytes_per_block(archive_.get(), 0));
    check(archive_write_open(archive_.get(), this, nullptr, forward, nullptr));
  }

  void begin(const std::string& member, const std::string& descr, const std::vector<Index>& shape,
             std::size_t data_bytes) {
    const std::string header = npy_header(descr, shape);
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), (member + ".npy").c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), kFirstDayOfZip, 0);  // the same data gives the same file on any day
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(header.size() + data_bytes));
    check(archive_write_header(archive_.get(), entry.get()));
    write(std::as_bytes(std::span(header)));
  }
  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto done = archive_write_data(archive_.get(), bytes.data(), bytes.size());
      if (done <= 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
  }
  void put(const std::string& member, const std::string& descr, const std::vector<Index>& shape,
           std::span<const std::byte> bytes) {
    begin(member, descr, shape, bytes.size());
    write(bytes);
  }
  template <class To, class From>
  void put_as(const std::string& member, const std::string& descr, std::span<const From> values) {
    begin(member, descr, {static_cast<Index>(values.size())}, values.size() * sizeof(To));
    std::vector<To> block;
    for (std::size_t at = 0; at < values.size(); at += block.size()) {
      const auto part = values.subspan(at, std::min<std::size_t>(8192, values.size() - at));
      block.assign(part.begin(), part.end());
      write(std::as_bytes(std::span(block)));
    }
  }
  void finish() { check(archive_write_close(archive_.get())); }

 private:
  static constexpr time_t kFirstDayOfZip = 315532800 + 86400;  // 2 January 1980: 1 January is 1979 in some time zones

  struct Free {
    void operator()(archive* a) const { archive_write_free(a); }
  };

  static la_ssize_t forward(archive* a, void* self, const void* bytes, size_t count) {
    auto& out = static_cast<NpzFile*>(self)->out_;
    out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    if (out) return static_cast<la_ssize_t>(count);
    archive_set_error(a, errno, "write failed");
    return -1;
  }
  void check(int result) {
    if (result < ARCHIVE_WARN) fail();
  }
  [[noreturn]] void fail() {
    const char* reason = archive_error_string(archive_.get());
    throw Error("cannot write " + path_ + ": " + (reason != nullptr ? reason : "the archive was refused"));
  }

  std::ostream& out_;
  std::string path_;
  std::unique_ptr<archive, Free> archive_;
};

template <class T>
void put_rows(NpzFile& file, const DenseView<T>& view, const Matrix& matrix) {
  file.begin("X", npy_descr(matrix.precision()), {view.rows, view.cols},
             static_cast<std::size_t>(view.rows) * static_cast<std::size_t>(view.cols) * sizeof(T));
  put_dense(matrix, [&](std::span<const std::byte> bytes) { file.write(bytes); });
}

// The five arrays of scipy.sparse.save_npz. SciPy wants indices and indptr of one width.
template <class T, class I>
void put_rows(NpzFile& file, const CsrView<T, I>& view, const Matrix& matrix) {
  const auto count = static_cast<std::size_t>(view.nonzeros());
  const Index first = view.rows == 0 ? 0 : view.starts[0];
  std::vector<std::int64_t> starts{0};
  for (Index i = 1; i <= view.rows; ++i) starts.push_back(view.starts[i] - first);
  const std::span<const I> columns(view.columns + first, count);
  const std::span<const std::int64_t> ends(starts);
  const bool narrow = sizeof(I) == 4 && starts.back() <= std::numeric_limits<std::int32_t>::max();
  if (narrow) {
    file.put_as<std::int32_t>("indices", "<i4", columns);
    file.put_as<std::int32_t>("indptr", "<i4", ends);
  } else {
    file.put_as<std::int64_t>("indices", "<i8", columns);
    file.put_as<std::int64_t>("indptr", "<i8", ends);
  }
  file.put("format", "|S3", {}, std::as_bytes(std::span("csr", 3)));
  const std::int64_t shape[] = {view.rows, view.cols};
  file.put("shape", "<i8", {2}, std::as_bytes(std::span(shape)));
  file.put("data", npy_descr(matrix.precision()), {static_cast<Index>(count)},
           std::as_bytes(std::span(view.values + first, count)));
}

void put_names(NpzFile& file, const std::string& member, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const auto text = npy_text(names);
  file.put(member, text.descr, {static_cast<Index>(names.size())}, std::as_bytes(std::span(text.points)));
}

}  // namespace

void write_npz(const Dataset& data, const std::string& path, const SaveOptions& options) {
  refuse_compression(path, "npz");
  data.verify(options.threads);
  write_atomically(path, [&](std::ostream& out) {
    NpzFile file(out, path);
    data.x.visit([&](const auto& view) { put_rows(file, view, data.x); });
    if (data.y.kind == LabelKind::classes) file.put_as<std::int64_t>("y", "<i8", data.y.values.span());
    if (data.y.kind == LabelKind::real) file.put_as<double>("y", "<f8", data.y.values.span());
    if (!data.weights.empty()) file.put_as<double>("sample_weight", "<f8", data.weights.span());
    put_names(file, "feature_names", data.feature_names);
    put_names(file, "class_names", data.y.class_names);
    file.finish();
  });
}

}  // namespace s3gd
