// SPDX-License-Identifier: Apache-2.0
#include "db/sampled_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

namespace culprit {
namespace {

TEST(SampledCounters, TheFirstListTellsWhetherAKernelRuns) {
  for (const char* const chip : {"GH100", "GB100", "GA100", "GA102", "GB202"}) {
    const std::span<const CounterTurn> lists = CounterTurnsOn(chip);
    ASSERT_FALSE(lists.empty()) << chip;
    for (const CounterTurn& list : lists) {
      EXPECT_EQ(list.counters.front().id, kClockCounter) << chip << ": " << list.what;
      EXPECT_EQ(std::ranges::count(list.counters, kWarpsCounter, &TurnCounter::id), &list == &lists.front() ? 1 : 0)
          << chip << ": " << list.what;
    }
  }
}

}  // namespace
}  // namespace culprit
