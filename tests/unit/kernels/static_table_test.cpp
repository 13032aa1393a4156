// SPDX-License-Identifier: Apache-2.0
// The table that this test's own build generated for the stages.
#include "profiler/static_table.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "kernels/stage.h"
#include "profiler/code/static_attributes.h"
#include "profiler/occupancy.h"

namespace culprit {
namespace {

// Those that the build was asked for, by a stage that runs everywhere.
std::set<std::string> BuiltArchitectures() {
  std::set<std::string> out;
  for (const BuildRecord& build : StaticTable("sgemm_naive")) out.insert(build.arch);
  return out;
}

TEST(StaticTable, HasEveryStageForEveryArchitectureBuilt) {
  const std::set<std::string> archs = BuiltArchitectures();
  ASSERT_FALSE(archs.empty());
  for (const Stage& stage : AllStages()) {
    if (stage.kernel == nullptr) continue;
    std::set<std::string> have;
    for (const BuildRecord& build : StaticTable(stage.id)) have.insert(build.arch);
    if (stage.device.no_other)
      EXPECT_EQ(have, std::set{"sm_" + std::to_string(stage.device.least)}) << stage.id;
    else
      EXPECT_EQ(have, archs) << stage.id;
  }
}

TEST(StaticTable, AgreesBetweenCubinAndCompiler) {
  for (const BuildRecord& build : StaticTable()) {
    for (const char* name : {"registers", "stack_frame_bytes", "static_shared_bytes"}) {
      const auto cubin = FindAttribute(build, name, "cubin");
      ASSERT_TRUE(cubin) << build.kernel << ' ' << build.arch << ' ' << name;
      EXPECT_EQ(cubin, FindAttribute(build, name, "compiler")) << build.kernel << ' ' << build.arch << ' ' << name;
    }
    // ptxas counts bank 0 only before sm_90.
    if (const auto constant = FindAttribute(build, "constant_bytes", "compiler")) {
      EXPECT_EQ(FindAttribute(build, "constant_bytes", "cubin"), constant) << build.kernel << ' ' << build.arch;
    }
    EXPECT_TRUE(FindAttribute(build, "spill_store_bytes", "compiler")) << build.kernel << ' ' << build.arch;
    EXPECT_GT(FindAttribute(build, "code_bytes", "cubin").value_or(0), 0) << build.kernel << ' ' << build.arch;
    EXPECT_EQ(build.cubin_digest.size(), 16u);
  }
}

// Two architectures may share one code (sm_86 and sm_89 do); two stages of one architecture may not, except the two
// that test whether a pragma changes the code, sgemm_tma, whose kernels do what sgemm_stream_k's do by another plan,
// and those that are empty there because that architecture never runs them.
TEST(StaticTable, TellsStagesApartByTheirCode) {
  const std::set<std::string> same = {"sgemm_smem_no_unroll", "v1_6_unrolled_j", "sgemm_tma", "sgemm_tma_inputs"};
  std::set<std::string> seen;
  for (const BuildRecord& build : StaticTable()) {
    if (same.contains(build.kernel)) continue;
    const Stage* const stage = FindStage(build.kernel);
    const int compute_capability = std::stoi(build.arch.substr(std::string("sm_").size()));
    if (stage != nullptr && !DeviceRefusal(*stage, compute_capability).empty()) continue;
    EXPECT_TRUE(seen.insert(build.arch + build.cubin_digest).second) << build.kernel << ' ' << build.arch;
  }
}

TEST(StaticTable, HasTheSharedMemoryThatTheSourceDeclares) {
  for (const BuildRecord& build : StaticTable("sgemm_zorder")) {
    EXPECT_EQ(FindAttribute(build, "static_shared_bytes"), 8 * (132 + 128) * 4.0) << build.arch;
  }
  for (const BuildRecord& build : StaticTable("sgemm_naive")) {
    EXPECT_EQ(FindAttribute(build, "static_shared_bytes"), 0.0) << build.arch;
  }
}

#if CULPRIT_NVCC_MAJOR == 13 && CULPRIT_NVCC_MINOR == 0
std::string DigestOnSm90(const std::string& kernel) {
  for (const BuildRecord& build : StaticTable(kernel)) {
    if (build.arch == "sm_90") return build.cubin_digest;
  }
  return "";
}

TEST(StaticTable, ShowsThatTheUnrollPragmaOfTheSharedKernelChangesNothingOnSm90) {
  const std::string with = DigestOnSm90("sgemm_smem");
  if (with.empty()) GTEST_SKIP() << "not built for sm_90";
  EXPECT_EQ(DigestOnSm90("sgemm_smem_no_unroll"), with) << "its header and its claim say otherwise";
}

TEST(StaticTable, ShowsThatV16sLoopOverJIsUnrolledWithAndWithoutAPragma) {
  std::map<std::string, std::string> digest;
  for (const BuildRecord& build : StaticTable("v1_6")) digest[build.arch] = build.cubin_digest;
  for (const BuildRecord& build : StaticTable("v1_6_unrolled_j")) {
    EXPECT_EQ(build.cubin_digest, digest[build.arch])
        << build.arch << ": V1.6.4 has the pragma and V1.6 has not, so it changes a second factor there";
  }
  EXPECT_EQ(StaticTable("v1_6_unrolled_j").size(), digest.size());
}

TEST(StaticTable, ShowsThatKInsideMovesTheSumsToLocalMemoryOnSm90) {
  for (const BuildRecord& build : StaticTable("sgemm_tile_2d_kinner")) {
    if (build.arch != "sm_90") continue;
    EXPECT_EQ(FindAttribute(build, "stack_frame_bytes"), 256.0);
    EXPECT_EQ(FindAttribute(build, "spill_store_bytes"), 0.0);
  }
  for (const char* other : {"sgemm_tile_1d", "sgemm_tile_2d", "sgemm_tile_2d_reg", "sgemm_float4", "sgemm_padded",
                            "sgemm_quadrants", "sgemm_zorder", "sgemm_double_buffer", "sgemm_pingpong"}) {
    for (const BuildRecord& build : StaticTable(other)) {
      if (build.arch == "sm_90") {
        EXPECT_EQ(FindAttribute(build, "stack_frame_bytes"), 0.0) << other;
      }
    }
  }
}

// With volatile tiles there are registers to spare (v1_6_3): it is not for want of them that the sums leave.
TEST(StaticTable, ShowsTheSumsOfV16sRelativesInLocalMemoryOnSm90) {
  for (const char* relative : {"v1_6_1", "v1_6_3", "v1"}) {
    for (const BuildRecord& build : StaticTable(relative)) {
      if (build.arch != "sm_90") continue;
      EXPECT_EQ(FindAttribute(build, "stack_frame_bytes"), 256.0) << relative;
      EXPECT_EQ(FindAttribute(build, "spill_store_bytes"), 0.0) << relative;
      if (build.kernel == "v1_6_3") {
        EXPECT_LE(FindAttribute(build, "registers"), 64.0);
      }
    }
  }
}

TEST(StaticTable, ShowsThatViewsCostNoRegisterAndNoStackOnSm90) {
  const auto on_sm_90 = [](const std::string& kernel, const std::string& attribute) -> std::optional<double> {
    for (const BuildRecord& build : StaticTable(kernel)) {
      if (build.arch == "sm_90") return FindAttribute(build, attribute);
    }
    return std::nullopt;
  };
  if (!on_sm_90("view_naive", "registers")) GTEST_SKIP() << "not built for sm_90";
  for (const char* attribute : {"registers", "code_bytes"}) {
    EXPECT_EQ(on_sm_90("view_naive", attribute), on_sm_90("sgemm_naive", attribute)) << attribute;
    EXPECT_EQ(on_sm_90("view_block_v1_32", attribute), on_sm_90("sgemm_smem", attribute)) << attribute;
  }
  for (const char* view :
       {"view_naive", "view_block_v1", "view_block_v1_32", "view_block_v2", "view_block_v3", "view_block_v4"}) {
    EXPECT_EQ(on_sm_90(view, "stack_frame_bytes"), 0.0) << view;
    EXPECT_LE(on_sm_90(view, "registers"), 128.0) << view << ": two blocks of 256 threads fit on an SM";
  }
}

TEST(StaticTable, ShowsThatV16KeepsItsSumsInLocalMemoryOnSm90) {
  bool seen = false;
  for (const BuildRecord& build : StaticTable("v1_6")) {
    if (build.arch != "sm_90") continue;
    seen = true;
    EXPECT_EQ(FindAttribute(build, "stack_frame_bytes"), 256.0);
    EXPECT_EQ(FindAttribute(build, "local_bytes"), 256.0);
    EXPECT_EQ(FindAttribute(build, "spill_store_bytes"), 0.0);
    EXPECT_EQ(FindAttribute(build, "spill_load_bytes"), 0.0);
  }
  if (!seen) GTEST_SKIP() << "not built for sm_90";
  for (const char* other : {"v2", "v1_9", "v1_8", "v1_7", "v1_7_1", "v1_7_2", "v1_6_4"}) {
    for (const BuildRecord& build : StaticTable(other)) {
      if (build.arch == "sm_90") {
        EXPECT_EQ(FindAttribute(build, "stack_frame_bytes"), 0.0) << other;
      }
    }
  }
}
#endif

TEST(StaticTable, LetsBlocksOfEveryStageFitAtANominalShape) {
  for (const Stage& stage : AllStages()) {
    if (stage.config == nullptr) continue;
    const LaunchConfig config = stage.config({4096, 4096, 4096});
    for (BuildRecord build : StaticTable(stage.id)) {
      if (build.arch == "sm_75") continue;  // 64 KB of shared memory do not hold v1_6_4
      AddOccupancy(build, static_cast<int>(config.block.x * config.block.y),
                   static_cast<int>(config.dynamic_shared_bytes));
      EXPECT_GT(FindAttribute(build, "theoretical_occupancy").value_or(0), 0) << stage.id << ' ' << build.arch;
    }
  }
}

}  // namespace
}  // namespace culprit
