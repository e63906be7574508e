// What the writers put down. That other programs understand it is tested in tests/cli/test_export*.py.
#include "s3gd/model_use.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "s3gd/error.hpp"
#include "saved/export_formats.hpp"

namespace s3gd {
namespace {

Model two_classes() {
  Model model;
  model.classes = {"-1", "1"};
  model.weights = {0.5, 0, -2.25};
  model.intercepts = {0.125};
  model.link = Link::logistic;
  return model;
}

Model three_classes() {
  Model model;
  model.classes = {"2", "5", "7"};
  model.weights = {1, 2, 3, 4, 5, 6};
  model.intercepts = {0.25, 0, -0.5};
  model.link = Link::softmax;
  return model;
}

Model regression() {
  Model model;
  model.weights = {1.5, -3};
  model.intercepts = {0};
  return model;
}

std::string error_of(const Model& model, const std::string& format) {
  try {
    export_model(model, format);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Export, LiblinearTextOfTwoClassesNamesThePositiveOneFirst) {
  EXPECT_EQ(export_model(two_classes(), "liblinear").bytes,
            "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias 1\nw\n0.5 \n0 \n-2.25 \n0.125 \n");
}

TEST(Export, LiblinearTextOfSeveralClassesHasAColumnForEach) {
  EXPECT_EQ(export_model(three_classes(), "liblinear").bytes,
            "solver_type MCSVM_CS\nnr_class 3\nlabel 2 5 7\nnr_feature 2\nbias 1\nw\n1 3 5 \n2 4 6 \n0.25 0 -0.5 \n");
}

TEST(Export, LiblinearTextOfRegressionHasNoLabels) {
  EXPECT_EQ(export_model(regression(), "liblinear").bytes,
            "solver_type L2R_L2LOSS_SVR\nnr_class 2\nnr_feature 2\nbias -1\nw\n1.5 \n-3 \n");
}

TEST(Export, VowpalWabbitIsTaughtEachWeightAndThenTheConstant) {
  EXPECT_EQ(export_model(two_classes(), "vw").bytes,
            "1e+18 |\n0 |\n-1e+18 |\n0 |\n0.5 | 0:1\n0 |\n-2.25 | 2:1\n0 |\n0.125 |\n");
  Model named = two_classes();
  named.feature_names = {"a", "b", "c"};
  EXPECT_NE(export_model(named, "vw").bytes.find("-2.25 | c:1\n"), std::string::npos);
  named.feature_names.back() = "c|d 50%";
  EXPECT_NE(export_model(named, "vw").bytes.find("-2.25 | c%7Cd%2050%25:1\n"), std::string::npos);
  Model from_one = two_classes();
  from_one.index_base = 1;
  EXPECT_NE(export_model(from_one, "vw").bytes.find("-2.25 | 3:1\n"), std::string::npos);
  EXPECT_NE(export_model(three_classes(), "vw").bytes.find("1:-1 2:-3 3:-5 | 0:1\n"), std::string::npos);
}

TEST(Export, VowpalWabbitHasRoomForEveryNumberedFeatureBesideItsConstant) {
  const auto bits = [](Index features, Index classes) {
    Model model;
    for (Index k = 0; k < classes; ++k) model.classes.push_back(std::to_string(k));
    model.weights.assign(static_cast<std::size_t>(features * (classes > 2 ? classes : 1)), 0.0);
    model.intercepts.assign(static_cast<std::size_t>(classes > 2 ? classes : 1), 0.0);
    const std::string command = export_model(model, "vw").remarks.front();
    return std::stoi(command.substr(command.find("-b ") + 3));
  };
  const Index constant = 11650396;
  for (const Index features : {Index{1}, Index{116060}, Index{116061}, Index{262145}, Index{2000000}}) {
    const int found = bits(features, 2);
    EXPECT_GE(constant % (Index{1} << found), features);
    EXPECT_LE(features, Index{1} << found);
  }
  EXPECT_EQ(bits(10, 2), 18);
  EXPECT_EQ(bits(116061, 2), 21);
  EXPECT_EQ(bits(10, 3), 20);
  EXPECT_EQ(bits(10, 4), 20);
  EXPECT_EQ(bits(10, 5), 21);
}

TEST(Export, WordsAreNumberedWhereLabelsMustBeNumbers) {
  EXPECT_EQ(numeric_classes(three_classes()), (std::vector<std::int32_t>{2, 5, 7}));
  for (const char* word : {"ham", "1.5", "", "3000000000", "1 ", "007", "-"}) {
    Model model = two_classes();
    model.classes[0] = word;
    EXPECT_FALSE(numeric_classes(model)) << word;
    const Exported exported = export_model(model, "liblinear");
    EXPECT_NE(exported.bytes.find("label 1 0\n"), std::string::npos);
    EXPECT_NE(exported.remarks.front().find("0 = " + std::string(word) + ", 1 = 1"), std::string::npos);
  }
}

TEST(Export, JsonKeepsEveryBitAndLeavesOutZeros) {
  Model model = three_classes();
  model.weights = {0, 0.1, 1e-300, 0, 0, 1.0 / 3};
  model.link = Link::platt;
  model.platt = {-1, 0.5, -2, 0.25, -3, 0};
  const auto json = Json::parse(export_model(model, "json").bytes);
  EXPECT_EQ(json["outputs"][0]["indices"], Json{1});
  EXPECT_EQ(json["outputs"][0]["values"][0].get<double>(), 0.1);
  EXPECT_EQ(json["outputs"][1]["values"][0].get<double>(), 1e-300);
  EXPECT_EQ(json["outputs"][2]["values"][0].get<double>(), 1.0 / 3);
  EXPECT_EQ(json["outputs"][1]["a"].get<double>(), -2);
  EXPECT_EQ(json["outputs"][1]["b"].get<double>(), 0.25);
  EXPECT_EQ(json["outputs"][2]["class"], "7");
  EXPECT_EQ(json["link"], "platt");
}

TEST(Export, CNamesAreIdentifiersWhateverTheFileIsCalled) {
  for (const auto& [name, prefix] :
       {std::pair("spam", "spam"), std::pair("a-b c", "a_b_c"), std::pair("7up", "model_7up"), std::pair("", "model_"),
        std::pair("\xc3\xbc", "model___")})
    EXPECT_NE(export_model(two_classes(), "c", name).bytes.find(std::string("void ") + prefix + "_margins("),
              std::string::npos)
        << name;
}

TEST(Export, COfAnEmptyModelStillHasTables) {
  Model model = regression();
  model.weights.clear();
  EXPECT_NE(export_model(model, "c").bytes.find("model_weights[] = {0};"), std::string::npos);
}

TEST(Export, WhatAFormatCannotExpressIsRefusedWithARemedy) {
  Model unit = two_classes();
  unit.unit_rows = true;
  for (const char* format : {"liblinear", "vw"})
    EXPECT_NE(error_of(unit, format).find("`s3gd convert` with scale unit-rows"), std::string::npos);
  for (const char* format : {"json", "onnx", "c"}) EXPECT_EQ(error_of(unit, format), "");

  Model large = two_classes();
  large.weights[0] = 1e30;
  EXPECT_NE(error_of(large, "vw").find("too large"), std::string::npos);
  EXPECT_NE(error_of(two_classes(), "onyx").find("onnx"), std::string::npos);
}

TEST(Protobuf, FieldsAreWrittenAsTheWireFormatSays) {
  ProtobufMessage inner;
  inner.number(1, 150);  // the format's own example
  EXPECT_EQ(inner.text(), std::string("\x08\x96\x01"));
  ProtobufMessage outer;
  outer.bytes(2, "testing");
  outer.message(3, inner);
  outer.number(20, 0);
  EXPECT_EQ(outer.text(), std::string("\x12\x07testing\x1a\x03\x08\x96\x01\xa0\x01\x00", 17));
  ProtobufMessage negative;
  negative.number(1, static_cast<std::uint64_t>(std::int64_t{-1}));
  EXPECT_EQ(negative.text(), "\x08" + std::string(9, '\xff') + "\x01");
}

}  // namespace
}  // namespace s3gd
