// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/judge/why/headline.h"
#include "analysis/judge/why/why.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using testing::KernelBuilder;

InstructionRecord At(int line, std::map<std::string, double> counts, std::string opcode = "") {
  return {"k", 16 * line, "kernels/k.cu", line, std::move(counts), std::move(opcode)};
}

std::vector<CauseSource> SourcesOf(const std::string& cause, double delta_us,
                                   const std::vector<InstructionRecord>& base,
                                   const std::vector<InstructionRecord>& candidate) {
  KernelBuilder a("before"), b("after");
  a.record.stage.source_line = 1;
  b.record.stage.source_line = 2;
  return delta_us < 0 ? CountedSources(cause, a.record.stage, base) : CountedSources(cause, b.record.stage, candidate);
}

TEST(Sources, NameTheHeaviestThreeLinesOfTheCandidate) {
  std::vector<InstructionRecord> instructions;
  for (const int line : {10, 20, 30, 40})
    instructions.push_back(At(line, {{"sass_local_load_inst", 100.0 * line}, {"sass_local_inst", 100.0 * line}}));
  instructions.push_back(At(20, {{"sass_local_store_inst", 3000}}));
  const auto sources = SourcesOf("local_memory_array", 5, {}, instructions);
  ASSERT_EQ(sources.size(), 3u);
  EXPECT_EQ(sources[0].line, 20);  // loads and stores of one line count together
  EXPECT_EQ(sources[0].what, "local loads and stores: 5,000");
  EXPECT_EQ(sources[1].line, 40);
  EXPECT_EQ(sources[2].line, 30);
}

TEST(Sources, AreAllThatCountAsMuchAsTheFirst) {
  std::vector<InstructionRecord> instructions;
  for (const int line : {10, 11, 12, 13}) instructions.push_back(At(line, {{"sass_local_load_inst", 100.0}}));
  instructions.push_back(At(20, {{"sass_local_load_inst", 99}}));
  const auto sources = SourcesOf("local_memory_array", 5, {}, instructions);
  ASSERT_EQ(sources.size(), 4u);
  for (const CauseSource& source : sources) EXPECT_TRUE(source.tied) << source.line;
  CausePart part;
  part.source = sources;
  EXPECT_EQ(ToText(PlaceOf(part)), "kernels/k.cu:10-13");
}

TEST(Sources, AreNotTiedByOneCountMore) {
  const auto sources = SourcesOf("local_memory_array", 5, {},
                                 {At(10, {{"sass_local_load_inst", 100}}), At(11, {{"sass_local_load_inst", 101}})});
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_FALSE(sources[0].tied || sources[1].tied);
  CausePart part;
  part.source = sources;
  EXPECT_EQ(ToText(PlaceOf(part)), "kernels/k.cu:11");
}

TEST(Sources, ComeFromTheBaseWhereItNoLongerCosts) {
  const std::vector<InstructionRecord> base = {
      At(7, {{"sass_global_sectors", 900}, {"sass_global_sectors_ideal", 100}})};
  const std::vector<InstructionRecord> candidate = {
      At(8, {{"sass_global_sectors", 200}, {"sass_global_sectors_ideal", 100}})};
  EXPECT_EQ(SourcesOf("global_uncoalesced", -5, base, candidate).at(0).line, 7);
  EXPECT_EQ(SourcesOf("global_uncoalesced", 5, base, candidate).at(0).line, 8);
  EXPECT_EQ(SourcesOf("global_uncoalesced", 5, base, candidate).at(0).what, "excess sectors: 100");
}

TEST(Sources, ALineThatHardlyCountsIsNotNamed) {
  const auto sources =
      SourcesOf("barrier", 1, {}, {At(5, {{"sass_inst", 10000}}, "BAR"), At(6, {{"sass_inst", 1}}, "BAR")});
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].line, 5);
}

// 64 loads of a byte beside one load of a float: the bytes are where the width is lost.
TEST(Sources, EveryWidthBelow128BitsIsNarrow) {
  for (const char* width : {"8b", "16b", "64b"}) {
    const std::string narrow = std::string("sass_memory_") + width + "_inst";
    for (const std::string space : {"shared", "global"}) {
      const std::string inst = "sass_" + space + "_inst";
      const auto sources =
          SourcesOf(space + "_access_width", 1, {},
                    {At(5, {{narrow, 6400}, {inst, 6400}}), At(6, {{"sass_memory_32b_inst", 100}, {inst, 100}}),
                     At(7, {{"sass_memory_128b_inst", 9000}, {inst, 9000}})});
      ASSERT_EQ(sources.size(), 2u) << narrow;
      EXPECT_EQ(sources[0].line, 5) << narrow;
      EXPECT_EQ(sources[0].what, space + " accesses below 128 bits: 6,400");
      EXPECT_EQ(sources[1].line, 6) << narrow;
    }
  }
}

TEST(Sources, AReductionOverAWarpsRegistersIsNoAtomic) {
  const auto sources = SourcesOf("atomics", 1, {},
                                 {At(5, {{"sass_inst", 10000}}, "REDUX"), At(6, {{"sass_inst", 300}}, "REDG"),
                                  At(7, {{"sass_inst", 200}}, "ATOMS")});
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].line, 6);
  EXPECT_EQ(sources[1].line, 7);
}

TEST(Sources, DataThroughSharedMemoryIsCountedWithoutItsConflicts) {
  const auto sources = SourcesOf("shared_traffic", 1, {},
                                 {At(5, {{"sass_shared_wavefronts", 3200}, {"sass_shared_wavefronts_ideal", 100}}),
                                  At(6, {{"sass_shared_wavefronts", 400}, {"sass_shared_wavefronts_ideal", 400}})});
  ASSERT_EQ(sources.size(), 2u);
  EXPECT_EQ(sources[0].line, 6);
}

TEST(Sources, AnAccessWithoutItsIdealCountHasNoExcess) {
  const auto sources = SourcesOf("shared_bank_conflicts", 1, {}, {At(5, {{"sass_shared_wavefronts", 1000}})});
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].line, 2);  // the kernel's own
  EXPECT_EQ(sources[0].what, "");
}

TEST(Sources, PutALineOfTheReadersOwnBeforeTheToolkits) {
  InstructionRecord inlined = At(112, {{"sass_inst", 900}}, "ATOMS");
  inlined.source_file = "device_atomic_functions.hpp";
  const auto own = SourcesOf("atomics", 1, {}, {inlined, At(7, {{"sass_inst", 100}}, "ATOMS")});
  ASSERT_EQ(own.size(), 2u);
  EXPECT_EQ(own[0].file, "kernels/k.cu");
  EXPECT_EQ(own[0].kernel, "");
  EXPECT_EQ(own[1].line, 112);
  // Where the toolkit's line is all that is known, the kernel stands before it.
  const auto alone = SourcesOf("atomics", 1, {}, {inlined});
  ASSERT_EQ(alone.size(), 2u);
  EXPECT_EQ(alone[0].file, "kernels/invented.cu");
  EXPECT_EQ(alone[0].kernel, "after");
  EXPECT_EQ(alone[1].what, "atomics: 900");
}

TEST(Sources, AreTheKernelAsAWholeWhereNoLineIsToBlame) {
  const auto sources = SourcesOf("imbalance_tail", 1, {}, {});
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].kernel, "after");
  EXPECT_EQ(sources[0].file, "kernels/invented.cu");
  EXPECT_EQ(sources[0].line, 2);
  EXPECT_EQ(SourcesOf("imbalance_tail", -1, {}, {}).at(0).line, 1);
}

}  // namespace
}  // namespace culprit
