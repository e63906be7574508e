// Dataset: rows, labels, sample weights and names; immutable. load() reads one from anything:
//   a file in any format (format by content and extension), "-" for standard input,
//   the NAME of a known dataset found in $S3GD_DATA or the download cache, or gen:KIND?rows=..&cols=..
// save() writes one in the format its extension names.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "s3gd/matrix.hpp"

namespace s3gd {

enum class LabelKind : std::uint8_t {
  none,     // no label column
  classes,  // whole numbers, or the names in class_names
  real,     // anything else
};

struct Labels {
  Array<double> values;  // as in the file; with class_names, an index into them
  LabelKind kind = LabelKind::none;
  std::vector<std::string> class_names;  // only when the file's labels are words

  // The distinct values, ascending. Throws when there are more than `limit` (then they are not classes).
  std::vector<double> distinct(Index limit = 1 << 16) const;
  // How a class is written in the file it came from: its name, or its number without a superfluous ".0".
  std::string name_of(double value) const;
};

struct Dataset {
  Matrix x;
  Labels y;
  Array<double> weights;                   // one per row, or empty (= all ones)
  std::vector<std::string> feature_names;  // one per column, or empty
  std::string source;                      // where it came from, for messages
  // Set for data mapped from a file, whose contents are not looked at when it is opened: checks checksum and
  // structure, once. Every consumer of rows calls verify() before it touches them.
  std::shared_ptr<const struct Verifier> verifier;

  // How its file counts, names and bounds the columns, so that a second file can be read as the first was.
  std::optional<Index> index_base;  // LIBSVM text: the number of the first column, 0 or 1
  std::string label_column;         // CSV: the label's name; without a header, its number
  std::optional<bool> open_width;   // see has_open_width; not set = by the matrix

  // In LIBSVM text and sparse files, columns without entries need not appear: another number of columns is no mistake.
  bool has_open_width() const { return open_width.value_or(!x.is_dense()); }

  Index rows() const { return x.rows(); }
  Index cols() const { return x.cols(); }
  void verify(int threads = 0) const;
};

enum class Missing : std::uint8_t { error, zero, mean };
enum class IndexBase : std::uint8_t { detect, zero, one };
enum class IndexOrder : std::uint8_t { strict, merge };  // merge: sort unsorted indices, add up duplicates

struct LoadOptions {
  std::string format;  // empty = by content and extension; otherwise a name from `s3gd list formats`
  Precision precision = Precision::float32;
  Layout layout = Layout::automatic;  // dense when more than a third of the entries are non-zero
  int threads = 0;                    // 0 = all

  Index cols = 0;  // at least this many columns (so that train and test agree); 0 = as many as the file has
  IndexBase index_base = IndexBase::detect;     // LIBSVM text
  IndexOrder index_order = IndexOrder::strict;  // LIBSVM text
  // CSV: name, or number counted from 0 (negative: from the end); default 0 ("label", "y", "target", "class" by name); "none" = no
  // labels. Where it is empty, Dataset::label_column of another file; a header without that: no labels.
  std::string label_column, usual_label_column;
  std::string weight_column;         // CSV: name or number; empty = none
  std::optional<bool> header;        // CSV: detected when not set
  Missing missing = Missing::error;  // CSV
  std::string labels_path;           // IDX, npy: the file of labels; found by its usual name when empty
};

Dataset load(const std::string& source, const LoadOptions& options = {});

struct SaveOptions {
  std::string format;  // empty = by extension
  int threads = 0;
};
void save(const Dataset& data, const std::string& path, const SaveOptions& options = {});

// One line for each format: name, extensions, what it holds.
struct FormatInfo {
  std::string name;
  std::string extensions;
  std::string summary;
  bool readable = true;
  bool writable = true;
};
std::vector<FormatInfo> formats();

// Rows by index, in the given order (a copy). Labels, weights and names follow.
Dataset take_rows(const Dataset& data, std::span<const Index> rows);

// A seeded random split; stratified by class when the labels are classes. fraction = share of the second part.
struct Split {
  std::vector<Index> train;
  std::vector<Index> test;
};
Split split_rows(const Dataset& data, double test_fraction, std::uint64_t seed, bool stratified = true);

}  // namespace s3gd
