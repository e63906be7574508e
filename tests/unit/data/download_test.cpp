#include "data/download.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/checksum.hpp"
#include "base/interrupt.hpp"
#include "base/random.hpp"
#include "loopback_server.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

namespace fs = std::filesystem;

std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void spill(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string random_bytes(std::size_t size) {
  Rng rng(5);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(rng.next());
  return bytes;
}

std::string sha256_of(const std::string& bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.hex();
}

std::string answer(const std::string& status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nConnection: close\r\n" + headers + "\r\n" + body;
}

std::string whole(const std::string& body, const std::string& headers = {}) {
  return answer("200 OK", "Content-Length: " + std::to_string(body.size()) + "\r\n" + headers, body);
}

std::size_t range_start(const std::string& request) {
  const auto at = request.find("Range: bytes=");
  return at == std::string::npos ? 0 : std::stoul(request.substr(at + 13));
}

// As a server that knows ranges answers: the rest when one is asked for, the whole file otherwise.
std::string rest_of(const std::string& body, const std::string& request, const std::string& headers = {}) {
  const std::size_t start = range_start(request);
  if (start == 0) return whole(body, headers);
  if (start >= body.size()) return answer("416 Range Not Satisfiable", "Content-Length: 0\r\n", "");
  const std::string rest = body.substr(start);
  return answer("206 Partial Content",
                "Content-Range: bytes " + std::to_string(start) + "-" + std::to_string(body.size() - 1) + "/" +
                    std::to_string(body.size()) + "\r\nContent-Length: " + std::to_string(rest.size()) + "\r\n" +
                    headers,
                rest);
}

class DownloadTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("no_proxy", "127.0.0.1", 1);  // the loopback server is reached directly whatever the environment says
    fs::remove_all(folder_);
  }
  void TearDown() override {
    request_interrupt(false);
    fs::remove_all(folder_);
  }
  std::string path() const { return (folder_ / "deep" / "set.svm").string(); }
  void make_part(const std::string& bytes, const std::string& tag = {}) {
    fs::create_directories(folder_ / "deep");
    spill(path() + ".part", bytes);
    if (!tag.empty()) spill(path() + ".part.tag", tag + "\n");
  }
  void expect_only_the_file() {
    EXPECT_EQ(slurp(path()), body_);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "deep"), {}), 1);
  }
  // The error's text.
  std::string failure(const std::string& url, const DownloadOptions& options) {
    try {
      download(url, path(), options);
    } catch (const Error& error) {
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  DownloadOptions expecting_body() const {
    DownloadOptions options;
    options.bytes = body_.size();
    options.sha256 = sha256_of(body_);
    options.wait_seconds = 0.001;
    return options;
  }

  const std::string body_ = random_bytes(300000);
  fs::path folder_ = fs::temp_directory_path() / ("s3gd_download_test_" + std::to_string(getpid()));
};

TEST(Sha256, OfTheEmptyAndTheClassicalMessage) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(DownloadTest, FetchesAFileAndReportsProgress) {
  LoopbackServer server([&](const std::string&) { return whole(body_); });
  auto options = expecting_body();
  std::uint64_t last = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, body_.size());
    EXPECT_GE(done, last);
    last = done;
  };
  const Download result = download(server.url(), path(), options);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.bytes, body_.size());
  EXPECT_EQ(result.sha256, sha256_of(body_));
  EXPECT_EQ(last, body_.size());
  expect_only_the_file();
}

TEST_F(DownloadTest, AnEmptyFileIsAFile) {
  LoopbackServer server([&](const std::string&) { return whole(""); });
  EXPECT_TRUE(download(server.url(), path()).complete);
  EXPECT_EQ(fs::file_size(path()), 0U);
}

