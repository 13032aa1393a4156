// SPDX-License-Identifier: Apache-2.0
// The published table of the study, row by row, against what the stages say of themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analysis/banks/bank_model.h"
#include "kernels/sgemm/v_study_map.h"
#include "kernels/shared_access.h"
#include "kernels/stage.h"
#include "tests/unit/kernels/changed_factors.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

const Stage& Find(const std::string& id) { return *FindStage(id); }

const SharedAccess& Access(const std::string& stage, const std::string& name) {
  const std::vector<SharedAccess>& all = Find(stage).shared_accesses;
  return *std::ranges::find(all, name, &SharedAccess::name);
}

TEST(VStudy, HasEveryRowOfTheTable) {
  const std::vector<std::vector<std::string>> table = {
      {"v2", "float4", "true", "k->m->n", "none", "false", "float r_c[8][8]", "standard tiling"},
      {"v1_9", "4 consecutive floats", "true", "k->m->n", "none", "false", "float r_c[8][8]", "standard tiling"},
      {"v1_8", "4 consecutive floats", "false", "k->m->n", "none", "false", "float r_c[8][8]", "standard tiling"},
      {"v1_7", "single float", "false", "k->m->n", "none", "false", "float r_c[8][8]", "standard tiling"},
      {"v1_7_1", "single float", "false", "k->m->n", "none", "true", "float r_c[8][8]", "standard tiling"},
      {"v1_7_2", "single float", "true", "k->m->n", "none", "false", "float r_c[8][8]", "standard tiling"},
      {"v1_6", "single float", "false", "m->n->k", "none", "false", "float r_c[8][8]", "standard tiling"},
      {"v1_6_1", "single float", "false", "m->n->k", "16 bytes padding per smem row", "false", "float r_c[8][8]",
       "standard tiling"},
      {"v1_6_3", "single float", "false", "m->n->k", "none", "true", "float r_c[8][8]", "standard tiling"},
      {"v1_6_4", "single float", "false", "m->n->k", "none", "false", "__shared__ float r_c[8][8]", "standard tiling"},
      {"v1", "single float", "false", "m->n->k", "none", "false", "float r_c[8][8]",
       "tiling, 8x8 per thread, 16x16 block, K=8"},
      {"v0", "single float", "false", "-", "none", "false", "-", "tiling, 1x1 per thread, 16x16 block, K=16"},
  };
  const std::vector<std::string> columns = {
      "thread-level gmem<->smem", "unroll",    "loop nest", "bank conflict handling", "volatile smem",
      "intermediate results",     "task split"};
  for (const std::vector<std::string>& row : table) {
    Factors expected;
    for (std::size_t i = 0; i < columns.size(); ++i) expected.emplace_back(columns[i], row[i + 1]);
    ASSERT_NE(FindStage(row[0]), nullptr) << row[0];
    EXPECT_EQ(Find(row[0]).factors, expected) << row[0];
  }
  EXPECT_EQ(std::ranges::count(AllStages(), "v_study", &Stage::family), std::ssize(table));
  // The table's other two rows belong to other families, whose stages they are.
  EXPECT_EQ(Find("cublas_sgemm").family, "reference");
  EXPECT_EQ(Find("sgemm_naive").family, "ladder");
}

TEST(VStudy, ChangesOneFactorAStep) {
  struct Edge {
    std::string parent, child, factor;
  };
  for (const Edge& edge : {Edge{"v2", "v1_9", "thread-level gmem<->smem"}, Edge{"v1_9", "v1_8", "unroll"},
                           Edge{"v1_8", "v1_7", "thread-level gmem<->smem"}, Edge{"v1_7", "v1_7_1", "volatile smem"},
                           Edge{"v1_7", "v1_7_2", "unroll"}, Edge{"v1_7", "v1_6", "loop nest"},
                           Edge{"v1_6", "v1_6_1", "bank conflict handling"}, Edge{"v1_6", "v1_6_3", "volatile smem"},
                           Edge{"v1_6", "v1_6_4", "intermediate results"}, Edge{"v1_6", "v1", "task split"}}) {
    EXPECT_EQ(Find(edge.child).parent, edge.parent) << edge.child;
    EXPECT_THAT(ChangedFactors(edge.child), ElementsAre(edge.factor)) << edge.child;
  }
}

// Else a member could not be compared with its parent at every shape.
TEST(VStudy, TakesTheSameShapesThroughout) {
  for (const Stage& stage : AllStages()) {
    if (stage.family != "v_study" || stage.id == "v0") continue;
    EXPECT_EQ(Describe(stage.constraint), "m % 128 == 0, n % 128 == 0, k % 8 == 0") << stage.id;
    const LaunchConfig config = stage.config({256, 384, 8});
    EXPECT_EQ(config.grid.x, 3u) << stage.id;
    EXPECT_EQ(config.grid.y, 2u) << stage.id;
    EXPECT_EQ(config.block.x * config.block.y, 256u) << stage.id;
  }
}

