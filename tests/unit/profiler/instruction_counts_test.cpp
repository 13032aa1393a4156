// SPDX-License-Identifier: Apache-2.0
#include "profiler/instruction_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(InstructionCounts, AreSortedByFunctionAndOffset) {
  InstructionCounts counts;
  counts.Add("b", 16, "sass_inst", 1);
  counts.Add("a", 32, "sass_inst", 2);
  counts.Add("a", 16, "sass_inst", 3);
  const auto records = counts.Records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(std::pair(records[0].function, records[0].pc_offset), std::pair(std::string("a"), std::int64_t{16}));
  EXPECT_EQ(std::pair(records[1].function, records[1].pc_offset), std::pair(std::string("a"), std::int64_t{32}));
  EXPECT_EQ(records[2].function, "b");
}

TEST(InstructionCounts, OfOneInstructionAddUpAcrossRecords) {
  InstructionCounts counts;
  counts.Add("k", 0, "sass_inst", 5);
  counts.Add("k", 0, "sass_thread_inst", 160);
  counts.Add("k", 0, "sass_inst", 7);
  EXPECT_THAT(counts.Records().at(0).counts,
              UnorderedElementsAre(Pair("sass_inst", 12), Pair("sass_thread_inst", 160)));
}

TEST(InstructionCounts, LeaveOutZerosOfMetricsThatDoNotApply) {
  InstructionCounts counts;
  counts.Add("ffma", 0, "sass_inst", 5);
  counts.Add("ffma", 0, "sass_shared_inst", 0);
  counts.Add("ffma", 0, "sass_shared_wavefronts", 0);
  counts.Add("ffma", 0, "sass_global_sectors", 0);
  EXPECT_THAT(counts.Records().at(0).counts, UnorderedElementsAre(Pair("sass_inst", 5)));
}

TEST(InstructionCounts, KeepAZeroOfAnAccessThatNoThreadTookPartIn) {
  InstructionCounts counts;
  counts.Add("lds", 0, "sass_inst", 5);
  counts.Add("lds", 0, "sass_shared_inst", 5);
  counts.Add("lds", 0, "sass_shared_store_inst", 0);
  counts.Add("lds", 0, "sass_shared_wavefronts", 0);
  counts.Add("lds", 0, "sass_global_sectors", 0);
  EXPECT_THAT(counts.Records().at(0).counts, UnorderedElementsAre(Pair("sass_inst", 5), Pair("sass_shared_inst", 5),
                                                                  Pair("sass_shared_wavefronts", 0)));
}

TEST(InstructionCounts, KeepThatAPredicateSwitchedAllLanesOff) {
  InstructionCounts counts;
  counts.Add("fadd", 0, "sass_inst", 5);
  counts.Add("fadd", 0, "sass_thread_inst", 160);
  counts.Add("fadd", 0, "sass_thread_inst_on", 0);
  EXPECT_THAT(counts.Records().at(0).counts, UnorderedElementsAre(Pair("sass_inst", 5), Pair("sass_thread_inst", 160),
                                                                  Pair("sass_thread_inst_on", 0)));
}

TEST(InstructionCounts, KeepAnInstructionThatWasNeverReached) {
  InstructionCounts counts;
  counts.Add("k", 0, "sass_inst", 0);
  counts.Add("k", 0, "sass_shared_wavefronts", 0);
  EXPECT_THAT(counts.Records().at(0).counts, UnorderedElementsAre(Pair("sass_inst", 0)));
}

TEST(InstructionCounts, TakeAnAsynchronousCopyForAnAccessToBothMemories) {
  InstructionCounts counts;
  counts.Add("ldgsts", 0, "sass_ldgsts_inst", 4);
  for (const char* metric : {"sass_shared_wavefronts", "sass_global_sectors", "sass_local_sectors"})
    counts.Add("ldgsts", 0, metric, 0);
  EXPECT_THAT(counts.Records().at(0).counts,
              UnorderedElementsAre(Pair("sass_ldgsts_inst", 4), Pair("sass_shared_wavefronts", 0),
                                   Pair("sass_global_sectors", 0)));
}

}  // namespace
}  // namespace culprit
