// SPDX-License-Identifier: Apache-2.0
#include "bench/program/instruction_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "db/metric_catalogue.h"
#include "tests/support/sass_builder.h"

namespace culprit {
namespace {

using testing::Sass;

double Part(std::string_view id, const Sass& instruction) {
  const auto kind = std::ranges::find(InstructionKinds(), id, &InstructionKind::id);
  return kind == InstructionKinds().end() ? -1 : PartCounted(*kind, instruction);
}

TEST(InstructionKinds, AreMetricsOfTheCatalogue) {
  for (const InstructionKind& kind : InstructionKinds())
    EXPECT_TRUE(std::ranges::any_of(MetricCatalogue(), [&](const auto& metric) { return metric.id == kind.id; }))
        << kind.id;
}

TEST(InstructionKinds, GoByMnemonic) {
  EXPECT_EQ(Part("shared_load_inst", Sass("LDS.128")), 1);
  EXPECT_EQ(Part("shared_load_inst", Sass("LDSM")), 0);
  EXPECT_EQ(Part("shared_load_inst", Sass("LD.E")), 0.5) << "any memory";
  EXPECT_EQ(Part("pipe_tensor_inst", Sass("HFMA2.MMA")), 1);
  EXPECT_EQ(Part("pipe_tensor_inst", Sass("HFMA2")), 0);
}

TEST(InstructionKinds, CountSwitchedOffInstructionsButNotTheirRequests) {
  EXPECT_EQ(Part("global_load_inst", Sass("LDG.E").If()), 1);
  EXPECT_EQ(Part("global_load_requests", Sass("LDG.E").If()), 0.85);
  EXPECT_EQ(Part("global_load_requests", Sass("LDG.E")), 1);
}

}  // namespace
}  // namespace culprit
