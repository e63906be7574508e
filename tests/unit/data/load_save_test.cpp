#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.hpp"
#include "unit/data/text_reference.hpp"

namespace s3gd {
namespace {

class LoadSave : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string slurp(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static std::string failure(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("s3gd_text_" + std::to_string(getpid()));
};

// Random bit patterns of finite numbers, so that every exponent occurs.
template <class T>
T random_bits(Rng& rng) {
  for (;;) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T value = std::bit_cast<T>(static_cast<Bits>(rng.next()));
    if (std::isfinite(value) && value != 0) return value;
  }
}

template <class T>
Dataset random_data(bool dense) {
  Rng rng(41);
  constexpr Index kRows = 200, kCols = 30;
  std::vector<T> cells(kRows * kCols, T{0}), values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  std::vector<double> labels;
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kCols; ++j) {
      if (j + 1 < kCols && rng.below(2) == 0) continue;
      cells[static_cast<std::size_t>(i * kCols + j)] = random_bits<T>(rng);
      values.push_back(cells[static_cast<std::size_t>(i * kCols + j)]);
      columns.push_back(static_cast<std::int32_t>(j));
    }
    starts.push_back(static_cast<std::int64_t>(values.size()));
    labels.push_back(rng.normal());
  }
  Dataset data;
  data.x = dense ? Matrix::own_dense(cells, kRows, kCols) : Matrix::own_csr(values, columns, starts, kCols);
  data.y.values = Array<double>(labels);
  data.y.kind = LabelKind::real;
  return data;
}

TEST_F(LoadSave, EveryBitSurvivesEveryTextFormatAndCompression) {
  for (const auto* name : {"t.svm", "t.csv", "t.tsv", "t.svm.gz", "t.csv.bz2", "t.tsv.xz", "t.libsvm.zst"})
    for (const bool dense : {false, true}) {
      LoadOptions options;
      const auto floats = random_data<float>(dense);
      save(floats, path(name));
      EXPECT_TRUE(plain_rows<float>(load(path(name))) == plain_rows<float>(floats)) << name;
      options.precision = Precision::float64;
      const auto doubles = random_data<double>(dense);
      save(doubles, path(name));
      EXPECT_TRUE(plain_rows<double>(load(path(name), options)) == plain_rows<double>(doubles)) << name;
    }
}

TEST_F(LoadSave, TextComesBackAsTheSameText) {
  const std::string svm = "1 1:0.1 3:-2.5e-09\n-1 2:1e+20 4:7\n2.5 1:3\n";
  save(load(write("a.svm", svm)), path("b.svm"));
  EXPECT_EQ(slurp(path("b.svm")), svm);
  const std::string csv = "label,weight,\"a,b\",c\ncat,2,0,0.5\n\"the \"\"dog\"\"\",0.25,-1,0\n";
  LoadOptions options;
  options.weight_column = "weight";
  save(load(write("a.csv", csv), options), path("b.csv"));
  EXPECT_EQ(slurp(path("b.csv")), csv);
}

TEST_F(LoadSave, NamedClassesBecomeNumbersInLibsvmAndWeightsAreRefused) {
  const auto named = load(write("a.csv", "b,1\na,2\n"));
  save(named, path("a.svm"));
  EXPECT_EQ(slurp(path("a.svm")), "1 1:1\n0 1:2\n");
  LoadOptions options;
  options.weight_column = "1";
  const auto weighted = load(write("w.csv", "1,2,3\n4,5,6\n"), options);
  EXPECT_NE(failure([&] { save(weighted, path("w.svm")); }), "");
  EXPECT_FALSE(std::filesystem::exists(path("w.svm")));
}

TEST_F(LoadSave, TheFormatIsFoundByContentThenByName) {
  EXPECT_EQ(load(write("data.txt", "1 3:4\n")).cols(), 3);
  EXPECT_EQ(load(write("data.csv", "# svm after all\n+1 3:4\n")).cols(), 3);
  EXPECT_EQ(load(write("table.dat", "1;2;3\n4;5;6\n")).cols(), 2);
  EXPECT_EQ(load(write("table2.dat", "1\t2\t3\n4\t5\t6\n")).cols(), 2);
  LoadOptions options;
  options.format = "csv";
  EXPECT_EQ(load(write("only", "1\n2\n"), options).rows(), 2);
}

TEST_F(LoadSave, AnUnknownFormatNamesTheKnownOnes) {
  LoadOptions options;
  options.format = "libsmv";
  EXPECT_NE(failure([&] { load(write("a.svm", "1 1:1\n"), options); }).find("did you mean 'libsvm'"),
            std::string::npos);
  EXPECT_NE(failure([&] { load(write("a.xyz", "what is this\n")); }).find("libsvm, csv"), std::string::npos);
  EXPECT_NE(failure([&] { load(write("empty.xyz", "")); }).find("is empty"), std::string::npos);
  EXPECT_NE(failure([&] { save(load(write("a.svm", "1 1:1\n")), path("a.xyz")); }).find("libsvm, csv"),
            std::string::npos);
}

TEST_F(LoadSave, AMissingFileIsNamed) {
  EXPECT_NE(failure([&] { load(path("none.svm")); }).find("cannot open " + path("none.svm")), std::string::npos);
}

TEST_F(LoadSave, GeneratedDataNeedsNoFile) { EXPECT_EQ(load("gen:manifold?rows=50&cols=4").rows(), 50); }

}  // namespace
}  // namespace s3gd
