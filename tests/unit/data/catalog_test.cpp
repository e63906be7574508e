#include "data/catalog.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace s3gd {
namespace {

namespace fs = std::filesystem;

TEST(Catalog, KnowsTheNineSetsOfThePaperByItsNames) {
  for (const char* name : {"20newsgroups", "WebSpam", "IJCNN", "KDD04_bio", "KDD04_phy", "covtype", "CIFAR10",
                           "Kaggle-Face", "MED11", "20-Newsgroups", "ijcnn1", "fashion-mnist"})
    EXPECT_NE(find_entry(name), nullptr) << name;
  EXPECT_EQ(find_entry("IJCNN"), find_entry("ijcnn1"));
  EXPECT_EQ(find_entry("no such set"), nullptr);
  EXPECT_EQ(find_entry(""), nullptr);
}

TEST(Catalog, EveryEntryIsCompleteAndEveryNameItsOwn) {
  std::set<std::string> seen;
  for (const KnownDataset& entry : catalog()) {
    EXPECT_TRUE(seen.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_TRUE(entry.homepage.starts_with("http")) << entry.name;
    EXPECT_GT(entry.train_rows, 0) << entry.name;
    EXPECT_GT(entry.cols, 0) << entry.name;
    EXPECT_FALSE(entry.files.empty() && entry.how.empty()) << entry.name;
    EXPECT_TRUE(entry.stand_in.empty() || find_entry(entry.stand_in) != nullptr) << entry.name;
    for (const KnownFile& file : entry.files) {
      EXPECT_TRUE(file.url.starts_with("http")) << file.url;
      EXPECT_FALSE(file.file_name().empty()) << file.url;
      EXPECT_TRUE(file.sha256.empty() || file.sha256.size() == 64) << file.url;
    }
  }
}

class CatalogFolders : public ::testing::Test {
 protected:
  void SetUp() override {
    keep("S3GD_DATA", data_);
    keep("XDG_CACHE_HOME", cache_);
    setenv("S3GD_DATA", (folder_ / "data").c_str(), 1);
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    restore("S3GD_DATA", data_);
    restore("XDG_CACHE_HOME", cache_);
    fs::remove_all(folder_);
  }
  std::string make(const std::string& name) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "1 1:1\n";
    return path.string();
  }

 private:
  static void keep(const char* name, std::optional<std::string>& old) {
    if (const char* value = std::getenv(name)) old = value;
  }
  static void restore(const char* name, const std::optional<std::string>& old) {
    old ? setenv(name, old->c_str(), 1) : unsetenv(name);
  }
  fs::path folder_ = fs::temp_directory_path() / ("s3gd_catalog_test_" + std::to_string(getpid()));
  std::optional<std::string> data_, cache_;
};

TEST_F(CatalogFolders, FindsWhatLiesInTheDataFolder) {
  EXPECT_EQ(find_known("ijcnn1"), std::nullopt);
  const auto train = make("data/ijcnn1/train.svm.zst");
  EXPECT_EQ(find_known("ijcnn1"), train);
  EXPECT_EQ(find_known("IJCNN"), train);
  EXPECT_EQ(find_known("ijcnn1", Part::test), std::nullopt);
  const auto test = make("data/ijcnn1/test.svm.zst");
  EXPECT_EQ(find_known("ijcnn1", Part::test), test);
}

TEST_F(CatalogFolders, AFolderOfOnesOwnNeedsNoEntry) {
  const auto mine = make("data/mine/train.csv");
  EXPECT_EQ(find_known("mine"), mine);
  const auto preferred = make("data/mine/train.svm.zst");
  EXPECT_EQ(find_known("mine"), preferred);
}

TEST_F(CatalogFolders, TheCacheCountsOnlyWithTheLabels) {
  const auto images = make("cache/s3gd/mnist/train-images-idx3-ubyte.gz");
  EXPECT_EQ(find_known("mnist"), std::nullopt);
  make("cache/s3gd/mnist/train-labels-idx1-ubyte.gz");
  EXPECT_EQ(find_known("mnist"), images);
  EXPECT_EQ(find_known("mnist", Part::test), std::nullopt);
}

TEST_F(CatalogFolders, ANameNeverLeavesTheFolder) {
  make("data/train.svm");
  make("train.svm");
  for (const char* name : {"..", ".", "", "../data", "/etc", "a/b"}) EXPECT_EQ(find_known(name), std::nullopt) << name;
}

}  // namespace
}  // namespace s3gd
