// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/phase_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "db/sampled_counters.h"
#include "tests/support/kernel_builder.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KernelBuilder;
using ::testing::Not;

constexpr double kSms = 132, kMhz = 2000;
constexpr std::size_t kPhases = 20;

// A launch that takes `us`. In its last `tail` phases 12 SMs have a warp, before them all have one.
struct Launch {
  KernelBuilder kernel;
  std::vector<PhaseProfile> profiles;

  Launch(double us, std::size_t tail, double error_sms = 1) : kernel("k") {
    kernel.Time(us, kMhz);
    PhaseProfile profile{SampledMetric("smsp_cycles_active"), us * 1000, {0}, {}, {}};
    const double cycles = us * kMhz / kPhases * 4;
    for (std::size_t q = 0; q < kPhases; ++q) {
      profile.edges.push_back(static_cast<double>(q + 1) / kPhases);
      profile.counts.push_back(cycles * (q + tail >= kPhases ? 12 : kSms));
      profile.errors.push_back(cycles * error_sms);
    }
    profiles = {profile};
  }
};

constexpr double kFloor = 0.01;

std::optional<PhaseDifference> Compared(const Launch& base, const Launch& candidate) {
  NoiseFloor floor;
  floor.change = kFloor;
  return ComparePhases(base.kernel.record, base.profiles, candidate.kernel.record, candidate.profiles, floor);
}

TEST(ComparePhases, SaysThatOnlyTheTailIsNew) {
  // A fifth of 200 us are 40 us.
  const auto d = Compared(Launch(160, 0), Launch(200, 4));
  ASSERT_TRUE(d);
  EXPECT_NEAR(d->candidate.TailUs(), 40, 1);
  EXPECT_EQ(d->base.TailUs(), 0);
  EXPECT_NEAR(d->before_delta_us, 0, 1);
  EXPECT_EQ(d->before, Speed::kSame);
  EXPECT_THAT(d->text, AllOf(HasSubstr("The candidate's last 40."), HasSubstr(" us run on 12 of 132 SMs"),
                             HasSubstr("the base has no such tail"),
                             HasSubstr("Before it, the candidate is as fast as the base: ")));
}

TEST(ComparePhases, IsAsTrueTheOtherWayRound) {
  const auto d = Compared(Launch(200, 4), Launch(160, 0));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->before, Speed::kSame);
  EXPECT_THAT(d->text, HasSubstr("The base's last 40."));
}

TEST(ComparePhases, SaysWhatIsLostBeforeTheTail) {
  const auto d = Compared(Launch(100, 0), Launch(200, 4));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->before, Speed::kSlower);
  EXPECT_NEAR(d->before_delta_us, 60, 1);
  EXPECT_THAT(d->text, AllOf(HasSubstr("Before it, the candidate takes 60."), HasSubstr("us longer than the base"),
                             Not(HasSubstr("as fast"))));
  EXPECT_EQ(Compared(Launch(200, 4), Launch(100, 0))->before, Speed::kFaster);
}

TEST(ComparePhases, DoesNotCallTwoLoopsEqualWhoseErrorsAreLarge) {
  // The same times, but where the tail begins is known to a few per cent of 200 us, and the difference is 40 us.
  const auto d = Compared(Launch(160, 0, 35), Launch(200, 4, 35));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->before, Speed::kAmbiguous);
  EXPECT_THAT(d->text, HasSubstr("too much to tell whether they differ"));
}

TEST(ComparePhases, SetsTwoTailsBesideEachOther) {
  const auto d = Compared(Launch(200, 2), Launch(240, 6));
  ASSERT_TRUE(d);
  EXPECT_THAT(d->text, AllOf(HasSubstr("The candidate's last 72."), HasSubstr("the base's last 19.8"),
                             HasSubstr(" us on 11. Before that, ")));
  EXPECT_EQ(d->before, Speed::kFaster) << "168 us instead of 180";
}

TEST(ComparePhases, SaysNothingOfLaunchesWithoutTailsOrWithoutProfiles) {
  const auto d = Compared(Launch(100, 0), Launch(140, 0));
  ASSERT_TRUE(d);
  EXPECT_THAT(d->text, IsEmpty());
  Launch without(100, 0);
  without.profiles.clear();
  EXPECT_FALSE(Compared(without, Launch(140, 4)));
  EXPECT_FALSE(Compared(Launch(100, 0), without));
}

}  // namespace
}  // namespace culprit