TEST(VStudyMap, MovesEveryElementOnce) {
  for (const int columns : {v_study::kTileK, v_study::kTileN}) {
    const int elements = v_study::kThreads * 4;
    std::vector<int> singles(elements), fours(elements);
    for (int thread = 0; thread < v_study::kThreads; ++thread) {
      const v_study::Place first = v_study::FirstOfFour(thread, columns);
      ASSERT_LE(first.column + 4, columns) << "four neighbours lie in one row";
      for (int i = 0; i < 4; ++i) {
        const v_study::Place single = v_study::SingleFloat(thread, i, columns);
        ++singles[single.row * columns + single.column];
        ++fours[first.row * columns + first.column + i];
      }
    }
    EXPECT_THAT(singles, ::testing::Each(1));
    EXPECT_THAT(fours, ::testing::Each(1));
  }
}

TEST(VStudyMap, GivesEachThreadItsOwnSums) {
  std::vector<int> sums(v_study::kThreads * 64);
  for (int thread = 0; thread < v_study::kThreads; ++thread) {
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) ++sums.at(v_study::SumInShared(thread, i, j));
    }
  }
  EXPECT_THAT(sums, ::testing::Each(1));
}

TEST(VStudyAccesses, AreNamedOnlyWhereTheSourceDecidesTheWidth) {
  const auto names = [](const char* id, auto... name) {
    EXPECT_THAT(Find(id).shared_accesses, ElementsAre(Field(&SharedAccess::name, name)...)) << id;
  };
  names("v2", "store A", "store B");
  for (const char* id : {"v1_7", "v1_7_2", "v1_6", "v1_6_1", "v1"}) names(id, "store A", "store B");
  for (const char* id : {"v1_7_1", "v1_6_3"}) names(id, "store A", "store B", "load A", "load B");
  names("v1_6_4", "store A", "store B", "store r_c");
  for (const char* id : {"v1_9", "v1_8"}) EXPECT_THAT(Find(id).shared_accesses, IsEmpty()) << id;
}

// V1.6.1: its rows of A shift against one another, and the 4 that a warp stores to overlap in banks. A row of B shifts
// as a whole, so neither stores of B nor the 128-bit loads of it that the compiler makes notice.
TEST(VStudyAccesses, ConflictMoreWithThePaddingOfV161) {
  EXPECT_EQ(Model(Access("v1_6", "store A")).wavefronts, 1);
  EXPECT_EQ(Model(Access("v1_6_1", "store A")).wavefronts, 2);
  EXPECT_EQ(Model(Access("v1_6", "store B")).wavefronts, 1);
  EXPECT_EQ(Model(Access("v1_6_1", "store B")).wavefronts, 1);
  for (const int padding : {0, 4}) {
    const SharedArray b{"B", v_study::kTileN + padding};
    const BankCost load = Model(WarpAccess("load B", b, SharedOp::kLoad, 4, [&](int thread) {
      return 3 * b.row_elements + v_study::FirstColumn(thread % v_study::kThreadsX);
    }));
    EXPECT_EQ(load.wavefronts, 8) << padding;
    EXPECT_EQ(load.excess(), 4) << padding;
  }
}

TEST(VStudyAccesses, LieWhereTheTilesPutThem) {
  EXPECT_EQ(Access("v2", "store A").lane_bytes, 16);
  EXPECT_EQ(Access("v2", "store B").address[31], 31 * 16);
  EXPECT_EQ(Access("v1_7", "store A").address[31], 31 * 4);
  EXPECT_EQ(Access("v1_6_1", "store A").row_bytes, 8 * 4 + 16);
  EXPECT_EQ(Access("v1_6_1", "store A").address[31], 3 * 48 + 7 * 4);
  EXPECT_EQ(Access("v1_6_1", "store B").row_bytes, 128 * 4 + 16);
  EXPECT_EQ(Access("v1_6_3", "load A").address[15], 0);
  EXPECT_EQ(Access("v1_6_3", "load A").address[16], 8 * 32);
  EXPECT_EQ(Access("v1_6_3", "load B").address[17], 8 * 4);
  EXPECT_EQ(Access("v1_6_4", "store r_c").address[31], 31 * 4);
  EXPECT_EQ(Access("v1", "store A").address[8], kInactiveLane);
  EXPECT_EQ(Access("v1", "store A").address[16 + 7], 32 + 7 * 4);
  EXPECT_EQ(Access("v1", "store B").address[16 + 7], 512 + 7 * 4);
}

}  // namespace
}  // namespace culprit
