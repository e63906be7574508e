#include "file_use.hpp"

#include <filesystem>

#include "data/catalog.hpp"
#include "data/generate.hpp"

namespace s3gd::app {
namespace {

bool is_no_plain_file(const std::string& path) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  return kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::none &&
         kind != std::filesystem::file_type::regular;
}

bool clash(const FileUse& a, const FileUse& b) { return same_file(a.path, b.path) && !is_no_plain_file(a.path); }

}  // namespace

std::string file_of_source(const std::string& source) {
  std::error_code ignored;
  if (source.empty() || source == "-" || is_generated(source)) return {};
  if (std::filesystem::exists(source, ignored)) return source;
  return find_known(source).value_or("");
}

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code ignored;
  const auto plain = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return std::filesystem::equivalent(a, b, ignored) || plain(a) == plain(b);
}

void refuse_clashes(const Common& common, std::vector<FileUse> read, const std::vector<FileUse>& written) {
  read.push_back({"--config", common.config});
  for (auto output = written.begin(); output != written.end(); ++output) {
    for (const FileUse& input : read)
      if (clash(input, *output))
        throw UsageError(output->option + " and " + input.option + " name the same file, " + output->path +
                         ": what is read would be overwritten");
    for (auto other = written.begin(); other != output; ++other)
      if (clash(*other, *output))
        throw UsageError(other->option + " and " + output->option + " name the same file, " + output->path +
                         ": give each its own");
  }
}

}  // namespace s3gd::app
