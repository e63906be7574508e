#include "data/download.hpp"

#include <curl/curl.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/interrupt.hpp"

namespace s3gd {
namespace {

namespace fs = std::filesystem;

constexpr long kConnectSeconds = 20;
constexpr long kStallSeconds = 30;  // no byte for so long counts as a cut connection

// A download under way: PATH.part holds what came so far, PATH.part.tag the server's name (ETag, or date) of the version
// it is a part of, so that pieces of two versions are never joined.
class PartFile {
 public:
  explicit PartFile(const std::string& path)
      : path_(path),
        part_path_(path + ".part"),
        tag_path_(path + ".part.tag"),
        file_(open(part_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666), part_path_, "write") {
    std::ifstream in(tag_path_);
    std::getline(in, tag_);
  }
  ~PartFile() {
    if (size() == 0) remove();  // nothing came: nothing to go on from
  }

  const std::string& path() const { return part_path_; }
  const std::string& tag() const { return tag_; }
  void set_tag(const std::string& tag) {
    if (tag == tag_) return;
    tag_ = tag;
    std::ofstream(tag_path_, std::ios::trunc) << tag << '\n';
  }

  std::uint64_t size() const { return file_.regular_size().value_or(0); }
  bool append(std::span<const char> bytes) {  // false: errno says why
    return lseek(file_.descriptor(), 0, SEEK_END) >= 0 && file_.write(std::as_bytes(bytes));
  }
  bool clear() { return ftruncate(file_.descriptor(), 0) == 0; }  // ditto
  void remove() const {
    std::remove(part_path_.c_str());
    std::remove(tag_path_.c_str());
  }
  void finish() const {  // the part becomes PATH; throws Error
    if (fsync(file_.descriptor()) != 0 || std::rename(part_path_.c_str(), path_.c_str()) != 0)
      throw_file_error("write", path_, errno);
    std::remove(tag_path_.c_str());
  }

 private:
  std::string path_, part_path_, tag_path_, tag_;
  OpenFile file_;
};

// What the callbacks of one attempt share.
struct Attempt {
  CURL* curl = nullptr;
  PartFile* part = nullptr;
  const DownloadOptions* options = nullptr;
  std::uint64_t start = 0;  // where the answer is asked to begin
  bool begun = false;
  bool misplaced = false;  // the answer is some other range than the one asked for
  int write_errno = 0;
};

// Of the last answer; empty when it has no such header.
std::string_view header_of(CURL* curl, const char* name) {
  curl_header* header = nullptr;
  return curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value : std::string_view();
}

// What tells this version of the file from others. A weak ETag does not promise the same bytes.
std::string tag_of(CURL* curl) {
  const std::string_view tag = header_of(curl, "ETag");
  return std::string(tag.empty() || tag.starts_with("W/") ? header_of(curl, "Last-Modified") : tag);
}

long response_code(CURL* curl) {
  long code = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
  return code;
}

// The first bytes of an answer: does it continue what is there, or is it the whole file?
bool begin_answer(Attempt& attempt) {
  attempt.begun = true;
  if (response_code(attempt.curl) == 206) {
    const std::string_view range = header_of(attempt.curl, "Content-Range");
    attempt.misplaced = !range.starts_with("bytes " + std::to_string(attempt.start) + "-");
    return !attempt.misplaced;
  }
  attempt.start = 0;
  attempt.part->set_tag(tag_of(attempt.curl));
  return attempt.part->clear();
}

std::size_t on_data(char* data, std::size_t, std::size_t size, void* context) {
  auto& attempt = *static_cast<Attempt*>(context);
  if ((!attempt.begun && !begin_answer(attempt)) || !attempt.part->append({data, size})) {
    if (!attempt.misplaced) attempt.write_errno = errno != 0 ? errno : EIO;
    return 0;
  }
  return size;
}

int on_progress(void* context, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
  auto& attempt = *static_cast<Attempt*>(context);
  if (attempt.options->progress && attempt.begun)
    attempt.options->progress(attempt.start + static_cast<std::uint64_t>(done),
                              total > 0 ? attempt.start + static_cast<std::uint64_t>(total) : attempt.options->bytes);
  return interrupted() ? 1 : 0;
}

void configure(CURL* curl, const std::string& url, Attempt& attempt, char* error_text) {
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error_text);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kStallSeconds);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "s3gd/" S3GD_VERSION);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &attempt);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, &attempt);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
}

enum class Outcome { done, again, restart, stopped };

bool worth_another_try(CURLcode code, long status) {
  constexpr CURLcode kPassing[] = {CURLE_PARTIAL_FILE,       CURLE_RECV_ERROR, CURLE_SEND_ERROR,  CURLE_GOT_NOTHING,
                                   CURLE_OPERATION_TIMEDOUT, CURLE_HTTP2,      CURLE_HTTP2_STREAM};
  if (code == CURLE_HTTP_RETURNED_ERROR) return status >= 500 || status == 429 || status == 408;
  return std::find(std::begin(kPassing), std::end(kPassing), code) != std::end(kPassing);
}

