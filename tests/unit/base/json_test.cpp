#include "base/json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "base/text.hpp"

namespace s3gd {
namespace {

constexpr const char* kText =
    R"j({"z": [1, -2, 0.1, 1e-300, [], {}, null, true, "a\u00e4\n\"\\"], "a": {"y": 1, "x": {"n": 0}},
                                  "big": 18446744073709551615, "z2": 3.0})j";

TEST(Json, WritesWhatTheReferenceWrites) {
  for (const int indent : {-1, 0, 1, 2}) {
    EXPECT_EQ(Json::parse(kText).dump(indent), nlohmann::ordered_json::parse(kText).dump(indent));
    EXPECT_EQ(Json::parse(kText).sorted().dump(indent), nlohmann::json::parse(kText).dump(indent));
    EXPECT_EQ(Json::parse(kText).dump_repaired(indent, true),
              nlohmann::ordered_json::parse(kText).dump(indent, ' ', true, nlohmann::json::error_handler_t::replace));
  }
}

TEST(Json, NumbersComeBackBitForBit) {
  Rng random(7);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const double value = std::ldexp(random.uniform() - 0.5, static_cast<int>(k % 600) - 300);
    EXPECT_EQ(Json(value).dump(), nlohmann::json(value).dump());
    EXPECT_EQ(Json::parse(Json(value).dump()).get<double>(), value);
  }
  EXPECT_EQ(Json::parse("-9223372036854775808").get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Json::parse("18446744073709551615").get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Json(std::nan("")).dump(), "null");
}

TEST(Json, BracesArePairsOrLists) {
  EXPECT_EQ((Json{{"a", 1}, {"b", {1, 2}}}.dump()), R"({"a":1,"b":[1,2]})");
  EXPECT_EQ((Json{{"a", "b"}}.dump()), R"({"a":"b"})");
  EXPECT_EQ((Json{"a", 1, true}.dump()), R"(["a",1,true])");
  EXPECT_EQ((Json{{1, 2}, {3, 4}}.dump()), "[[1,2],[3,4]]");
  EXPECT_EQ(Json(std::vector<std::string>{"x", "y"}).dump(), R"(["x","y"])");
}

TEST(Json, ObjectsKeepTheOrderInWhichKeysCame) {
  Json json;
  json["b"] = 1;
  json["a"]["c"] = 2;
  json["b"] = 3;
  json.update({{"a", 4}, {"d", 5}});
  EXPECT_EQ(json.dump(), R"({"b":3,"a":4,"d":5})");
  EXPECT_EQ(Json::parse(R"({"b": 1, "a": 2, "b": 3})").dump(), R"({"b":3,"a":2})");
}

TEST(Json, CopiesAreTheirOwn) {
  Json json{{"a", {1, 2}}};
  const Json copy = json;
  json["a"].push_back(3);
  json = json.at("a");
  EXPECT_EQ(json.dump(), "[1,2,3]");
  EXPECT_EQ(copy.dump(), R"({"a":[1,2]})");
}

TEST(Json, NumbersAreEqualByValue) {
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_EQ(Json(std::uint64_t{1}), Json(1));
  EXPECT_NE(Json(1), Json(true));
  EXPECT_NE(Json(0), Json());
  EXPECT_EQ((Json{{"a", {1, 2}}}), (Json{{"a", {1.0, 2}}}));
}

TEST(Json, WhatIsNotThereIsAnErrorThatSaysSo) {
  const Json json{{"a", 1}, {"list", {1, 2}}};
  EXPECT_THROW(json.at("b"), JsonError);
  EXPECT_THROW(json.at("a").at("b"), JsonError);
  EXPECT_THROW(json.at("a").get<std::string>(), JsonError);
  EXPECT_THROW(json.at("list").get<double>(), JsonError);
  EXPECT_THROW(json.at("list")[2], JsonError);
  EXPECT_THROW(json.at("a").begin(), JsonError);
  EXPECT_THROW(json.at("list").items(), JsonError);
  EXPECT_EQ(json.value("b", 2.5), 2.5);
  EXPECT_EQ(json.value("a", 2.5), 1);
}

TEST(Json, TextThatIsNoneIsRefusedWithItsPlace) {
  try {
    Json::parse("{\"a\": }");
    FAIL();
  } catch (const JsonParseError& error) {
    EXPECT_EQ(error.byte, 7u);
    EXPECT_NE(std::string(error.what()).find("line 1, column 7"), std::string::npos) << error.what();
  }
  for (const char* text : {"", "[1", "[1]]", "{1: 2}", "// none\n1", "\"\xff\"", "1e999"})
    EXPECT_THROW(Json::parse(text), JsonParseError) << text;
  EXPECT_EQ(Json::parse_with_comments("// one\n[1] /* two */").dump(), "[1]");
}

TEST(Json, DeepNestsAreRefusedInsteadOfEatingTheStack) {
  for (const std::string one : {"[", "{\"a\":"}) {
    std::string text;
    for (int k = 0; k < 1000000; ++k) text += one;
    EXPECT_THROW(Json::parse(text), JsonParseError);
  }
}

TEST(Json, BytesThatAreNoTextAreRefusedOrRepaired) {
  const Json json{{"a", "\xff"}};
  EXPECT_THROW(json.dump(), JsonError);
  EXPECT_EQ(json.dump_repaired(), "{\"a\":\"\xef\xbf\xbd\"}");
}

TEST(Text, WordsAreJoined) {
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({"", "a", "b"}, "-"), "-a-b");
}

}  // namespace
}  // namespace s3gd
