// SPDX-License-Identifier: Apache-2.0
// The ladder as experiments: who was changed from whom, in which factors, and which shapes each takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/stage.h"
#include "tests/unit/kernels/changed_factors.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

const Stage& Get(const std::string& id) {
  const Stage* const stage = FindStage(id);
  if (stage == nullptr) throw std::runtime_error("no stage " + id);
  return *stage;
}

std::string Factor(const Stage& stage, const std::string& name) {
  for (const auto& [factor, value] : stage.factors) {
    if (factor == name) return value;
  }
  throw std::runtime_error(stage.id + " has no factor " + name);
}

TEST(Ladder, HasEveryStageOfItsSources) {
  std::set<std::string> ids;
  for (const Stage& stage : AllStages()) {
    if (stage.family == "ladder") ids.insert(stage.id);
  }
  EXPECT_THAT(ids,
              IsSupersetOf({"sgemm_naive",          "sgemm_naive_swapped", "sgemm_smem",       "sgemm_smem_swapped",
                            "sgemm_smem_no_unroll", "sgemm_tile_1d",       "sgemm_tile_2d",    "sgemm_tile_2d_kinner",
                            "sgemm_tile_2d_reg",    "sgemm_float4",        "sgemm_padded",     "sgemm_quadrants",
                            "sgemm_zorder",         "sgemm_double_buffer", "sgemm_pingpong",   "sgemm_async",
                            "sgemm_snake",          "sgemm_tile_16x8",     "sgemm_small_tile", "sgemm_split_k",
                            "sgemm_split_small",    "sgemm_split_8",       "sgemm_split_fine", "sgemm_tma",
                            "sgemm_stream_k",       "sgemm_fed",           "sgemm_fed_sliced", "sgemm_fed_small"}))
      << "ids are database keys and may not go away";
}

TEST(Ladder, ChangesOneFactorWhereItIsAnExperiment) {
  const struct {
    const char *id, *parent, *factor;
  } edges[] = {{"sgemm_smem_swapped", "sgemm_smem", "copy mapping"},
               {"sgemm_smem_no_unroll", "sgemm_smem", "unroll"},
               {"sgemm_tile_2d_kinner", "sgemm_tile_2d", "loop nest"},
               {"sgemm_tile_2d_reg", "sgemm_tile_2d", "fragments"},
               {"sgemm_padded", "sgemm_float4", "A tile layout"},
               {"sgemm_quadrants", "sgemm_float4", "lane map"},
               {"sgemm_zorder", "sgemm_padded", "lane map"},
               {"sgemm_double_buffer", "sgemm_float4", "shared buffers"},
               {"sgemm_snake", "sgemm_async", "loop nest"},
               {"sgemm_small_tile", "sgemm_snake", "block tile"},
               {"sgemm_split_k", "sgemm_snake", "split of k"},
               {"sgemm_split_8", "sgemm_split_small", "split of k"}};
  for (const auto& edge : edges) {
    EXPECT_EQ(Get(edge.id).parent, edge.parent) << edge.id;
    EXPECT_THAT(ChangedFactors(edge.id), ElementsAre(edge.factor)) << edge.id;
  }
}

TEST(Ladder, SaysWhatElseChangesWhereItClimbs) {
  EXPECT_THAT(ChangedFactors("sgemm_smem"), ElementsAre("A tile layout", "block mapping", "block tile", "bounds checks",
                                                        "copy mapping", "shared buffers", "shared memory", "unroll"));
  EXPECT_THAT(ChangedFactors("sgemm_tile_1d"),
              ElementsAre("block mapping", "block tile", "bounds checks", "loop nest", "thread tile", "unroll"));
  EXPECT_THAT(ChangedFactors("sgemm_tile_2d"), ElementsAre("block tile", "loop nest", "thread tile"));
  EXPECT_THAT(ChangedFactors("sgemm_float4"),
              ElementsAre("A tile layout", "block tile", "bounds checks", "load width", "unroll"));
  EXPECT_THAT(ChangedFactors("sgemm_pingpong"), ElementsAre("block tile", "fragments", "global prefetch", "lane map"));
  EXPECT_THAT(ChangedFactors("sgemm_async"), ElementsAre("block tile", "bounds checks", "fragments", "global prefetch",
                                                         "load width", "shared buffers"));
  EXPECT_THAT(ChangedFactors("sgemm_tile_16x8"),
              ElementsAre("block tile", "global prefetch", "shared buffers", "thread tile"));
  EXPECT_THAT(ChangedFactors("sgemm_split_small"),
              ElementsAre("block tile", "global prefetch", "shared buffers", "thread tile"));
  EXPECT_THAT(ChangedFactors("sgemm_split_fine"), ElementsAre("block tile", "thread tile"));
  EXPECT_THAT(ChangedFactors("sgemm_stream_k"), ElementsAre("split of k"));
  EXPECT_THAT(ChangedFactors("sgemm_fed"), ElementsAre("A tile layout", "block tile", "bounds checks", "copy mapping",
                                                       "global prefetch", "load width"));
  EXPECT_THAT(ChangedFactors("sgemm_fed_sliced"), ElementsAre("block tile", "split of k"));
}

