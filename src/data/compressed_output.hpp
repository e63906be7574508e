// Text output that is compressed when the name it goes to says so (.gz .bz2 .xz .zst), streamed: memory does not
// grow with the text.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace s3gd {

// "train.svm.gz" -> "train.svm"; names without such a suffix come back unchanged.
std::string_view without_compression_suffix(std::string_view path);

// Calls fill(stream); what it writes arrives in `out`, compressed as the suffix of `path` asks. Throws Error.
void write_compressed(std::ostream& out, const std::string& path, const std::function<void(std::ostream&)>& fill);

}  // namespace s3gd