[[noreturn]] void throw_failure(const std::string& url, CURLcode code, long status, const std::string& detail) {
  if (status == 404 || status == 410)
    throw Error(url + ": there is no such file (" + std::to_string(status) + ")", "it may have moved");
  if (code == CURLE_HTTP_RETURNED_ERROR) throw Error(url + ": the server answered " + std::to_string(status));
  if (code == CURLE_UNSUPPORTED_PROTOCOL) throw Error(url + ": only http, https and file addresses are fetched");
  throw Error(ErrorCode::unusable_file, {},
              "cannot fetch " + url + ": " + (detail.empty() ? curl_easy_strerror(code) : detail));
}

// One request for what is missing.
Outcome attempt_once(const std::string& url, PartFile& part, const DownloadOptions& options, std::string& detail) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), curl_easy_cleanup);
  if (!curl) throw Error("libcurl cannot be started");
  std::array<char, CURL_ERROR_SIZE> error_text{};
  Attempt attempt{.curl = curl.get(), .part = &part, .options = &options};
  configure(curl.get(), url, attempt, error_text.data());
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers(nullptr, curl_slist_free_all);
  // Without a tag or a checksum nothing tells whether the rest would fit what is there.
  const bool can_resume = url.starts_with("http") && (!part.tag().empty() || !options.sha256.empty());
  attempt.start = can_resume ? part.size() : 0;
  const std::string range = std::to_string(attempt.start) + "-";
  if (attempt.start > 0) {
    curl_easy_setopt(curl.get(), CURLOPT_RANGE, range.c_str());
    if (!part.tag().empty()) headers.reset(curl_slist_append(nullptr, ("If-Range: " + part.tag()).c_str()));
    curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  }
  const CURLcode code = curl_easy_perform(curl.get());
  const long status = response_code(curl.get());
  detail = error_text.data();
  if (code == CURLE_ABORTED_BY_CALLBACK) return Outcome::stopped;
  if (attempt.write_errno != 0) throw_file_error("write", part.path(), attempt.write_errno);
  if (attempt.misplaced || (status == 416 && attempt.start > 0)) return Outcome::restart;
  if (code == CURLE_OK) {
    if (!attempt.begun && attempt.start == 0) part.clear();  // an empty file has no first byte
    return Outcome::done;
  }
  if (worth_another_try(code, status)) return Outcome::again;
  throw_failure(url, code, status, detail);
}

bool wait_unless_interrupted(double seconds) {
  for (const double until = wall_now() + seconds; wall_now() < until;) {
    if (interrupted()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return !interrupted();
}

// False when interrupted.
bool fetch(const std::string& url, PartFile& part, const DownloadOptions& options) {
  double wait = options.wait_seconds;
  std::uint64_t furthest = part.size();
  for (int tries = 1;; ++tries) {
    std::string detail;
    const Outcome outcome = attempt_once(url, part, options, detail);
    if (outcome == Outcome::done) return true;
    if (outcome == Outcome::stopped) return false;
    if (outcome == Outcome::restart) part.clear();
    if (part.size() > furthest) tries = 0;  // it moves on: the bound is on attempts in vain
    furthest = std::max(furthest, part.size());
    if (tries >= options.attempts)
      throw Error(ErrorCode::unusable_file, {},
                  "cannot fetch " + url + ": " + detail + ", " + std::to_string(options.attempts) + " times in a row",
                  "what was fetched is kept; the same command goes on from there");
    if (!wait_unless_interrupted(wait)) return false;
    wait = tries == 0 ? options.wait_seconds : 2 * wait;
  }
}

// Empty when the file is as expected.
std::string verdict(const PartFile& part, const DownloadOptions& options, std::string& sha256) {
  if (options.bytes != 0 && part.size() != options.bytes)
    return "it has " + std::to_string(part.size()) + " bytes instead of " + std::to_string(options.bytes);
  sha256 = sha256_of_file(part.path());
  if (!options.sha256.empty() && sha256 != options.sha256)
    return "its SHA-256 is " + sha256 + " instead of " + options.sha256;
  return {};
}

void start_curl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

Download download(const std::string& url, const std::string& path, const DownloadOptions& options) {
  start_curl();
  std::error_code failure;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) fs::create_directories(folder, failure);
  if (failure) throw_file_error("create the folder of", path, failure.value());
  PartFile part(path);
  Download result;
  result.resumed = part.size();
  for (const bool last_chance : {false, true}) {
    const bool all_there = options.bytes != 0 && part.size() == options.bytes;
    if (!all_there && !fetch(url, part, options)) return result;
    const std::string problem = verdict(part, options, result.sha256);
    if (problem.empty()) break;
    part.clear();
    // Pieces of two versions of a file make a wrong whole: from the start, once.
    if (last_chance || result.resumed == 0) {
      part.remove();
      throw Error(url + " is not the file it should be: " + problem, "it was removed; try again or fetch it by hand");
    }
    result.resumed = 0;
  }
  result.complete = true;
  result.bytes = part.size();
  part.finish();
  return result;
}

}  // namespace s3gd
