// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/memory_table.h"

#include <gtest/gtest.h>

#include "tests/support/invented_study.h"

namespace culprit {
namespace {

MemoryTables Make(const testing::KernelBuilder& builder) {
  const KernelView view(builder.record);
  return MakeMemoryTables(view);
}

TEST(MemoryTable, OtherIsWhatLoadsAndStoresLeaveOfTheTotal) {
  const SharedTable shared = Make(testing::InventedV17()).shared;
  ASSERT_EQ(shared.rows.size(), 6u);
  EXPECT_EQ(shared.rows[4].title, "Other");
  EXPECT_DOUBLE_EQ(*shared.rows[4].wavefronts, 557076);
  EXPECT_FALSE(shared.rows[4].instructions);
  EXPECT_EQ(shared.rows[5].title, "Total");
  EXPECT_DOUBLE_EQ(*shared.rows[5].instructions, 41943040 + 4194304);
}

TEST(MemoryTable, MatrixLoadsHaveTheirOwnWavefronts) {
  const SharedRow unknown = Make(testing::InventedV17()).shared.rows[1];
  EXPECT_EQ(unknown.title, "Shared Load Matrix");
  EXPECT_EQ(unknown.wavefronts.absence(), Absence::kNotAsked) << "older runs did not count them";
  const SharedRow row = Make(testing::InventedV17()
                                 .Metric("shared_wavefronts", 4000)
                                 .Metric("shared_wavefronts_pct", 50, "%")
                                 .Metric("shared_ldsm_wavefronts", 1000)
                                 .Metric("shared_ldsm_conflicts_hw", 300))
                            .shared.rows[1];
  EXPECT_DOUBLE_EQ(*row.wavefronts, 1000);
  EXPECT_DOUBLE_EQ(*row.peak_pct, 12.5);
  EXPECT_DOUBLE_EQ(*row.conflicts, 300);
}

TEST(MemoryTable, MatrixLoadsAreTakenOffTheLoads) {
  const SharedTable shared = Make(testing::InventedV17()
                                      .Metric("shared_wavefronts", 5000)
                                      .Metric("shared_wavefronts_pct", 50, "%")
                                      .Metric("shared_load_wavefronts", 4000)
                                      .Metric("shared_load_wavefronts_pct", 40, "%")
                                      .Metric("shared_store_wavefronts", 600)
                                      .Metric("shared_store_wavefronts_pct", 6, "%")
                                      .Metric("shared_load_conflicts_hw", 700)
                                      .Metric("shared_ldsm_wavefronts", 1000)
                                      .Metric("shared_ldsm_conflicts_hw", 300))
                                 .shared;
  EXPECT_TRUE(shared.matrix_apart);
  EXPECT_DOUBLE_EQ(*shared.rows[0].wavefronts, 3000);
  EXPECT_DOUBLE_EQ(*shared.rows[0].peak_pct, 30);
  EXPECT_DOUBLE_EQ(*shared.rows[0].conflicts, 400);
  double wavefronts = 0, pct = 0;
  for (const std::size_t part : {0, 1, 2, 4}) {
    wavefronts += *shared.rows[part].wavefronts;
    pct += *shared.rows[part].peak_pct;
  }
  EXPECT_DOUBLE_EQ(wavefronts, *shared.rows[5].wavefronts);
  EXPECT_DOUBLE_EQ(pct, *shared.rows[5].peak_pct);
}

TEST(MemoryTable, LoadsKeepMatrixLoadsWhereTheseWereNotCountedApart) {
  const SharedTable shared = Make(testing::InventedV17().Metric("shared_load_wavefronts", 4000)).shared;
  EXPECT_FALSE(shared.matrix_apart);
  EXPECT_DOUBLE_EQ(*shared.rows[0].wavefronts, 4000);
}

TEST(MemoryTable, AnOtherBelowZeroIsNoiseAndNoCount) {
  EXPECT_FALSE(Make(testing::InventedV17()).shared.noisy);
  const SharedTable shared = Make(testing::InventedV17().Metric("shared_conflicts_hw", 67608863)).shared;
  EXPECT_TRUE(shared.noisy);
  EXPECT_EQ(shared.rows[4].conflicts.absence(), Absence::kUndefined);
  EXPECT_DOUBLE_EQ(*shared.rows[4].wavefronts, 557076);
  EXPECT_DOUBLE_EQ(*shared.rows[5].conflicts, 67608863);
}

TEST(MemoryTable, ExactConflictsAreWavefrontsBeyondTheIdeal) {
  const SharedTable shared = Make(testing::InventedV17()).shared;
  EXPECT_DOUBLE_EQ(*shared.exact_conflicts, 138412032 - 71303168);
  EXPECT_NEAR(*shared.exact_conflict_pct, 48.48, 0.01);
}

TEST(MemoryTable, AKernelWithoutSharedMemoryHasNoConflictShare) {
  const SharedTable shared = Make(testing::Quiet()).shared;
  EXPECT_DOUBLE_EQ(*shared.exact_conflicts, 0);
  EXPECT_EQ(shared.exact_conflict_pct.absence(), Absence::kUndefined);
}

TEST(MemoryTable, CountsSectorsPerRequest) {
  const MemoryTables tables = Make(testing::InventedV16());
  EXPECT_EQ(tables.sectors[0].title, "Local Load");
  EXPECT_DOUBLE_EQ(*tables.sectors[0].sectors_per_request, 4);
  EXPECT_EQ(Make(testing::InventedV17()).sectors[0].sectors_per_request.absence(), Absence::kUndefined);
}

TEST(MemoryTable, TellsThatInstructionsOfAsynchronousCopiesAreNotCounted) {
  const auto loads = [](double instructions, double requests) {
    return Make(
               testing::InventedV17().Metric("global_load_inst", instructions).Metric("global_load_requests", requests))
        .sectors[2];
  };
  EXPECT_TRUE(loads(10, 1000).HasUncountedInstructions());
  EXPECT_FALSE(loads(1000, 1000).HasUncountedInstructions());
}

TEST(MemoryTable, ADeniedCounterStaysDenied) {
  const MemoryTables tables = Make(testing::InventedV16().Missing("l2_sectors_hit", ReadingStatus::kDenied));
  EXPECT_EQ(tables.caches[1].hit_pct.absence(), Absence::kDenied);
  EXPECT_TRUE(tables.caches[1].sectors);
}

}  // namespace
}  // namespace culprit
