// SPDX-License-Identifier: Apache-2.0
#include "db/sampled_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace culprit {
namespace {

TEST(SampledCounters, ListsTellWhetherKernelsRan) {
  for (const char* const chip : {"GH100", "GB100", "GA100", "GA102", "GB202"}) {
    const std::span<const CounterTurn> lists = CounterTurnsOn(chip);
    ASSERT_FALSE(lists.empty()) << chip;
    for (const CounterTurn& list : lists) {
      EXPECT_TRUE(std::ranges::any_of(list.counters, OnlyKernelsMove, &TurnCounter::id)) << chip << ": " << list.what;
      EXPECT_FALSE(OnlyKernelsMove(list.counters.front().id)) << "the clock goes on in an idle GPU";
    }
    // A kernel that is still waiting has executed nothing, but it has warps.
    EXPECT_NE(std::ranges::find(lists.front().counters, "warps_active", &TurnCounter::id),
              lists.front().counters.end());
  }
}

TEST(SampledCounters, CopiesMoveThoseOfL2AndDeviceMemory) {
  for (const char* const id : {"l2_sectors", "dram_read_bytes", "dram_write_bytes", "sm_cycles_elapsed_max"})
    EXPECT_FALSE(OnlyKernelsMove(id)) << id;
  for (const char* const id :
       {"inst_executed", "l1_sectors_hit", "shared_wavefronts", "local_load_sectors", "icc_misses"})
    EXPECT_TRUE(OnlyKernelsMove(id)) << id;
}

}  // namespace
}  // namespace culprit
