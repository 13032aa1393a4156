// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/ncu_number.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

Thousands Of(const std::vector<std::string>& fields, bool whole = false) {
  std::vector<NcuField> all;
  for (const std::string& field : fields) all.push_back({field, whole});
  return ThousandsOf(all);
}

TEST(NcuNumber, HasThousandsInGroupsOfThree) {
  EXPECT_EQ(NcuNumber("1,234,567.50", Thousands::kComma), 1234567.5);
  EXPECT_EQ(NcuNumber("1.234.567,50", Thousands::kDot), 1234567.5);
  EXPECT_EQ(NcuNumber("1\u202f234,5", Thousands::kDot), 1234.5);
  EXPECT_EQ(NcuNumber("0", Thousands::kComma), 0);
  EXPECT_EQ(NcuNumber("1,23", Thousands::kComma), std::nullopt);
  EXPECT_EQ(NcuNumber("12 (3; 4; 5)", Thousands::kComma), 12);
}

// Each of these was once read as another number.
TEST(NcuNumber, IsNoneWhereItsSeparatorsAreNoThousands) {
  for (const char* text :
       {"1.234,5", "1234,567", "0,125", ",500", "1,234 567", "1 2 3", "12 34", "1,234.567,8", "1,,234"})
    EXPECT_EQ(NcuNumber(text, Thousands::kComma), std::nullopt) << text;
  for (const char* text : {"1,234.5", "1234.567", "0.125", "1'234.567"})
    EXPECT_EQ(NcuNumber(text, Thousands::kDot), std::nullopt) << text;
  EXPECT_EQ(NcuNumber("1'234.567", Thousands::kComma), 1234.567);
  EXPECT_EQ(NcuNumber("1 234 567", Thousands::kComma), 1234567);
  EXPECT_EQ(NcuNumber("1.5e+06", Thousands::kComma), 1.5e6);
}

TEST(NcuNumber, IsNoneOfWhatIsNone) {
  for (const char* text : {"inf", "-inf", "nan", "1e999", "PolicySpread", "0x10", "1.2.3", ""})
    EXPECT_EQ(NcuNumber(text, Thousands::kComma), std::nullopt) << text;
  for (const char* text : {"", "n/a", "N/A", "nan", "no data"}) EXPECT_TRUE(IsNoNcuNumber(text)) << text;
  EXPECT_FALSE(IsNoNcuNumber("inf"));
}

// An address of a host has dots, and no thousands.
TEST(NcuNumber, TellsThousandsFromAFractionByWhatCanOnlyBeOne) {
  EXPECT_EQ(Of({"127.0.0.1", "13.504", "27.595.520"}), Thousands::kDot);
  EXPECT_EQ(Of({"127.0.0.1", "13.50", "1,973,720"}), Thousands::kComma);
  EXPECT_EQ(Of({"1.234,5"}), Thousands::kDot);
  EXPECT_EQ(Of({"1,234.5"}), Thousands::kComma);
  EXPECT_EQ(Of({"127.0.0.1", "9.0", "1234"}), Thousands::kComma);
  for (const char* text : {"1234,567", "0,125", "12,5", "1 234,567"}) EXPECT_EQ(Of({"13.504", text}), Thousands::kDot);
}

// "13.504" nanoseconds are 13,504: there is no half of one.
TEST(NcuNumber, TellsThousandsFromAFractionByWhatIsCounted) {
  EXPECT_EQ(Of({"13.504", "20.197"}, true), Thousands::kDot);
  EXPECT_EQ(Of({"13,504", "20,197"}, true), Thousands::kComma);
  EXPECT_EQ(Of({"13.504", "20.197"}), Thousands::kComma);
  EXPECT_TRUE(IsCountedIn("ns") && IsCountedIn("inst") && IsCountedIn("") && IsCountedIn("byte/block"));
  EXPECT_FALSE(IsCountedIn("usecond") || IsCountedIn("Kinst") || IsCountedIn("%") || IsCountedIn("furlong"));
}

TEST(NcuNumber, ComesInUnitsOfOurs) {
  EXPECT_DOUBLE_EQ(ScaleOf("ns", "us").value(), 1e-3);
  EXPECT_DOUBLE_EQ(ScaleOf("nsecond", "ns").value(), 1);
  EXPECT_DOUBLE_EQ(ScaleOf("usecond", "us").value(), 1);
  EXPECT_DOUBLE_EQ(ScaleOf("msecond", "ns").value(), 1e6);
  EXPECT_DOUBLE_EQ(ScaleOf("second", "us").value(), 1e6);
  EXPECT_DOUBLE_EQ(ScaleOf("Kbyte", "byte").value(), 1000);
  EXPECT_DOUBLE_EQ(ScaleOf("Mbyte/block", "byte").value(), 1e6);
  EXPECT_DOUBLE_EQ(ScaleOf("Ghz", "MHz").value(), 1000);
  EXPECT_DOUBLE_EQ(ScaleOf("%", "%").value(), 1);
  EXPECT_DOUBLE_EQ(ScaleOf("sectors", "wavefront").value(), 1);  // as ncu counts memory_l1_wavefronts_shared
  EXPECT_DOUBLE_EQ(ScaleOf("Kinst", "inst").value(), 1000);
  EXPECT_DOUBLE_EQ(ScaleOf("inst", "thread-inst").value(), 1);
  EXPECT_DOUBLE_EQ(ScaleOf("", "request").value(), 1);
  EXPECT_EQ(ScaleOf("byte", "ns"), std::nullopt);
  EXPECT_EQ(ScaleOf("%", "byte"), std::nullopt);
  EXPECT_EQ(ScaleOf("furlong", "inst"), std::nullopt);
  EXPECT_EQ(ScaleOf("Gbyte/second", "byte"), std::nullopt);  // a rate is no amount
  EXPECT_EQ(ScaleOf("inst/ns", "inst"), std::nullopt);
}

}  // namespace
}  // namespace culprit
