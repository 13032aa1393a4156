// SPDX-License-Identifier: Apache-2.0
#include "bench/program/missed_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>

#include "db/sampled_counters.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kChip = "GH100";
constexpr std::int64_t kMs = 1'000'000;
constexpr std::size_t kClasses = 2;

std::span<const CounterTurn> Lists() { return CounterTurnsOn(kChip); }

// Two classes, 0 and 1, on GPUs whose lists of counters take turns.
class MissedKernelsOf : public ::testing::Test {
 protected:
  void Launch(std::size_t gpu, std::uint32_t kernel_class, std::int64_t start_ms, std::int64_t end_ms) {
    Gpu(gpu).launches.push_back({kernel_class, start_ms * kMs, end_ms * kMs});
    Summed(kernel_class, end_ms - start_ms);
  }
  // Calls of which only the time is known.
  void Summed(std::uint32_t kernel_class, std::int64_t ms) {
    if (kernel_class < kClasses) time_us_[kernel_class] += 1000.0 * static_cast<double>(ms);
  }
  // With a pause in it: until, and from.
  void Turn(std::size_t gpu, std::size_t list, std::int64_t start_ms, std::int64_t until_ms, std::int64_t from_ms,
            std::int64_t end_ms) {
    TracedCounters& turn = turns_.emplace_back();
    for (const TurnCounter& counter : Lists()[list].counters)
      turn.metrics.push_back(SampledMetric(counter.id, counter.name));
    for (std::int64_t ms = start_ms; ms < end_ms; ++ms) {
      if (ms >= until_ms && ms < from_ms) continue;
      turn.start_ns.push_back(ms * kMs);
      turn.end_ns.push_back((ms + 1) * kMs);
    }
    Gpu(gpu).counters.push_back(&turn);
  }
  void Turn(std::size_t gpu, std::size_t list, std::int64_t start_ms, std::int64_t end_ms) {
    Turn(gpu, list, start_ms, end_ms, end_ms, end_ms);
  }
  // All lists on one GPU, each for as long.
  void AllLists(std::size_t gpu, std::int64_t start_ms, std::int64_t each_ms) {
    for (std::size_t list = 0; list < Lists().size(); ++list, start_ms += each_ms)
      Turn(gpu, list, start_ms, start_ms + each_ms);
  }
  std::vector<bool> InRecords() const { return ClassesInRecords(gpus_, kClasses, kChip); }
  std::vector<MissedKernels> Missed() const { return KernelsMissedByLists(gpus_, time_us_, kChip); }

 private:
  GpuWork& Gpu(std::size_t gpu) {
    gpus_.resize(std::max(gpus_.size(), gpu + 1));
    return gpus_[gpu];
  }
  std::array<double, kClasses> time_us_{};
  std::vector<GpuWork> gpus_;
  std::deque<TracedCounters> turns_;
};

TEST_F(MissedKernelsOf, NoneIfEachListHadATurnWhileEachKernelRan) {
  AllLists(0, 0, 100);
  for (std::int64_t ms = 0; ms < 500; ms += 10) Launch(0, ms / 10 % 2 == 0 ? 0 : 1, ms, ms + 10);
  EXPECT_THAT(Missed(), IsEmpty());
}

TEST_F(MissedKernelsOf, AllIfAListHadNoTurn) {
  Turn(0, 1, 0, 100);
  Launch(0, 0, 0, 100);
  const std::vector<MissedKernels> missed = Missed();
  ASSERT_THAT(missed, SizeIs(Lists().size() - 1));
  EXPECT_EQ(missed[0].list, Lists()[0].what);
  EXPECT_EQ(missed[1].list, Lists()[2].what);
  for (const MissedKernels& by : missed) {
    EXPECT_EQ(by.share, 1);
    EXPECT_TRUE(by.AreMost());
  }
}

TEST_F(MissedKernelsOf, AllIfTheGpuWasIdleInTheListsTurn) {
  AllLists(0, 0, 100);
  Launch(0, 0, 0, 50);
  Launch(0, 0, 2000, 3000);
  const std::vector<MissedKernels> missed = Missed();
  ASSERT_THAT(missed, SizeIs(Lists().size() - 1)) << "the first one counted the first call";
  EXPECT_EQ(missed[0].list, Lists()[1].what);
}

