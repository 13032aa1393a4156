// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/compare_report.h"
#include "analysis/ladder_report.h"
#include "tests/unit/analysis/invented_study.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Text(const Report& report) {
  std::ostringstream out;
  RenderText(report, out, false);
  return out.str();
}

TEST(KernelReport, ShowsItsSectionsInTheOrderOfTheQuestions) {
  const testing::KernelBuilder k = testing::InventedV16();
  std::vector<std::string> keys;
  for (const Section& section : MakeKernelReport(k.record).sections) keys.push_back(section.key);
  EXPECT_THAT(keys, ::testing::ElementsAre("time", "verification", "roofline", "stall_stack", "memory", "static",
                                           "findings", "not_measured"));
}

TEST(KernelReport, SaysThatARunWasInterrupted) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.run.state = "interrupted";
  EXPECT_THAT(Text(MakeKernelReport(k.record)), HasSubstr("! interrupted: this run was stopped before it finished"));
}

TEST(KernelReport, SaysWhenTheResultWasComparedWithNothing) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.launch.verify_error_over_bound.reset();
  EXPECT_THAT(Text(MakeKernelReport(k.record)), HasSubstr("ok: compared with nothing"));
}

TEST(KernelReport, ShowsEverySourceWhereTheyDisagree) {
  testing::KernelBuilder k = testing::InventedV16();
  k.Attribute("registers", 121, "cubin");
  EXPECT_THAT(Text(MakeKernelReport(k.record)), HasSubstr("DISAGREE: runtime 120, cubin 121"));
}

TEST(KernelReport, JudgesNothingOfAKernelThatFailedVerification) {
  testing::KernelBuilder k = testing::InventedV16();
  k.record.launch.state = LaunchState::kFailed;
  k.record.launch.message = "wrong.";
  const std::string text = Text(MakeKernelReport(k.record));
  EXPECT_THAT(text, HasSubstr("failed"));
  EXPECT_THAT(text, Not(HasSubstr("local_memory_array")));
}

TEST(KernelReport, HasNoTimeWhenEverySampleWasTakenAtALowClock) {
  testing::KernelBuilder k = testing::InventedV16();
  for (Sample& s : k.record.samples) s.low_clock = true;
  const std::string text = Text(MakeKernelReport(k.record));
  EXPECT_THAT(text, HasSubstr("left out (low clock)  4"));
  EXPECT_THAT(text, HasSubstr("The time of this kernel was not measured"));
}

TEST(CompareReport, SaysThatASideFailed) {
  testing::KernelBuilder failed = testing::InventedV16();
  failed.record.launch.state = LaunchState::kFailed;
  failed.record.launch.message = "wrong.";
  EXPECT_THAT(Text(MakeCompareReport(testing::InventedV17().record, failed.record)), HasSubstr("(failed: wrong.)"));
}

TEST(LadderReport, MeasuresOthersAgainstCublasOfTheSameRunAndShape) {
  const Ladder ladder{"2048x2048x2048", {testing::InventedV17().record, testing::InventedCublas().record}};
  const Report report = MakeLadderReport(testing::InventedV17().record.run, std::span(&ladder, 1), {}, {});
  const auto& row = report.sections[0].tables[0].rows[0];
  EXPECT_NEAR(*std::get<Number>(row[4]).value, 100.0 * 340 / 705, 1e-9);
}

TEST(LadderReport, AFailedReferenceIsNoReference) {
  testing::KernelBuilder cublas = testing::InventedCublas();
  cublas.record.launch.state = LaunchState::kFailed;
  const Ladder ladder{"2048x2048x2048", {testing::InventedV17().record, cublas.record}};
  const Report report = MakeLadderReport(testing::InventedV17().record.run, std::span(&ladder, 1), {}, {});
  EXPECT_FALSE(std::get<Number>(report.sections[0].tables[0].rows[0][4]).value);
}

}  // namespace
}  // namespace culprit
