// Downloads over http and https (and file:) that survive a cut connection: bytes go to PATH.part, a later attempt or
// a later run asks for the rest, and only a file of the right size and checksum is renamed to PATH.
//
// A file that changed meanwhile is fetched anew rather than pieced together. Memory: libcurl's buffers, whatever the
// size of the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace s3gd {

struct DownloadOptions {
  std::uint64_t bytes = 0;  // expected size; 0 = not known
  std::string sha256;       // expected checksum, lower-case hex; empty = not known
  int attempts = 5;         // after a cut or stalled connection, or an error of the server's
  double wait_seconds = 1;  // before the second attempt; doubles each time
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // total 0 = not known
};

struct Download {
  bool complete = false;      // false: interrupted; what was fetched stays in PATH.part
  std::uint64_t bytes = 0;    // size of the file
  std::uint64_t resumed = 0;  // bytes that were there from an earlier run
  std::string sha256;         // of the whole file
};

// Throws Error when it cannot be had: unknown host, refused, 404, wrong size or checksum (the file is removed), full
// disk. The folder of `path` is created.
Download download(const std::string& url, const std::string& path, const DownloadOptions& options = {});

}  // namespace s3gd
