// The table of formats: to add one, write its file and add a line to format_table() in format.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/input.hpp"
#include "data/readers.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd {

struct Format {
  FormatInfo info;
  // How sure a look at the (lower-case) file name without compression suffix, and at the first bytes, makes us:
  // 0 = no, 1 = the last resort, 2 = the extension says so, 3 = the contents say so.
  int (*recognise)(std::string_view name, std::span<const char> head);
  // Formats that are streamed read from `input`; formats that are mapped open `input.name()` themselves.
  Dataset (*read)(Input& input, const LoadOptions& options);
  void (*write)(const Dataset& data, const std::string& path, const SaveOptions& options);  // null: not written
  // Writes blocks of rows as they come, keeping none: for data that does not fit into memory. Null: cannot.
  void (*stream)(const std::string& path, const std::function<void(const RowSink& take)>& produce) = nullptr;
  // Reads rows block by block, keeping none. Null: read() does not copy the rows into memory anyway, or has to.
  void (*stream_rows)(Input& input, const LoadOptions& options, const RowStart& start) = nullptr;
};

const std::vector<Format>& format_table();

// The format `path` is written in; throws when there is none.
const Format& format_for_writing(const std::string& path, const SaveOptions& options);

// Deferred check of mapped data; see Dataset::verifier.
struct Verifier {
  virtual ~Verifier() = default;
  virtual void verify(int threads) const = 0;  // throws Error; does the work once
  virtual bool has_checksums() const = 0;      // or only looks whether the contents are sound
};

}  // namespace s3gd
