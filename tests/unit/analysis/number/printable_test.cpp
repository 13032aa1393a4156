// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/printable.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

namespace culprit {
namespace {

using namespace std::string_literals;

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text : {"", " v1_6 at 4096x4096x4096 ", "Größe", "e\u0301", "行列", "\U0001f680", "C:\\x1b"})
    EXPECT_EQ(Printable(text), text);
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("\x1b[31mred\x07\x7f\0."s), "\\x1b[31mred\\x07\\x7f\\x00.");
  EXPECT_EQ(Printable("\u009b31m"), "\\u009b31m");
}

TEST(Printable, ShowsWhatCannotBeSeen) {
  EXPECT_EQ(Printable("a\u202eb\u2066c"), "a\\u202eb\\u2066c");                 // bidirectional
  EXPECT_EQ(Printable("a\u200bb\u00adc\ufeffd"), "a\\u200bb\\u00adc\\ufeffd");  // of no width
  EXPECT_EQ(Printable("\u3164\ufe0f"), "\\u3164\\ufe0f");                       // fillers, variants
  EXPECT_EQ(Printable("a\U000e0041"), "a\\U000e0041");                          // tags, which spell ASCII in secret
  EXPECT_EQ(Printable("\u2028\u2029"), "\\u2028\\u2029");
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");           // longer than it needs to be
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair of UTF-16
}

TEST(Printable, TakesLineBreaksAndTabsForBlanks) {
  EXPECT_EQ(Printable("a\nb\r\nc\rd\te"), "a b c d e");
  EXPECT_EQ(PrintableLines("a\n\n\x1b\nb\n"), "a\n\n\\x1b\nb\n");
}

TEST(Printable, ShowsMarksThatPileUp) {
  std::string pile = "e";
  for (int i = 0; i < 1000; ++i) pile += "\u0301";
  EXPECT_EQ(Width(Printable(pile.substr(0, 1 + 2 * 30))), 1u);
  EXPECT_EQ(Width(Printable(pile, 1000)), 1000u);
}

TEST(Printable, CutsWhatIsTooWideAtAWholeCharacter) {
  EXPECT_EQ(Printable("12345678", 8), "12345678");
  EXPECT_EQ(Printable("123456789", 8), "12345...");
  EXPECT_EQ(Printable("行列行列行", 8), "行列...");
  EXPECT_EQ(Printable("1234\x1b\x1b", 8), "1234...");
  EXPECT_EQ(Printable(std::string(2'000'000, 'x')).size(), kMostColumns);
}

TEST(Width, CountsColumnsAndNotBytes) {
  EXPECT_EQ(Width("v1_6"), 4u);
  EXPECT_EQ(Width("Größe"), 5u);
  EXPECT_EQ(Width("Gro\u0308ße"), 5u);
  EXPECT_EQ(Width("行列"), 4u);
  EXPECT_EQ(Width("\U0001f680"), 2u);
  EXPECT_EQ(BytesWithin("行列", 3), 3u);
  EXPECT_EQ(BytesWithin("e\u0301x", 1), 3u);
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

RC_GTEST_PROP(Printable, HoldsForAnyBytes, (const std::string& bytes)) {
  // From a byte to a terminal's favourites: random characters seldom meet them.
  std::string hostile;
  for (const char c : bytes)
    hostile += c % 7 ? std::string(1, c) : c % 2 ? "\x1b[2J" : "\u009b\u202e\U000e0041\xf0\x9f";
  const auto most = *rc::gen::inRange<std::size_t>(3, 100);
  const std::string printable = Printable(hostile, most);
  RC_ASSERT(!HasControl(printable));
  RC_ASSERT(Width(printable) <= most);
  RC_ASSERT(Printable(printable, most) == printable);
  RC_ASSERT(BytesWithin(printable, most) == printable.size());
  for (const char* forbidden : {"\u009b", "\u202e", "\U000e0041"})
    RC_ASSERT(printable.find(forbidden) == printable.npos);
  nlohmann::json(printable).dump();  // throws for what is not UTF-8
}

RC_GTEST_PROP(Printable, LosesNothingOfJson, (const std::string& bytes)) {
  const std::string text = "\u009b\u202e\U000e0041\x7f\x1b行" + bytes;
  const std::string json = nlohmann::json{text}.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string printable = PrintableJson(json);
  RC_ASSERT(nlohmann::json::parse(printable) == nlohmann::json::parse(json));
  for (const char* forbidden : {"\u009b", "\u202e", "\U000e0041", "\x7f", "\x1b"})
    RC_ASSERT(printable.find(forbidden) == printable.npos);
}

}  // namespace
}  // namespace culprit