TEST_F(DownloadTest, ACutConnectionIsResumedWhereItBroke) {
  int count = 0;
  LoopbackServer server([&](const std::string& request) {
    std::string full = rest_of(body_, request, "ETag: \"one\"\r\n");
    if (++count < 4) full.resize(full.size() - body_.size() / 4 * (4U - static_cast<unsigned>(count)));
    return full;
  });
  DownloadOptions options;
  options.wait_seconds = 0.001;
  EXPECT_TRUE(download(server.url(), path(), options).complete);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(range_start(requests[0]), 0U);
  EXPECT_GT(range_start(requests[1]), 0U);
  EXPECT_GT(range_start(requests[2]), range_start(requests[1]));
  EXPECT_NE(requests[1].find("If-Range: \"one\""), std::string::npos);
  expect_only_the_file();
}

TEST_F(DownloadTest, AnEarlierRunsPartIsContinued) {
  make_part(body_.substr(0, 100000));
  LoopbackServer server([&](const std::string& request) { return rest_of(body_, request); });
  const Download result = download(server.url(), path(), expecting_body());
  EXPECT_EQ(result.resumed, 100000U);
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(range_start(server.requests()[0]), 100000U);
  expect_only_the_file();
}

TEST_F(DownloadTest, APartOfUnknownOriginIsNotTrustedWithoutAChecksum) {
  make_part("remains of something else");
  LoopbackServer server([&](const std::string& request) { return rest_of(body_, request); });
  EXPECT_TRUE(download(server.url(), path()).complete);
  expect_only_the_file();
}

TEST_F(DownloadTest, AServerThatIgnoresRangesSendsTheWholeFileAgain) {
  make_part(body_.substr(0, 100000));
  LoopbackServer server([&](const std::string&) { return whole(body_); });
  EXPECT_TRUE(download(server.url(), path(), expecting_body()).complete);
  expect_only_the_file();
}

TEST_F(DownloadTest, AServerThatAnswersAnotherRangeIsAskedForTheWhole) {
  make_part(body_.substr(0, 100000));
  LoopbackServer server([&](const std::string& request) {
    return range_start(request) == 0
               ? whole(body_)
               : answer("206 Partial Content", "Content-Range: bytes 0-299999/300000\r\nContent-Length: 300000\r\n",
                        body_);
  });
  EXPECT_TRUE(download(server.url(), path(), expecting_body()).complete);
  expect_only_the_file();
}

TEST_F(DownloadTest, AChangedFileIsNotPiecedTogether) {
  make_part(std::string(100000, 'x'), "\"old\"");
  LoopbackServer server([&](const std::string& request) {
    const bool same = request.find("If-Range: \"new\"") != std::string::npos;
    return same ? rest_of(body_, request) : whole(body_, "ETag: \"new\"\r\n");
  });
  EXPECT_TRUE(download(server.url(), path()).complete);
  expect_only_the_file();
}

TEST_F(DownloadTest, AWrongResumedWholeIsFetchedOnceMoreFromTheStart) {
  make_part(std::string(100000, 'x'));
  LoopbackServer server([&](const std::string& request) { return rest_of(body_, request); });
  EXPECT_TRUE(download(server.url(), path(), expecting_body()).complete);
  EXPECT_EQ(server.requests().size(), 2U);
  expect_only_the_file();
}

TEST_F(DownloadTest, APartThatIsCompleteNeedsNoRequest) {
  make_part(body_);
  LoopbackServer server([&](const std::string&) { return answer("500 Oops", "Content-Length: 0\r\n", ""); });
  EXPECT_TRUE(download(server.url(), path(), expecting_body()).complete);
  EXPECT_TRUE(server.requests().empty());
  expect_only_the_file();
}

TEST_F(DownloadTest, APartLongerThanTheFileIsDropped) {
  make_part(body_ + "more");
  LoopbackServer server([&](const std::string& request) { return rest_of(body_, request); });
  EXPECT_TRUE(download(server.url(), path(), expecting_body()).complete);
  expect_only_the_file();
}

TEST_F(DownloadTest, AWrongChecksumIsRefusedAndTheFileRemoved) {
  fs::create_directories(folder_ / "deep");
  spill(path(), "the old one");
  std::string bad = body_;
  bad[1234] = static_cast<char>(bad[1234] ^ 1);
  LoopbackServer server([&](const std::string&) { return whole(bad); });
  const std::string text = failure(server.url(), expecting_body());
  EXPECT_NE(text.find(sha256_of(bad)), std::string::npos) << text;
  EXPECT_NE(text.find(sha256_of(body_)), std::string::npos) << text;
  EXPECT_EQ(slurp(path()), "the old one");
  EXPECT_FALSE(fs::exists(path() + ".part"));
}

