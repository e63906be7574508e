// Through load() and save() alone: from each format to .s3d and back, bit for bit.
#include "binary_support.hpp"
#include "data/generate.hpp"
#include "data/s3d.hpp"

namespace s3gd {
namespace {

using namespace testing_support;

// Data that every format can hold: classes that are whole numbers, no weights, the last column used.
Dataset plain(Matrix x) {
  auto data = decorated(std::move(x));
  data.y.class_names.clear();
  data.weights = {};
  data.feature_names.clear();
  return data;
}

TEST(RoundTrip, EveryFormatThroughS3dKeepsEveryValueAndTheFile) {
  const Folder folder;
  for (const std::string extension : {"svm", "csv", "tsv", "npz", "npy"}) {
    for (const auto& x :
         {small_dense<float>(40, 6), small_csr<float, std::int32_t>(40, 6), small_dense<double>(40, 6)}) {
      const auto data = plain(x);
      auto options = as_stored(data);
      save(data, folder / ("a." + extension));
      const auto read = load(folder / ("a." + extension), options);
      read.verify();
      EXPECT_TRUE(same_matrix(read.x, data.x)) << extension;
      EXPECT_TRUE(same_array(read.y.values, data.y.values)) << extension;
      save(read, folder / "b.s3d");
      const auto again = load(folder / "b.s3d", options);
      again.verify();
      EXPECT_TRUE(same_data(again, read)) << extension;
      save(again, folder / ("c." + extension));
      EXPECT_TRUE(slurp(folder / ("a." + extension)) == slurp(folder / ("c." + extension))) << extension;
    }
  }
}

TEST(RoundTrip, GeneratedDataIsLoadedLikeAFile) {
  const Folder folder;
  const std::string spec = "gen:text?rows=50&cols=40&nnz=5";
  const auto data = load(spec);
  save(data, folder / "a.s3d");
  EXPECT_TRUE(same_data(load(folder / "a.s3d"), data));
}

TEST(RoundTrip, TheFormatIsFoundByContentWhateverTheName) {
  const Folder folder;
  const auto data = plain(small_dense<float>(5, 3));
  for (const std::string extension : {"s3d", "npz", "npy"}) {
    save(data, folder / ("a." + extension));
    std::filesystem::rename(folder / ("a." + extension), folder / "misnamed.svm");
    EXPECT_TRUE(same_matrix(load(folder / "misnamed.svm", as_stored(data)).x, data.x)) << extension;
  }
}

}  // namespace
}  // namespace s3gd
