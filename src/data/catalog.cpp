#include "data/catalog.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/nearest.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

namespace fs = std::filesystem;

constexpr std::array kExtensions{"svm.zst", "s3d",     "svm",    "svm.gz",  "svm.xz",
                                 "svm.bz2", "csv.zst", "csv.gz", "csv.bz2", "csv"};

// "KDD04_bio", "kdd04-bio" and "Kdd04Bio" are the same set.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '-' || c == '_') continue;
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.size() < 200 &&
         name.find_first_of(std::string_view("/\\:?\0", 5)) == std::string::npos;
}

std::optional<std::string> existing(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return path.string();
  return std::nullopt;
}

std::optional<std::string> in_data_folder(const std::string& name, Part part) {
  const char* folder = std::getenv("S3GD_DATA");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  const std::string stem = part == Part::train ? "train." : "test.";
  for (const char* extension : kExtensions)
    if (auto path = existing(fs::path(folder) / name / (stem + extension))) return path;
  return std::nullopt;
}

// Complete only with its companions: images without their labels are of no use.
std::optional<std::string> in_folder(const KnownDataset& entry, const fs::path& folder, Part part) {
  std::optional<std::string> found;
  for (const KnownFile& file : entry.files) {
    if (file.part != part) continue;
    const auto path = existing(folder / file.file_name());
    if (!path) return std::nullopt;
    if (!file.companion) found = path;
  }
  return found;
}

std::optional<fs::path> cache_root() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') return fs::path(cache);
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return fs::path(home) / ".cache";
  return std::nullopt;
}

}  // namespace

std::string KnownFile::file_name() const { return url.substr(url.rfind('/') + 1); }

std::uint64_t KnownDataset::download_bytes() const {
  std::uint64_t sum = 0;
  for (const KnownFile& file : files) {
    if (file.bytes == 0) return 0;
    sum += file.bytes;
  }
  return sum;
}

const KnownDataset* find_entry(std::string_view name) {
  const std::string wanted = folded(name);
  if (wanted.empty()) return nullptr;
  for (const KnownDataset& entry : catalog())
    if (folded(entry.name) == wanted) return &entry;
  for (const KnownDataset& entry : catalog())
    if (folded(entry.paper) == wanted) return &entry;
  return nullptr;
}

std::string nearest_entry(const std::string& word) {
  std::vector<std::string> known;
  for (const KnownDataset& entry : catalog()) known.push_back(entry.name);
  return nearest(word, known);
}

void throw_not_here(const KnownDataset& entry) {
  std::string hint = entry.files.empty() ? entry.how + ": " + entry.homepage : "s3gd data get " + entry.name;
  hint += "; or set S3GD_DATA to a folder that holds " + entry.name + "/train.svm";
  if (!entry.stand_in.empty() && find_known(entry.stand_in)) hint += "; here to stand in for it: " + entry.stand_in;
  throw Error("the known dataset " + entry.name + " is not on this machine", hint);
}

std::optional<std::string> find_known(const std::string& name) { return find_known(name, Part::train); }

std::optional<std::string> find_known(const std::string& name, Part part) {
  if (!is_plain_name(name)) return std::nullopt;
  if (auto path = in_data_folder(name, part)) return path;
  const KnownDataset* entry = find_entry(name);
  if (entry == nullptr) return std::nullopt;
  if (auto path = in_data_folder(entry->name, part)) return path;
  if (!entry->installed.empty())
    if (auto path = in_folder(*entry, entry->installed, part)) return path;
  if (const auto root = cache_root())
    if (auto path = in_folder(*entry, *root / "s3gd" / entry->name, part)) return path;
  return std::nullopt;
}

std::string cache_folder() {
  const auto root = cache_root();
  if (!root) throw Error("there is no folder to keep downloads in", "set XDG_CACHE_HOME or HOME");
  return (*root / "s3gd").string();
}

}  // namespace s3gd
