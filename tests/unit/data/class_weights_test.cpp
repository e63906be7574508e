#include "s3gd/class_weights.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "s3gd/error.hpp"

namespace s3gd {
namespace {

class ClassWeightsFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  ClassWeights read(const std::string& text) const {
    std::ofstream(path_) << text;
    return read_class_weights(path_);
  }
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("s3gd_class_weights_" + std::to_string(getpid()))).string();
};

Dataset words() {
  Dataset data;
  data.x = Matrix::own_dense(std::vector<double>(5, 1.0), 5, 1);
  data.y = {Array<double>(std::vector<double>{0, 1, 2, 1, 0}), LabelKind::classes, {"ham", "spam", "not sure"}};
  data.source = "words";
  return data;
}

std::vector<double> weights_of(const Dataset& data) { return {data.weights.begin(), data.weights.end()}; }

TEST_F(ClassWeightsFile, EveryFormSaysTheSame) {
  for (const std::string text : {"spam 3\nnot sure 0.5\n", "class,weight\nspam,3\n\"not sure\",0.5",
                                 "spam\t3\r\nnot sure, 0.5\r\n", "\n {\"spam\": 3, \"not sure\": 0.5}\n"}) {
    const Dataset weighted = with_class_weights(words(), read(text));
    EXPECT_EQ(weights_of(weighted), (std::vector<double>{1, 3, 0.5, 3, 1})) << text;
  }
}

TEST_F(ClassWeightsFile, MultipliesTheWeightsRowsHave) {
  Dataset data = words();
  data.weights = Array<double>(std::vector<double>{2, 2, 2, 0, 1});
  EXPECT_EQ(weights_of(with_class_weights(data, read("spam 3"))), (std::vector<double>{2, 6, 2, 0, 1}));
}

TEST_F(ClassWeightsFile, NumbersAreMatchedAsNumbers) {
  Dataset data = words();
  data.y = {Array<double>(std::vector<double>{-1, 1, 1, -1, 1}), LabelKind::classes, {}};
  EXPECT_EQ(weights_of(with_class_weights(data, read("+1 3\n-1.0 2"))), (std::vector<double>{2, 3, 3, 2, 3}));
}

TEST_F(ClassWeightsFile, WhatIsWrongIsNamed) {
  for (const std::string text :
       {"spam", "spam x", "spam -1", "spam nan", "spam 1\nspam 2", "", "{\"spam\": \"x\"}", "{spam: 1}", " 3"})
    EXPECT_THROW(read(text), Error) << text;
  EXPECT_THROW(with_class_weights(words(), read("spma 2")), Error);
  EXPECT_EQ(weights_of(with_class_weights(words(), read("spma 2"), true)), std::vector<double>(5, 1.0));
}

}  // namespace
}  // namespace s3gd