TEST_F(MissedKernelsOf, OthersIfAListCountedSomeKernels) {
  AllLists(0, 0, 100);
  for (std::size_t list = 0; list < Lists().size(); ++list)
    Launch(0, list == 2 ? 1 : 0, static_cast<std::int64_t>(list) * 100, static_cast<std::int64_t>(list) * 100 + 60);
  const std::vector<MissedKernels> missed = Missed();
  ASSERT_THAT(missed, SizeIs(Lists().size()));
  for (std::size_t list = 0; list < Lists().size(); ++list) {
    EXPECT_NEAR(missed[list].share, list == 2 ? 0.8 : 0.2, 1e-9) << list;
    EXPECT_EQ(missed[list].costliest, list == 2 ? 0 : 1) << list;
    EXPECT_EQ(missed[list].AreMost(), list == 2) << list;
  }
}

TEST_F(MissedKernelsOf, AreInRecordsIfAnyListHadATurnMeanwhile) {
  Turn(0, 2, 0, 50);
  Launch(0, 0, 40, 60);
  Launch(0, 1, 50, 90);
  EXPECT_THAT(InRecords(), ElementsAre(true, false));
  Turn(0, 3, 80, 100);
  EXPECT_THAT(InRecords(), ElementsAre(true, true));
}

TEST_F(MissedKernelsOf, NoneIfAListMissedATwentieth) {
  AllLists(0, 0, 100);
  Launch(0, 0, 0, 500);
  Launch(0, 1, 600, 625);  // of 525 ms
  EXPECT_THAT(Missed(), IsEmpty());
  Launch(0, 1, 630, 632);
  EXPECT_THAT(Missed(), SizeIs(Lists().size()));
}

TEST_F(MissedKernelsOf, AllIfKernelsRanForLessThanTenMillisecondsInTheTurn) {
  AllLists(0, 0, 100);
  Launch(0, 0, 91, 2000);  // 9 ms in the first list's turn
  const std::vector<MissedKernels> missed = Missed();
  ASSERT_THAT(missed, SizeIs(1));
  EXPECT_EQ(missed[0].list, Lists()[0].what);
}

TEST_F(MissedKernelsOf, NoneIfAListCountedATwentiethOfAShortProgram) {
  AllLists(0, 0, 1);
  Launch(0, 0, 0, 20);
  EXPECT_THAT(Missed(), IsEmpty());
}

TEST_F(MissedKernelsOf, NoneIfAnotherGpuDidNextToNothing) {
  AllLists(0, 0, 100);
  Launch(0, 0, 0, 500);
  Turn(1, 0, 0, 500);
  Launch(1, 0, 0, 1);
  EXPECT_THAT(Missed(), IsEmpty());
}

TEST_F(MissedKernelsOf, NoneIfTheyAreNotRecorded) {
  AllLists(0, 0, 100);
  Launch(0, 0, 0, 500);
  Launch(0, kClasses, 600, 9000);
  EXPECT_THAT(Missed(), IsEmpty());
}

TEST_F(MissedKernelsOf, ThoseOfAPauseWithinATurn) {
  for (std::size_t list = 0; list < Lists().size(); ++list) Turn(0, list, 0, 100, 5000, 5100);
  Launch(0, 0, 0, 100);
  Launch(0, 1, 200, 4200);
  Launch(0, 0, 5000, 5100);
  const std::vector<MissedKernels> missed = Missed();
  ASSERT_THAT(missed, SizeIs(Lists().size()));
  for (const MissedKernels& by : missed) EXPECT_EQ(by.costliest, 1u);
}

TEST_F(MissedKernelsOf, NoneIfALaunchRanInSeveralTurns) {
  AllLists(0, 0, 5);
  AllLists(0, 1000, 100);
  Launch(0, 0, 4, 3000);
  EXPECT_THAT(Missed(), IsEmpty());
}

TEST_F(MissedKernelsOf, ThoseThatWereSummedAfterSamplingEnded) {
  AllLists(0, 0, 100);
  Launch(0, 0, 0, 500);
  Summed(0, 10'000);
  EXPECT_THAT(Missed(), IsEmpty());
  Summed(1, 3'000);
  ASSERT_THAT(Missed(), SizeIs(Lists().size()));
  EXPECT_NEAR(Missed()[0].share, 3.0 / 13.5, 1e-9);
}

TEST_F(MissedKernelsOf, NoneIfNothingWasSampled) { EXPECT_THAT(Missed(), IsEmpty()); }

}  // namespace
}  // namespace culprit