// Which way blockIdx.x walks, as the grid shows it.
TEST(Ladder, StatesTheBlockMappingOfItsGrid) {
  for (const Stage& stage : AllStages()) {
    if (stage.family != "ladder") continue;
    if (stage.device.no_other) {  // as many blocks as run at once, which take tiles one after another
      EXPECT_EQ(Factor(stage, "block mapping"), "in groups of 8 rows") << stage.id;
      EXPECT_EQ(stage.config({8192, 8192, 64}).grid.x, stage.config({4096, 8192, 64}).grid.x) << stage.id;
      continue;
    }
    const dim3 grid = stage.config({4096, 1024, 4096}).grid, turned = stage.config({1024, 4096, 4096}).grid;
    EXPECT_EQ(Factor(stage, "block mapping"), grid.x > turned.x ? "x along m" : "x along n") << stage.id;
  }
}

TEST(Ladder, TakesAnySizeWhereItsSourceDoes) {
  for (const char* id : {"sgemm_naive", "sgemm_naive_swapped", "sgemm_tile_1d", "sgemm_tile_2d", "sgemm_tile_2d_kinner",
                         "sgemm_tile_2d_reg", "sgemm_async", "sgemm_snake", "sgemm_tile_16x8", "sgemm_small_tile",
                         "sgemm_split_k", "sgemm_split_small", "sgemm_split_8", "sgemm_split_fine", "sgemm_tma",
                         "sgemm_stream_k", "sgemm_fed", "sgemm_fed_sliced", "sgemm_fed_small"}) {
    EXPECT_EQ(Describe(Get(id).constraint), "any size") << id;
    for (const GemmShape shape : {GemmShape{1, 1, 1}, {1, 1, 0}, {127, 129, 33}, {4093, 1, 2}}) {
      EXPECT_THAT(Refusal(Get(id), shape), IsEmpty()) << id;
    }
  }
}

TEST(Ladder, RefusesPiecesOfTilesWhereItHasNoBoundsChecks) {
  for (const char* id : {"sgemm_smem_swapped", "sgemm_smem_no_unroll"}) {
    EXPECT_THAT(Refusal(Get(id), {32, 64, 96}), IsEmpty()) << id;
    EXPECT_THAT(Refusal(Get(id), {32, 64, 80}), HasSubstr("k as a multiple of 32")) << id;
  }
  for (const char* id : {"sgemm_padded", "sgemm_quadrants", "sgemm_zorder", "sgemm_double_buffer"}) {
    EXPECT_THAT(Refusal(Get(id), {128, 256, 8}), IsEmpty()) << id;
    EXPECT_THAT(Refusal(Get(id), {128, 256, 0}), IsEmpty()) << id;
    EXPECT_THAT(Refusal(Get(id), {64, 256, 8}), Not(IsEmpty())) << id;
  }
  EXPECT_THAT(Refusal(Get("sgemm_pingpong"), {128, 128, 16}), IsEmpty());
  EXPECT_THAT(Refusal(Get("sgemm_pingpong"), {128, 128, 0}), IsEmpty());
  EXPECT_THAT(Refusal(Get("sgemm_pingpong"), {128, 128, 24}), HasSubstr("k as a multiple of 16"));
}

TEST(Ladder, StatesFourSharedAccessesOfEveryStageWithTiles) {
  for (const Stage& stage : AllStages()) {
    if (stage.family != "ladder") continue;
    std::vector<std::string> names;
    for (const SharedAccess& access : stage.shared_accesses) names.push_back(access.name);
    if (stage.id.starts_with("sgemm_naive")) {
      EXPECT_THAT(names, IsEmpty()) << stage.id;
    } else if (Factor(stage, "copy mapping").starts_with("TMA")) {
      EXPECT_THAT(names, ElementsAre("load A", "load B")) << stage.id;
    } else {
      EXPECT_THAT(names, ElementsAre("store A", "store B", "load A", "load B")) << stage.id;
    }
  }
}

}  // namespace
}  // namespace culprit
