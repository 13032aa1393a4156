// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/fact_source.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

Reading Of(const char* id, const char* source, std::optional<double> error = {}) {
  return {{id, source, "", "inst", ""}, 1.0, ReadingStatus::kOk, error};
}

TEST(SourceOf, NamesHowAFactWasHad) {
  KernelRecord kernel;
  kernel.readings = {Of("counted", "range"),           Of("exact", "sass"),        Of("sampled", "sampled", 0.5),
                     Of("launch_registers", "launch"), Of("both", "sampled", 0.5), Of("both", "range")};
  kernel.attributes = {{"stack_frame_bytes", "cubin", 8.0, ReadingStatus::kOk}};
  EXPECT_EQ(SourceOf(KernelView(kernel), "counted"), "counted");
  EXPECT_EQ(SourceOf(KernelView(kernel), "exact"), "exact");
  EXPECT_EQ(SourceOf(KernelView(kernel), "sampled"), "sampled");
  EXPECT_EQ(SourceOf(KernelView(kernel), "both"), "counted") << "what was counted comes first";
  EXPECT_EQ(SourceOf(KernelView(kernel), "registers"), "static");
  EXPECT_EQ(SourceOf(KernelView(kernel), "stack_frame_bytes"), "static");
  EXPECT_EQ(SourceOf(KernelView(kernel), "time_us"), "timed");
  EXPECT_EQ(SourceOf(KernelView(kernel), "dram_bytes"), "derived");
  EXPECT_EQ(ErrorOf(KernelView(kernel), "sampled"), 0.5);
  EXPECT_EQ(ErrorOf(KernelView(kernel), "both"), std::nullopt);
  EXPECT_EQ(ErrorOf(KernelView(kernel), "counted"), std::nullopt);
  EXPECT_EQ(CountersOf(kernel), "counted");
}

TEST(SourceOf, TellsFactsThatFollowFromSamples) {
  KernelRecord kernel;
  EXPECT_EQ(CountersOf(kernel), "");
  kernel.readings = {Of("launch_registers", "launch"), Of("sampled", "sampled")};
  EXPECT_EQ(CountersOf(kernel), "sampled");
  EXPECT_EQ(SourceOf(KernelView(kernel), "dram_bytes"), "derived from samples");
}

}  // namespace
}  // namespace culprit
