#include "s3gd/words.hpp"

#include <gtest/gtest.h>

#include "base/mention.hpp"
#include "s3gd/advice.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

std::string loud(const Mention& mention) {
  return "<" + std::string(name_of(mention.kind)) + ":" + std::string(mention.name) + "=" + std::string(mention.value) +
         ">";
}

TEST(Words, MarksBecomeTheWordsOfWhoShowsThem) {
  const std::string text = "use " + opt("penalty", "l2") + " with a " + larger("lambda") + " for " + class_mark("7");
  EXPECT_EQ(in_words(text), "use penalty l2 with a larger lambda for 7");
  EXPECT_EQ(in_words(text, loud), "use <option:penalty=l2> with a <larger:lambda=> for <class:7=>");
  EXPECT_EQ(in_words(text, marked), text);
}

TEST(Words, TextWithoutMarksStaysAsItIs) {
  for (const std::string text : {"", "plain", "a \x02 alone", "\x03 first", "\x02\x03", "\x02zz\x1f\x03"})
    EXPECT_EQ(in_words(in_words(text)), in_words(text));
  EXPECT_EQ(in_words("found '\x02' there"), "found '\x02' there");
}

TEST(Words, AnErrorKeepsItsMarksItsCodeAndItsPlace) {
  const Error error(ErrorCode::idle_option, "inner", opt("inner") + " changes nothing",
                    "leave " + opt("inner") + " out");
  EXPECT_STREQ(error.what(), "inner changes nothing (leave inner out)");
  EXPECT_EQ(error.hint(), "leave inner out");
  const Error named = error.within("plan.json");
  EXPECT_STREQ(named.what(), "plan.json: inner changes nothing (leave inner out)");
  EXPECT_EQ(named.in_words(loud), "plan.json: <option:inner=> changes nothing (leave <option:inner=> out)");
  EXPECT_EQ(named.code(), ErrorCode::idle_option);
  EXPECT_EQ(named.option(), "inner");
  const Error placed(Place{"rows.csv", 3, 4}, "'x'", "a number", opt("missing", "zero"));
  EXPECT_STREQ(placed.what(), "rows.csv:3:4: found 'x', expected a number (missing zero)");
  EXPECT_EQ(placed.within("train").place().line, 3);
}

TEST(Words, AdviceForSomeClassesNamesThem) {
  Advice advice{AdviceCode::zero_weights, "give a " + smaller("lambda")};
  EXPECT_EQ(advice.sentence(), "give a smaller lambda");
  advice.classes = {"a"};
  EXPECT_EQ(advice.sentence(), "class a: give a smaller lambda");
  advice.classes = {"a", "b"};
  EXPECT_EQ(advice.sentence(loud), "classes <class:a=>, <class:b=>: give a <smaller:lambda=>");
}

}  // namespace
}  // namespace s3gd
