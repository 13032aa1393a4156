// SPDX-License-Identifier: Apache-2.0
#include "bench/sass_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<MetricDefinition> Asked() {
  return {{"sass_inst", "sass", "smsp__sass_inst_executed", "inst", "all"},
          {"sass_shared_inst", "sass", "smsp__sass_inst_executed_op_shared", "inst", "shared"},
          {"sass_stsm_inst", "sass", "", "inst", "stsm"}};
}

SassReport AReport() {
  SassReport report;
  for (const MetricDefinition& m : Asked()) report.readings.push_back({m, std::nullopt, ReadingStatus::kUnsupported});
  report.readings[0] = {Asked()[0], 12345678901.0, ReadingStatus::kOk};
  report.readings[1] = {Asked()[1], 42.0, ReadingStatus::kOk};
  report.instructions = {{"k", 16, "kernels/a \"b\".cu", 7, {{"sass_inst", 42}, {"sass_shared_inst", 42}}, "LDS"}};
  report.function = "k";
  report.seconds = 0.5;
  return report;
}

TEST(SassReport, ComesBackAsItWasWritten) {
  const auto read = ParseSassReport(ToJsonLine(AReport()), Asked());
  ASSERT_TRUE(read);
  ASSERT_EQ(read->readings.size(), 3u);
  EXPECT_EQ(read->readings[0].value, 12345678901.0);
  EXPECT_EQ(read->readings[1].value, 42.0);
  EXPECT_EQ(read->readings[2].status, ReadingStatus::kUnsupported);
  ASSERT_EQ(read->instructions.size(), 1u);
  EXPECT_EQ(read->instructions[0].function, "k");
  EXPECT_EQ(read->instructions[0].pc_offset, 16);
  EXPECT_EQ(read->instructions[0].source_file, "kernels/a \"b\".cu");
  EXPECT_EQ(read->instructions[0].source_line, 7);
  EXPECT_THAT(read->instructions[0].counts, ElementsAre(Pair("sass_inst", 42), Pair("sass_shared_inst", 42)));
  EXPECT_EQ(read->instructions[0].opcode, "LDS");
  EXPECT_EQ(read->function, "k");
  EXPECT_EQ(read->seconds, 0.5);
  EXPECT_FALSE(read->trouble);
}

TEST(SassReport, IsOneLineWhateverItHolds) {
  SassReport report = AReport();
  report.trouble = Warning{"sass_failed", "two\nlines and a byte \xff that is no UTF-8"};
  const std::string line = ToJsonLine(report);
  EXPECT_EQ(line.find('\n'), line.npos);
  EXPECT_EQ(ParseSassReport(line, Asked())->trouble->code, "sass_failed");
}

TEST(SassReport, MayEndItsLine) { EXPECT_TRUE(ParseSassReport(ToJsonLine(AReport()) + "\n", Asked())); }

TEST(SassReport, OfAWorkerThatWasKilledIsNone) {
  const std::string line = ToJsonLine(AReport());
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, line.size() / 2, line.size() - 1})
    EXPECT_FALSE(ParseSassReport(std::string_view(line).substr(0, length), Asked())) << length;
}

TEST(SassReport, IsNotMadeOfAnyOtherLine) {
  for (const char* line : {"5", "[]", "null", "{}", "\"readings\"", "{\"readings\":{},\"function\":7}",
                           "{\"readings\":{},\"trouble\":3}", "matrix 4096 x 4096"})
    EXPECT_FALSE(ParseSassReport(line, Asked())) << line;
}

TEST(SassReport, SaysNothingOfAMetricThatFailed) {
  const auto read = ParseSassReport("{\"readings\":{\"sass_inst\":\"denied\",\"sass_shared_inst\":null}}", Asked());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->readings[0].status, ReadingStatus::kDenied);
  EXPECT_EQ(read->readings[1].status, ReadingStatus::kFailed);
  EXPECT_EQ(read->readings[2].status, ReadingStatus::kFailed);
}

TEST(SassReport, HoldsLinesOfMegabytes) {
  SassReport report = AReport();
  report.instructions.clear();
  for (int i = 0; i < 20'000; ++i)
    report.instructions.push_back(
        {"k", i * 16, "kernels/sgemm/of_a_long_name.cu", i, {{"sass_inst", i}, {"sass_shared_inst", i + 1}}});
  const std::string line = ToJsonLine(report);
  EXPECT_GT(line.size(), std::size_t{1} << 20);
  const auto read = ParseSassReport(line, Asked());
  ASSERT_TRUE(read);
  ASSERT_EQ(read->instructions.size(), 20'000u);
  EXPECT_EQ(read->instructions.back().counts.at("sass_shared_inst"), 20'000);
}

// Each keeps the readings and drops the instructions with a sentence.
TEST(SassReport, DropsInstructionsThatCannotBeRight) {
  const std::string one = R"({"function":"k","pc":16,"file":"","line":0,"opcode":"","counts":{"sass_inst":1}})";
  for (const std::string& instructions :
       {one + "," + one,
        std::string(R"({"function":"k","pc":16,"file":"","line":0,"opcode":"","counts":{"sass_unicorns":1}})"),
        std::string(R"({"function":"k","pc":16,"file":"","line":0,"opcode":"","counts":{"sass_inst":null}})"),
        std::string(R"({"function":"k","file":"","line":0,"opcode":"","counts":{}})"),
        std::string(R"({"function":"k","pc":16,"file":"","line":0,"counts":{"sass_inst":1}})"), std::string("7")}) {
    const auto read =
        ParseSassReport(fmt::format(R"({{"readings":{{"sass_inst":9}},"instructions":[{}]}})", instructions), Asked());
    ASSERT_TRUE(read) << instructions;
    EXPECT_EQ(read->readings[0].value, 9);
    EXPECT_TRUE(read->instructions.empty()) << instructions;
    EXPECT_TRUE(read->trouble) << instructions;
  }
}

}  // namespace
}  // namespace culprit
