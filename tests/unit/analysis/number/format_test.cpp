// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/format.h"

#include <gtest/gtest.h>

#include "analysis/show/render/columns.h"

namespace culprit {
namespace {

TEST(Format, SeparatesThousands) {
  EXPECT_EQ(Format(16777216, Unit::kCount), "16,777,216");
  EXPECT_EQ(Format(999, Unit::kCount), "999");
  EXPECT_EQ(Format(-1000, Unit::kCount), "-1,000");
  EXPECT_EQ(Format(9412.4, Unit::kGflops), "9,412 GFLOP/s");
}

TEST(Format, KeepsAtLeastThreeDigitsOfATime) {
  EXPECT_EQ(Format(1287.04, Unit::kTimeUs), "1,287.0 us");
  EXPECT_EQ(Format(12.345, Unit::kTimeUs), "12.35 us");
  EXPECT_EQ(Format(0.5, Unit::kTimeUs), "0.500 us");
}

TEST(Format, TakesTheUnitThatPeopleSayAloud) {
  EXPECT_EQ(Format(99999.9, Unit::kTimeUs), "99,999.9 us");
  EXPECT_EQ(Format(275800, Unit::kTimeUs), "275.8 ms");
  EXPECT_EQ(Format(-275800, Unit::kTimeDeltaUs), "-275.8 ms");
  EXPECT_EQ(Format(2.5e8, Unit::kTimeUs), "250.0 s");
  EXPECT_EQ(Format(716000, Unit::kGflops), "716 TFLOP/s");
  EXPECT_EQ(Format(24412.4, Unit::kGflops), "24.41 TFLOP/s");
}

TEST(Format, SaysWhetherATimeOverAnotherIsSlowerOrFaster) {
  EXPECT_EQ(Format(1.826, Unit::kSlowdown), "1.826 x slower");
  EXPECT_EQ(Format(0.5, Unit::kSlowdown), "2.000 x faster");
  EXPECT_EQ(Format(1.0001, Unit::kSlowdown), "as fast");
}

TEST(Format, GivesAColumnOneUnit) {
  ReportTable table{"rows", "", {{"us", "Time"}}};
  for (const Cell& cell : {Cell(Number{275800, Unit::kTimeUs}), Cell(Number{5391.2, Unit::kTimeUs}),
                           Cell(Number{{}, Unit::kTimeUs}), Cell("text"), Cell(Number{300000, Unit::kCount})})
    table.rows.push_back({cell});
  EXPECT_EQ(FormatColumn(table, 0, 5),
            (std::vector<std::string>{"275.8 ms", "5.4 ms", "not measured", "text", "300,000"}));
  EXPECT_EQ(FormatColumn(table, 0, 1).size(), 1u);
  table.rows.push_back({Number{20, Unit::kTimeUs}});
  EXPECT_EQ(FormatColumn(table, 0, 6)[1], "5.391 ms") << "with the digits of the smallest";
  EXPECT_EQ(FormatColumn(table, 0, 6)[5], "0.020 ms");
  table.rows.push_back({Number{0.2, Unit::kTimeUs}});
  EXPECT_EQ(FormatColumn(table, 0, 7)[6], "0.200 us") << "0.000 ms would say that it was nothing";
}

// "0.77 us  0.80 us  +4.2 %": from these two anything between +2.6 % and +5.2 % follows.
TEST(Format, GivesTimesTheDigitsFromWhichTheirChangeFollows) {
  const auto number = [](double value, Unit unit) { return Cell(Number{value, unit}); };
  ReportTable table{"rows", "", {{"", "Kernel"}, {"", "Base"}, {"", "Candidate"}, {"", "Change"}}};
  table.rows.push_back({"short", number(0.768, Unit::kTimeUs), number(0.8, Unit::kTimeUs),
                        number(100 * (0.8 / 0.768 - 1), Unit::kChangePercent)});
  table.rows.push_back({"long", number(24.34, Unit::kTimeUs), number(24.35, Unit::kTimeUs),
                        number(100 * (24.35 / 24.34 - 1), Unit::kChangePercent)});
  using Texts = std::vector<std::string>;
  EXPECT_EQ(FormatColumn(table, 1, 2), (Texts{"0.768 us", "24.340 us"}));
  EXPECT_EQ(FormatColumn(table, 2, 2), (Texts{"0.800 us", "24.350 us"})) << "the digits of the column beside it";
  EXPECT_EQ(FormatColumn(table, 3, 2), (Texts{"+4.2 %", "+0.0 %"}));
  table.rows = {
      {"a", number(193.84, Unit::kTimeUs), number(-0.768, Unit::kTimeDeltaUs), number(-0.4, Unit::kChangePercent)}};
  EXPECT_EQ(FormatColumn(table, 1, 1), (Texts{"193.84 us"})) << "of a difference two digits are enough";
  EXPECT_EQ(FormatColumn(table, 2, 1), (Texts{"-0.77 us"}));
}

// "93.6 ms  93,779.8 us  +0.2 ms" has to be worked out with a pencil.
TEST(Format, GivesTimesAndTheirDifferenceOneUnitAndOneNumberOfDecimals) {
  ReportTable table{"rows", "", {{"", "Base"}, {"", "Candidate"}, {"", "Difference"}, {"us", "", true}}};
  table.rows.push_back({Number{118720, Unit::kTimeUs}, Number{98720.4, Unit::kTimeUs},
                        Number{98720.4 - 118720, Unit::kTimeDeltaUs}, Number{1, Unit::kTimeUs}});
  const auto cell = [&](std::size_t column) { return FormatColumn(table, column, 1)[0]; };
  EXPECT_EQ(cell(0), "118.7 ms");
  EXPECT_EQ(cell(1), "98.7 ms");
  EXPECT_EQ(cell(2), "-20.0 ms");
  table.rows[0][2] = Number{-20.4, Unit::kTimeDeltaUs};
  EXPECT_EQ(cell(0), "118.720 ms") << "the difference decides";
  EXPECT_EQ(cell(2), "-0.020 ms");
  EXPECT_EQ(cell(3), "1.000 us") << "what people do not see is beside nothing";
}

// 7.795 us beside 3,142.1 us looked like the larger of the two.
TEST(Format, GivesTheTimesOfAColumnOneNumberOfDecimals) {
  const auto column = [](std::vector<double> times, Unit unit) {
    ReportTable table{"rows", "", {{"us", "Time"}}};
    for (const double us : times) table.rows.push_back({Number{us, unit}});
    return FormatColumn(table, 0, times.size());
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(column({3142.1, 524.93, 17.87, 7.795}, Unit::kTimeUs),
            (Texts{"3,142.1 us", "524.9 us", "17.9 us", "7.8 us"}));
  EXPECT_EQ(column({87.1, 0.467, 0.00001, 0}, Unit::kTimeUs), (Texts{"87.10 us", "0.47 us", "0.00 us", "0.00 us"}))
      << "two digits of what weighs something";
  EXPECT_EQ(column({2617.2, -0.4, -8.1}, Unit::kTimeDeltaUs), (Texts{"+2,617.2 us", "-0.4 us", "-8.1 us"}));
  EXPECT_EQ(column({165.44, -0.452}, Unit::kTimeDeltaUs), (Texts{"+165.44 us", "-0.45 us"}));
  EXPECT_EQ(column({0, 0}, Unit::kTimeDeltaUs), (Texts{"+0.0 us", "+0.0 us"}));
  EXPECT_EQ(column({275800, 5391.2}, Unit::kTimeUs), (Texts{"275.8 ms", "5.4 ms"}));
}

TEST(Format, GivesDifferencesASignAndNeverMinusZero) {
  EXPECT_EQ(Format(582, Unit::kTimeDeltaUs), "+582.0 us");
  EXPECT_EQ(Format(-0.027, Unit::kTimeDeltaUs), "-0.027 us") << "a change is never shown as none";
  EXPECT_EQ(Format(-0.0001, Unit::kTimeDeltaUs), "+0.000 us");
  EXPECT_EQ(Format(0, Unit::kTimeDeltaUs), "+0.0 us");
  EXPECT_EQ(Format(-75, Unit::kChangePercent), "-75.0 %");
}

TEST(Format, WritesTrafficInDecimalAndSizesInBinaryUnits) {
  EXPECT_EQ(Format(431e6, Unit::kBytes), "431.0 MB");
  EXPECT_EQ(Format(12, Unit::kBytes), "12 B");
  EXPECT_EQ(Format(3.35e12, Unit::kBytesPerSecond), "3.350 TB/s");
  EXPECT_EQ(Format(256, Unit::kCapacity), "256 B");
  EXPECT_EQ(Format(10368, Unit::kCapacity), "10,368 B");
  EXPECT_EQ(Format(50 << 20, Unit::kCapacity), "50 MiB");
}

TEST(Format, GivesWhatSqlGaveSixDigitsAndTheWholePart) {
  const auto text = [](double value) { return Format(Stored{value}); };
  EXPECT_EQ(text(27822.3877885612), "27822.4");
  EXPECT_EQ(text(0.41582951598969686), "0.41583");
  EXPECT_EQ(text(875.4159999999999), "875.416");
  EXPECT_EQ(text(705.5840000000001), "705.584");
  EXPECT_EQ(text(-275819.412), "-275819");
  EXPECT_EQ(text(208801234.6), "208801235");
  EXPECT_EQ(text(4432.0), "4432");
  EXPECT_EQ(text(0.0), "0");
  EXPECT_EQ(text(0.0000123456789), "1.23457e-05");
  EXPECT_EQ(InFull(Stored{875.4159999999999}), "875.4159999999999");
  EXPECT_EQ(Format(Stored{std::int64_t{275819412}}), "275819412");
}

TEST(Format, SaysWhyANumberIsMissing) {
  EXPECT_EQ(Format(Number{Measured::Missing(Absence::kDenied), Unit::kCount}), "not measured (denied)");
  EXPECT_EQ(Format(Number{Measured::Missing(Absence::kUndefined), Unit::kCount}), "-");
  EXPECT_EQ(Format(Number{{}, Unit::kTimeUs}), "not measured");
}

}  // namespace
}  // namespace culprit
