// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/kept_instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

InstructionRecord At(std::int64_t pc, std::string opcode, std::map<std::string, double> counts) {
  return {"k", pc, "a.cu", 1, std::move(counts), std::move(opcode)};
}

TEST(KeptInstructions, AreThoseThatTouchMemoryWithAllTheirCounts) {
  const auto kept = KeptInstructions(
      std::vector{At(0, "FFMA", {{"sass_inst", 4}, {"sass_thread_inst", 128}}),
                  At(16, "LDS", {{"sass_inst", 4}, {"sass_shared_inst", 4}, {"sass_shared_wavefronts", 0}}),
                  At(32, "", {{"sass_inst", 4}})});
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].pc_offset, 16);
  EXPECT_THAT(kept[0].counts,
              ElementsAre(Pair("sass_inst", 4), Pair("sass_shared_inst", 4), Pair("sass_shared_wavefronts", 0)));
}

TEST(KeptInstructions, AreNotThoseThatNeverRan) {
  EXPECT_THAT(KeptInstructions(std::vector{At(0, "LDS", {{"sass_inst", 0}, {"sass_shared_inst", 0}})}), IsEmpty());
}

TEST(KeptInstructions, AreThoseThatNotAllLanesCarryOut) {
  const auto at = [](std::int64_t pc, double there, double on) {
    return At(pc, "FADD", {{"sass_inst", 4}, {"sass_thread_inst", there}, {"sass_thread_inst_on", on}});
  };
  const auto kept = KeptInstructions(std::vector{at(0, 128, 128), at(16, 100, 100), at(32, 128, 0)});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].pc_offset, 16);
  EXPECT_EQ(kept[1].pc_offset, 32);
  EXPECT_THAT(kept[1].counts,
              ElementsAre(Pair("sass_inst", 4), Pair("sass_thread_inst", 128), Pair("sass_thread_inst_on", 0)));
}

TEST(KeptInstructions, AreBarriersWithTheirExecutionsAlone) {
  const auto kept =
      KeptInstructions(std::vector{At(0, "BAR", {{"sass_inst", 4}, {"sass_thread_inst", 128}}),
                                   At(16, "BAR", {{"sass_inst", 0}}), At(32, "BAR", {{"sass_thread_inst", 128}})});
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_THAT(kept[0].counts, ElementsAre(Pair("sass_inst", 4)));
  EXPECT_THAT(kept[1].counts, ElementsAre(Pair("sass_inst", 0)));
}

}  // namespace
}  // namespace culprit
