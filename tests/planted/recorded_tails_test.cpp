// SPDX-License-Identifier: Apache-2.0
// What `why` says of tails, against the phases that an H200 was sampled in while it ran planted_loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "analysis/judge/why/why.h"
#include "analysis/timeline/phase_rates.h"
#include "tests/planted/range_name.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

using ::testing::HasSubstr;

// Launches of the large half of the recording, by the kernel that planted_loop named.
std::map<std::string, LaunchId> LargeLaunches(const Database& database) {
  std::map<std::string, LaunchId> launches;
  for (const auto& row : database
                             .Query("SELECT launch_id, nvtx FROM program_launch JOIN launch ON launch.id = launch_id "
                                    "JOIN run ON run.id = run_id WHERE label = 'large'")
                             .rows) {
    const std::string kernel = KernelOf(std::get<std::string>(row[1]));
    launches.emplace(kernel.substr(0, kernel.find(' ')), std::get<std::int64_t>(row[0]));
  }
  return launches;
}

// SMs with a warp, on average over the last `share` of a launch: from the stored counts alone.
double SmsInTheLast(double share, const KernelRecord& kernel, std::span<const PhaseProfile> profiles) {
  const auto of = [&](std::string_view id) {
    const auto found = std::ranges::find(profiles, id, [](const PhaseProfile& p) { return p.metric.id; });
    EXPECT_NE(found, profiles.end()) << id;
    return *found;
  };
  const PhaseProfile active = of("smsp_cycles_active"), clock = of("sm_cycles_elapsed_max");
  double cycles = 0, counted = 0;
  for (const double count : clock.counts) cycles += count;
  for (std::size_t q = 0; q < active.counts.size(); ++q) {
    const double from = active.edges[q], to = active.edges[q + 1];
    counted += active.counts[q] * std::clamp((to - (1 - share)) / (to - from), 0.0, 1.0);
  }
  EXPECT_GT(kernel.run.run.device->sm_count, 0);
  return counted / (cycles * share) / 4;
}

TEST(RecordedTails, AreThoseOfThePhases) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "loop.db");
  ImportRecordings("planted_loop", database);
  const std::map<std::string, LaunchId> launches = LargeLaunches(database);
  struct Pair {
    const char *base, *candidate;
    Speed before;  // without the tails, by what was planted
  };
  // Rows of uneven length, dealt to blocks and in a row: SMs run out of work one by one, and few are left sooner. And loops
  // that got longer, whose last wave does not fill all SMs.
  for (const Pair& pair : {Pair{"relax_spilled_dealt", "relax_spilled_consecutive", Speed::kFaster},
                           {"relax_kept_consecutive", "relax_spilled_consecutive", Speed::kSlower},
                           {"reservoirs_unrolled_16", "reservoirs_unrolled_4096", Speed::kSlower},
                           {"nbody_128_registers", "nbody_40_registers", Speed::kSlower}}) {
    SCOPED_TRACE(std::string(pair.base) + " -> " + pair.candidate);
    ASSERT_TRUE(launches.contains(pair.base) && launches.contains(pair.candidate));
    const KernelRecord base = database.LoadKernel(launches.at(pair.base));
    const KernelRecord candidate = database.LoadKernel(launches.at(pair.candidate));
    const Explanation e = Why(Neighbours(database), base, candidate);
    ASSERT_TRUE(e.phases);
    const PhaseDifference& d = *e.phases;
    EXPECT_EQ(d.before, pair.before);
    EXPECT_THAT(d.text, HasSubstr(d.before == Speed::kSame     ? "as fast as the base"
                                  : d.before == Speed::kFaster ? "less long than the base"
                                                               : "longer than the base"));
    const auto tail = std::ranges::find(e.causes, "imbalance_tail", &CausePart::cause);
    EXPECT_TRUE(tail != e.causes.end() || d.before != Speed::kSame);
    if (tail != e.causes.end()) {
      EXPECT_EQ(tail->evidence.front().metric, "tail_us");
    }
    for (const auto& [side, kernel] : {std::pair(&d.base, &base), std::pair(&d.candidate, &candidate)}) {
      if (side->tail.share == 0) continue;
      const double sms = SmsInTheLast(side->tail.share, *kernel, database.Profiles(kernel->id));
      EXPECT_NEAR(side->tail.sms, sms, 2 * side->tail.sms_error + 1);
      EXPECT_LE(sms, 0.5 * side->tail.sms_before + 2 * side->tail.sms_error);
    }
    EXPECT_NEAR(d.before_delta_us + d.candidate.TailUs() - d.base.TailUs(), e.DeltaUs(), 0.01);
    if (d.before == Speed::kSame) {
      EXPECT_LE(std::abs(d.before_delta_us), 2 * d.before_error_us);
      EXPECT_LE(2 * d.before_error_us, 0.25 * std::abs(e.DeltaUs()));
    }
  }
}

}  // namespace
}  // namespace culprit::testing
