#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/checksum.hpp"
#include "s3gd/error.hpp"
#include "support/models.hpp"

namespace s3gd {
namespace {

using testing::example_model;
using testing::three_class_model;

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(a.classes, b.classes);
  ASSERT_EQ(a.weights.size(), b.weights.size());
  EXPECT_EQ(std::memcmp(a.weights.data(), b.weights.data(), 8 * a.weights.size()), 0);  // minus zero too
  EXPECT_EQ(a.intercepts, b.intercepts);
  EXPECT_EQ(a.link, b.link);
  EXPECT_EQ(a.platt, b.platt);
  EXPECT_EQ(a.loss_name(), b.loss_name());
  EXPECT_EQ(a.penalty_name(), b.penalty_name());
  EXPECT_EQ(a.penalty.kind, b.penalty.kind);
  EXPECT_EQ(a.penalty.lambda, b.penalty.lambda);
  ASSERT_EQ(a.penalty.also.size(), b.penalty.also.size());
  for (std::size_t k = 0; k < a.penalty.also.size(); ++k) EXPECT_EQ(a.penalty.also[k].lambda, b.penalty.also[k].lambda);
  EXPECT_EQ(a.unit_rows, b.unit_rows);
  EXPECT_EQ(a.feature_names, b.feature_names);
  EXPECT_EQ(a.objective, b.objective);
  EXPECT_EQ(a.relative_gap, b.relative_gap);
  EXPECT_EQ(a.index_base, b.index_base);
  EXPECT_EQ(a.label_column, b.label_column);
}

class ModelFile : public ::testing::Test {
 protected:
  ~ModelFile() override { std::filesystem::remove(path_); }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::string path_ = (std::filesystem::temp_directory_path() / ("s3gd_model_" + std::to_string(getpid()))).string();
};

TEST_F(ModelFile, ARoundTripKeepsEveryBit) {
  Model regression = example_model();
  regression.classes.clear();
  regression.link = Link::identity;
  regression.loss.kind = LossKind::squared;
  regression.unit_rows = true;
  Model latin = example_model();
  latin.classes = {"\xe9", "\xe8"};  // no UTF-8
  latin.feature_names[0] = "\xff";
  latin.label_column = "\xe0";
  for (const Model& model : {example_model(), three_class_model(), regression, latin}) {
    save_model(model, path_);
    expect_same(load_model(path_), model);
  }
}

TEST_F(ModelFile, IsSparseWhereThatIsSmaller) {
  for (const std::size_t nonzeros : {0, 1, 600, 700, 1000}) {
    Model model;
    model.weights.assign(1000, 0.0);
    for (std::size_t j = 0; j < nonzeros; ++j) model.weights[j] = static_cast<double>(j + 1) / 3;
    save_model(model, path_);
    const std::string file = bytes();
    const std::size_t numbers = file.size() - (file.find('}') + 2);
    EXPECT_EQ(numbers, std::min<std::size_t>(12 * nonzeros, 8000)) << nonzeros;
    expect_same(load_model(path_), model);
  }
}

TEST_F(ModelFile, EveryTruncationAndEveryFlippedByteIsRefused) {
  for (const Model& model : {example_model(), three_class_model()}) {
    save_model(model, path_);
    const std::string whole = bytes();
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_THROW(load_model_bytes({whole.data(), length}, "cut"), Error) << length;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      EXPECT_THROW(load_model_bytes({damaged.data(), damaged.size()}, "damaged"), Error) << at;
    }
  }
}

// What the checksum lets pass because it was made to fit.
TEST_F(ModelFile, PartsThatDoNotFitEachOtherAreRefused) {
  save_model(three_class_model(), path_);
  const std::string whole = bytes();
  const std::size_t body = whole.find('\n', whole.find('\n') + 1) + 1;
  const auto load_with = [&](const std::string& from, const std::string& to) {
    std::string changed = whole.substr(body);
    const auto at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    const std::uint64_t sum = checksum(std::as_bytes(std::span(changed)));
    char digits[32];
    std::snprintf(digits, sizeof digits, "%016llx\n", static_cast<unsigned long long>(sum));
    changed = "s3gd-model 2\n" + std::string(digits) + changed;
    return load_model_bytes(changed, "changed");
  };
  expect_same(load_with("red", "red"), three_class_model());
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"\"red\"", "\"blue\""},  // twice the same class
           {"\"red\",", ""},         // two classes, but three intercepts
           {"\"red\",\"green\",", ""},
           {"[0.1,-0.2,0.3]", "[0.1,-0.2]"},
           {"[0.1,-0.2,0.3]", "[0.1,-0.2,null]"},
           {"-3.0,0.125]", "-3.0]"},
           {"\"platt\",", "\"logistic\","},  // has no parameters
           {"\"features\":40", "\"features\":39"},
           {"\"features\":40", "\"features\":-1"},
           {"\"features\":40", "\"features\":1e9"},
           {"\"features\":40", "\"features\":400000000000000000"},
           {"\"stored\":4", "\"stored\":3"},
           {"\"sparse\"", "\"dense\""},
           {"\"feature_names\":[]", "\"feature_names\":[\"a\"]"},
           {"\"index_base\":1", "\"index_base\":2"},
           {std::string("\1\0\0\0\x27\0\0\0", 8), std::string("\x27\0\0\0\1\0\0\0", 8)},  // places out of order
           {std::string("\x77\0\0\0", 4), std::string("\x78\0\0\0", 4)},                  // beyond the last weight
       })
    EXPECT_THROW(load_with(from, to), Error) << from << " -> " << to;
}

TEST_F(ModelFile, ANewerVersionSaysSo) {
  save_model(example_model(), path_);
  std::string newer = bytes();
  newer.replace(newer.find(" 2\n"), 3, " 9\n");
  try {
    load_model_bytes({newer.data(), newer.size()}, "newer.model");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("version 9"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("newer.model"), std::string::npos);
  }
}

TEST_F(ModelFile, IsRecognisedByItsStart) {
  EXPECT_FALSE(is_model_file(path_));  // nothing there
  save_model(example_model(), path_);
  EXPECT_TRUE(is_model_file(path_));
  std::ofstream(path_) << "1 1:1\n";
  EXPECT_FALSE(is_model_file(path_));
  EXPECT_FALSE(is_model_file("/"));
}

// Files in tests/golden were written by the version in their name and must load for ever.
TEST(ModelGolden, AFileOfVersionOneStillLoads) {
  const Model model = load_model(std::string(S3GD_SOURCE_DIR) + "/tests/golden/model_v1.model");
  EXPECT_EQ(model.weights, example_model().weights);
  EXPECT_EQ(model.intercepts, example_model().intercepts);
  EXPECT_EQ(model.feature_names, example_model().feature_names);
  EXPECT_EQ(model.classes, (std::vector<std::string>{"rest", "spam"}));
  EXPECT_EQ(model.link, Link::logistic);
  EXPECT_FALSE(model.index_base);
  EXPECT_TRUE(model.label_column.empty());
}

TEST(ModelGolden, AFileOfVersionTwoStillLoads) {
  expect_same(load_model(std::string(S3GD_SOURCE_DIR) + "/tests/golden/model_v2.model"), three_class_model());
}

}  // namespace
}  // namespace s3gd
