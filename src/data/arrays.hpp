// Arrays of numbers in binary files, of any of eleven types, converted while they are read: IDX and NumPy's format.
//
// Memory grows with the bytes that really arrive, so a header that promises more than there is costs nothing.
#pragma once

#include "data/compressed_output.hpp"
#include "data/input.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd {

enum class Element : std::uint8_t { b1, i1, u1, i2, u2, i4, u4, i8, u8, f4, f8 };
struct ElementType {
  char kind;
  std::size_t bytes;
};
inline constexpr ElementType kElements[] = {{'b', 1}, {'i', 1}, {'u', 1}, {'i', 2}, {'u', 2}, {'i', 4},
                                            {'u', 4}, {'i', 8}, {'u', 8}, {'f', 4}, {'f', 8}};

// One array whose header is read: what it said, and where the numbers (or strings) come from.
struct ArrayFile {
  ByteSource source;
  std::string name;               // for errors, which all that follows throws when there is something else
  bool text = false;              // strings of fixed width rather than numbers
  Element element = Element::f8;  // numbers
  bool wide_text = false;         // strings: 4-byte code points ('U') rather than bytes ('S')
  std::size_t text_bytes = 0;     // strings: bytes of each
  bool fortran_order = false;
  bool big_endian = false;  // IDX
  std::vector<Index> shape = {};
  Index count = 0;               // product of the shape
  std::size_t header_bytes = 0;  // where the data begins

  std::size_t element_bytes() const { return text ? text_bytes : kElements[static_cast<std::size_t>(element)].bytes; }
  void set_count();  // from the shape
  // Reads all of `into`, which the header goes on with; `expected` is what is missing when it cannot.
  void read_header(std::span<char> into, const std::string& expected) const;

  // Rows and columns: an array of two or more dimensions is a matrix, all but the first are flattened to columns.
  std::pair<Index, Index> matrix_shape() const;

  // What follows the header, to the end: a number for each row as T = float, double, int32 or int64; rows; ..
  template <class T>
  Array<T> numbers() const;
  Matrix matrix(Precision precision) const;
  std::vector<std::string> strings() const;
  Labels labels() const;

  Dataset rows(const LoadOptions& options) const;  // the matrix alone
};

// NumPy's array format: a header (a Python dict of descr, fortran_order and shape), then the bytes. Read and written
// here for .npy files and for the members of .npz archives.
ArrayFile open_npy(ByteSource source, const std::string& name);

// IDX, the format of MNIST: two zero bytes, a type, the number of dimensions, their sizes, then the numbers, all with
// the most significant byte first. The first dimension counts rows, the others are flattened to columns. These are the
// rows alone, from any source of bytes, and a file of one dimension.
Dataset parse_idx(const ByteSource& source, const std::string& name, const LoadOptions& options);
Labels parse_idx_labels(const ByteSource& source, const std::string& name);

// From the bytes of an archive.
Dataset parse_npz(std::span<const std::byte> bytes, const std::string& name, const LoadOptions& options);

// Labels that stand in a file of their own, a NumPy or IDX array of one dimension: the one the options name or else the
// first of `usual` that exists; none when there is none. Returns its path.
std::string read_labels_beside(Dataset& data, const LoadOptions& options, const std::vector<std::string>& usual);

// Writing: the header, and the whole array in one or more pieces.
std::string npy_header(const std::string& descr, const std::vector<Index>& shape);
struct NpyText {
  std::string descr;
  std::vector<char32_t> points;
};
NpyText npy_text(const std::vector<std::string>& strings);
// The rows of a dense matrix, one after the other.
void put_dense(const Matrix& matrix, const BytesOut& out);
std::string npy_descr(Precision precision);

}  // namespace s3gd
