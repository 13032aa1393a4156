// SPDX-License-Identifier: Apache-2.0
#include "bench/program/gpu_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

std::optional<GpuHealth> Read(const char* counters) {
  setenv("FAKE_NVML", counters, 1);
  std::optional<GpuHealth> health = ReadGpuHealth(CULPRIT_FAKE_NVML);
  unsetenv("FAKE_NVML");
  return health;
}

// `after`, two seconds after `before`.
std::vector<Warning> Warnings(const char* before, const char* after) {
  const auto from = Read(before);
  auto to = Read(after);
  EXPECT_TRUE(from && to);
  to->at = from->at + std::chrono::seconds(2);
  return HealthWarnings(*from, *to);
}

TEST(GpuHealth, SumTheCountersOfAllGpus) {
  const auto health = Read("1000 2000 0 0 5000 7;3000 0 0 4000 1000 1");
  ASSERT_TRUE(health);
  EXPECT_EQ(health->gpus, 2);
  EXPECT_EQ(health->lowered_us[0], 4);
  EXPECT_EQ(health->lowered_us[1], 2);
  EXPECT_EQ(health->lowered_us[2], 0);
  EXPECT_EQ(health->lowered_us[3], 4);
  EXPECT_EQ(health->joules, 6);
  EXPECT_EQ(health->corrected_errors, 8);
}

TEST(GpuHealth, SayWhatLoweredThemAndWhatWasDrawn) {
  EXPECT_THAT(
      Warnings("1000000 0 5 0 1000 0", "301000000 20000000 5 0 1301000 0"),
      ElementsAre(Field(&Warning::text,
                        "in the 2,000.0 ms in which the program was timed, clocks of the GPU were lowered by the power "
                        "limit for 300.0 ms, by temperature for 20,000.0 us. On average 650 W were drawn.")));
  EXPECT_THAT(
      Warnings("0 0 0 0 - 0;0 0 0 0 - 0", "0 0 0 4000000 - 0;0 0 0 0 - 0"),
      ElementsAre(Field(&Warning::text,
                        "in the 2,000.0 ms in which the program was timed, clocks of the 2 GPUs of this machine were "
                        "lowered by the limit of the voltage for 4,000.0 us.")));
}

TEST(GpuHealth, NameOtherProcessesThatWereThereBeforeOrAfterwards) {
  EXPECT_THAT(Warnings("0 0 0 0 0 0 41;0 0 0 0 0 0 40", "0 0 0 0 0 0 41;0 0 0 0 0 0 42"),
              ElementsAre(Field(&Warning::text,
                                "other processes used the 2 GPUs of this machine before or after the "
                                "program was timed, and perhaps meanwhile (process 40, 41, 42). On the same GPU, "
                                "their work makes kernels slower and counts in sampled counters.")));
  EXPECT_THAT(Warnings("0 0 0 0 0 0", "0 0 0 0 0 0"), IsEmpty());
}

TEST(GpuHealth, CountMemoryErrorsThatCameWhileTheProgramWasTimed) {
  EXPECT_THAT(
      Warnings("0 0 0 0 0 3", "0 0 0 0 900000 5"),
      ElementsAre(Field(&Warning::text, "while the program was timed, the GPU corrected 2 memory errors (ECC).")));
}

TEST(GpuHealth, SayNothingWhereNothingWasLoweredOrIsCounted) {
  EXPECT_THAT(Warnings("7 7 7 7 7 7", "7 7 7 7 900000 7"), IsEmpty());
  EXPECT_THAT(Warnings("- - - - - -", "- - - - - -"), IsEmpty());
  const auto none = Read("- - - - - -");
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->lowered_us[0] || none->joules || none->corrected_errors) << "not measured, not 0";
}

TEST(GpuHealth, AreNotKnownWithoutLibraryDriverOrGpu) {
  EXPECT_FALSE(ReadGpuHealth("libno-such-library.so.1"));
  EXPECT_FALSE(ReadGpuHealth(CULPRIT_FAKE_NVML)) << "no driver is loaded";
  EXPECT_FALSE(Read(""));
}

}  // namespace
}  // namespace culprit