TEST_F(DownloadTest, AWrongSizeIsRefused) {
  LoopbackServer server([&](const std::string&) { return whole("short"); });
  EXPECT_NE(failure(server.url(), expecting_body()).find("5 bytes instead of 300000"), std::string::npos);
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(DownloadTest, A404IsFinalAndNamesTheAddress) {
  LoopbackServer server([&](const std::string&) { return answer("404 Not Found", "Content-Length: 4\r\n", "gone"); });
  const std::string text = failure(server.url(), expecting_body());
  EXPECT_NE(text.find(server.url()), std::string::npos);
  EXPECT_NE(text.find("404"), std::string::npos);
  EXPECT_EQ(server.requests().size(), 1U);
  EXPECT_TRUE(fs::is_empty(folder_ / "deep"));
}

TEST_F(DownloadTest, AServerInTroubleIsTriedAgainButNotForEver) {
  LoopbackServer server([&](const std::string&) { return answer("503 Busy", "Content-Length: 0\r\n", ""); });
  auto options = expecting_body();
  options.attempts = 3;
  failure(server.url(), options);
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST_F(DownloadTest, AnAlwaysCutConnectionEndsInAnErrorAndKeepsThePart) {
  LoopbackServer server([&](const std::string&) { return whole(body_).substr(0, 50000); });
  auto options = expecting_body();
  options.attempts = 3;
  EXPECT_NE(failure(server.url(), options).find("kept"), std::string::npos);
  EXPECT_GT(fs::file_size(path() + ".part"), 0U);
}

TEST_F(DownloadTest, RedirectsAreFollowedButOnlyToTheWeb) {
  LoopbackServer server([&](const std::string& request) {
    if (request.starts_with("GET /old")) return answer("302 Found", "Location: /new\r\nContent-Length: 0\r\n", "");
    if (request.starts_with("GET /trap"))
      return answer("302 Found", "Location: file:///etc/hostname\r\nContent-Length: 0\r\n", "");
    return whole(body_);
  });
  EXPECT_TRUE(download(server.url("/old"), path(), expecting_body()).complete);
  expect_only_the_file();
  fs::remove(path());
  failure(server.url("/trap"), {});
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(DownloadTest, FileAddressesWorkAndOthersAreRefused) {
  fs::create_directories(folder_);
  spill((folder_ / "source").string(), body_);
  EXPECT_TRUE(download("file://" + (folder_ / "source").string(), path(), expecting_body()).complete);
  expect_only_the_file();
  EXPECT_NE(failure("ftp://127.0.0.1/x", {}).find("only http"), std::string::npos);
}

TEST_F(DownloadTest, ARefusedConnectionIsOneSentence) {
  std::string url;
  {
    LoopbackServer server([](const std::string&) { return std::string(); });
    url = server.url();
  }
  EXPECT_NE(failure(url, {}).find(url), std::string::npos);
}

TEST_F(DownloadTest, AFullDiskIsSaid) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  fs::create_directories(folder_ / "deep");
  fs::create_symlink("/dev/full", path() + ".part");
  LoopbackServer server([&](const std::string&) { return whole(body_); });
  EXPECT_NE(failure(server.url(), {}).find(path() + ".part"), std::string::npos);
}

TEST_F(DownloadTest, AnInterruptKeepsThePart) {
  LoopbackServer server([&](const std::string&) { return whole(body_).substr(0, 50000); });
  auto options = expecting_body();
  options.progress = [](std::uint64_t done, std::uint64_t) { request_interrupt(done > 0); };
  EXPECT_FALSE(download(server.url(), path(), options).complete);
  EXPECT_FALSE(fs::exists(path()));
  EXPECT_GT(fs::file_size(path() + ".part"), 0U);
}

}  // namespace
}  // namespace s3gd
