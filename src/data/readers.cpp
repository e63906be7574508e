#include "data/readers.hpp"

#include "data/compressed_output.hpp"
#include "data/idx.hpp"
#include "data/npy.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

Labels read_labels_file(const std::string& path) {
  const auto input = Input::open(path);
  const auto source = source_of(*input);
  if (recognise_npy({}, input->peek()) == 3) return read_npy_labels(read_npy_header(source, path), source, path);
  if (recognise_idx({}, input->peek()) == 3) return parse_idx_labels(source, path);
  throw Error({path}, "something else", "labels as a NumPy or IDX array of one dimension");
}

void refuse_compression(const std::string& path, const std::string& format) {
  const auto plain = std::string(without_compression_suffix(path));
  if (plain != path) throw Error(path + ": the format " + format + " is not written compressed", "write " + plain);
}

}  // namespace s3gd
