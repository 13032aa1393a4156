// SPDX-License-Identifier: Apache-2.0
#include "analysis/mcp/bounded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "db/error.h"

namespace culprit::mcp {
namespace {

using ::testing::HasSubstr;

// `rows` rows, each with a list of its own and a text.
Json Answer(int rows, int text = 20) {
  Json answer = {{"verdict", "slower"}, {"causes", Json::array()}, {"stalls", {1, 2, 3}}};
  for (int i = 0; i < rows; ++i)
    answer["causes"].push_back({{"cause", std::string(text, 'c')}, {"delta_us", i / 3.0}, {"evidence", {i, i, i, i}}});
  return answer;
}

TEST(Bounded, AnAnswerThatFitsIsWholeAndSaysNothing) {
  Json answer = Answer(3);
  const Json parsed = Json::parse(Bounded(answer, {}));
  EXPECT_EQ(parsed, answer);
  EXPECT_FALSE(parsed.contains("left_out"));
  EXPECT_EQ(parsed["causes"].size(), 3u);
}

TEST(Bounded, FractionsHaveSixDigitsAndWholeNumbersAll) {
  Json answer = {{"a", 1234.56789012}, {"b", 123456789}, {"c", 2048.0}, {"d", 1e300}, {"e", -0.000012345678}};
  EXPECT_EQ(Bounded(answer, {}), R"({"a":1234.57,"b":123456789,"c":2048,"d":1e+300,"e":-1.23457e-05})");
}

TEST(Bounded, ALongAnswerSaysWhatIsMissingAndHowToGetIt) {
  Json answer = Answer(100);
  const std::string text = Bounded(answer, {.bytes = 2000});
  EXPECT_LE(text.size(), 2000u);
  const Json parsed = Json::parse(text);
  EXPECT_EQ(parsed["verdict"], "slower");
  const Json& left_out = parsed["left_out"];
  EXPECT_GT(parsed["causes"].size(), 3u);
  EXPECT_EQ(parsed["causes"].size() + left_out["elements"]["causes"].get<std::size_t>(), 100u);
  const std::string ask = left_out["ask"];
  ASSERT_THAT(ask, HasSubstr("max_bytes="));
  Json again = Answer(100);
  const std::string whole = Bounded(again, {.bytes = std::stoul(ask.substr(ask.find('=') + 1))});
  EXPECT_EQ(Json::parse(whole)["causes"].size(), 100u);
  EXPECT_FALSE(again.contains("left_out"));
}

TEST(Bounded, TheLengthThatItNamesHasRoomForTheNamesOfTheKeys) {
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("a_key_with_a_long_name_" + std::to_string(i));
  const std::vector<std::string_view> details(keys.begin(), keys.end());
  Json answer = Answer(100);
  for (const std::string& key : keys) answer[key] = 1;
  Json again = answer;
  const std::string ask = Json::parse(Bounded(answer, {.details = details}))["left_out"]["ask"];
  ASSERT_THAT(ask, HasSubstr("max_bytes="));
  Bounded(again, {.bytes = std::stoul(ask.substr(ask.find('=') + 1)), .details = details});
  EXPECT_EQ(again["causes"].size(), 100u) << ask;
}

TEST(Bounded, ElementsThatTopLeftOutAreCounted) {
  Json answer = Answer(10);
  answer["left_out"] = {{"causes", 90}};
  const Json parsed = Json::parse(Bounded(answer, {.bytes = 1024, .full = true}));
  EXPECT_EQ(parsed["causes"].size() + parsed["left_out"]["elements"]["causes"].get<std::size_t>(), 100u);
}

TEST(Bounded, AShortAnswerHasNoNumbersThatNobodyAskedFor) {
  static constexpr std::array<std::string_view, 1> kDetails{"launches[].idle_us"};
  const Json answer = {{"launches",
                        {{{"name", "add"},
                          {"note", ""},
                          {"idle_us", nullptr},
                          {"idle_us_status", "denied"},
                          {"clock_mhz", nullptr},
                          {"clock_mhz_status", "not_asked"},
                          {"time_us", nullptr},
                          {"time_us_status", "denied"}}}}};
  Json brief = answer, full = answer, of_a_query = answer;
  Bounded(brief, {.details = kDetails});
  EXPECT_EQ(brief["launches"][0], Json({{"name", "add"}, {"time_us", nullptr}, {"time_us_status", "denied"}}))
      << "a number that could not be had stays, with the reason; a detail goes with its status";
  EXPECT_EQ(brief["left_out"]["keys"], Json::array({"launches[].idle_us"})) << "paths alone";
  EXPECT_THAT(brief["left_out"]["values"].get<std::string>(), HasSubstr("not_asked"));
  EXPECT_EQ(brief["left_out"]["ask"], "full=true gives these keys and values");
  Bounded(full, {.full = true, .details = kDetails});
  EXPECT_EQ(full, answer);
  Bounded(of_a_query, {});
  EXPECT_EQ(of_a_query, answer) << "rows of a statement stay as they are";
}

TEST(Bounded, DetailsComeOnlyWithFull) {
  static constexpr std::array<std::string_view, 3> kDetails{"stalls", "causes[].evidence", "not_there"};
  Json answer = Answer(2), full = Answer(2);
  const Json parsed = Json::parse(Bounded(answer, {.details = kDetails}));
  EXPECT_FALSE(parsed.contains("stalls"));
  EXPECT_FALSE(parsed["causes"][1].contains("evidence"));
  EXPECT_EQ(parsed["left_out"]["keys"], Json::array({"stalls", "causes[].evidence"}));
  EXPECT_EQ(parsed["left_out"]["ask"], "full=true gives these keys");
  Bounded(full, {.full = true, .details = kDetails});
  EXPECT_EQ(full["stalls"].size(), 3u);
  EXPECT_FALSE(full.contains("left_out"));
}

TEST(Bounded, LongTextsAreCutLast) {
  Json answer = {{"sentence", std::string(5000, 's')}, {"list", {"x"}}};
  const std::string text = Bounded(answer, {});
  EXPECT_LE(text.size(), kUsualBytes);
  EXPECT_THAT(Json::parse(text)["left_out"]["texts"].get<std::string>(), HasSubstr("cut"));
}

TEST(Bounded, WhatCannotBeShortNamesItsLength) {
  Json answer = Json::object();
  for (int i = 0; i < 300; ++i) answer["a_key_with_a_name_" + std::to_string(i)] = i;
  Json again = answer;
  std::size_t wanted = 0;
  try {
    Bounded(answer, {});
    FAIL() << "it is longer than that";
  } catch (const Error& error) {
    const std::string message = error.what();
    ASSERT_THAT(message, HasSubstr("max_bytes="));
    wanted = std::stoul(message.substr(message.find('=') + 1));
  }
  EXPECT_LE(Bounded(again, {.bytes = wanted}).size(), wanted);
}

TEST(Bounded, EveryLengthHolds) {
  for (const int rows : {0, 1, 7, 50})
    for (const int text : {1, 300})
      for (std::size_t bytes = kLeastBytes; bytes < 9000; bytes += 371) {
        Json answer = Answer(rows, text);
        EXPECT_LE(Bounded(answer, {.bytes = bytes}).size(), bytes) << rows << ' ' << text;
      }
}

}  // namespace
}  // namespace culprit::mcp
