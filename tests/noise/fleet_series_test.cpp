// SPDX-License-Identifier: Apache-2.0
// How often a series of nightly medians has a false step, and which steps are found. Writes docs/evidence/fleet.md.
#include "tests/noise/fleet_series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstdlib>

#include "tests/noise/fleet_document.h"
#include "tests/support/evidence_page.h"
#include "tests/support/slow_build.h"

namespace culprit::testing {
namespace {

constexpr int kSeries = kSlowBuild ? 200 : 4'000, kFleet = kSlowBuild ? 400 : 8'000;

// Of the tests below, one in a million fails without a reason.
constexpr double kUnlikely = 1e-6;

int MostOf(int n, double rate) {
  return static_cast<int>(boost::math::quantile(boost::math::complement(boost::math::binomial(n, rate), kUnlikely)));
}

TEST(FleetSeries, WithoutAStepHaveFalseOnesAtMostAtTheirLevel) {
  for (const SeriesKind& kind : SeriesKinds()) {
    if (!kind.is_promised) continue;
    for (const int nights : {10, 100}) {
      const StepTally tally = TallyOf(kind, nights, kSeries);
      for (std::size_t i = 0; i < kLevels.size(); ++i)
        EXPECT_LE(tally.false_steps[i], MostOf(kSeries, kLevels[i])) << kind.name << ", " << kLevels[i];
      EXPECT_LE(tally.suspects, MostOf(kSeries, 0.002)) << kind.name;
    }
  }
}

TEST(FleetSeries, OfAScreeningHaveAtMostTheShareOfFalseStepsThatIsAccepted) {
  for (const FleetTally& tally : TalliesOfFleet(kFleet)) {
    EXPECT_LE(tally.wrong, MostOf(std::max(tally.announced, 1), 0.05)) << tally.method;
    if (kSlowBuild) continue;
    for (std::size_t i = 1; i < kStepSizes.size(); ++i)  // 3 % and more
      EXPECT_GE(tally.sizes[i].found, tally.sizes[i].steps * (tally.method == "server" ? 0.4 : 0.6)) << kStepSizes[i];
  }
}

// The tables that ship have so many series that the rates at small levels show. A minute of one core:
// CULPRIT_UPDATE_GOLDEN=1 CULPRIT_FLEET_SERIES=100000 build/gpu/bin/noise_test
// --gtest_filter=FleetSeries.AreWhatTheDocumentSays
TEST(FleetSeries, AreWhatTheDocumentSays) {
  const char* const series = std::getenv("CULPRIT_FLEET_SERIES");
  if (series && std::getenv("CULPRIT_UPDATE_GOLDEN")) {
    const int many = std::atoi(series);
    std::vector<StepTally> tallies;
    for (const SeriesKind& kind : SeriesKinds())
      for (const int nights : {10, 30, 100})
        tallies.push_back(TallyOf(kind, nights, kind.is_promised ? many : many / 50));
    Write(tallies, TalliesOfFleet(many / 2));
  }
  ExpectEvidence("fleet", FleetDocument(RecordedStepTallies(), RecordedFleetTallies()));
}

// The tables are those of this program.
TEST(FleetSeries, HaveTheRatesThatTheTablesHave) {
  for (const StepTally& recorded : RecordedStepTallies()) {
    if (recorded.nights != 30) continue;
    const auto kind = std::ranges::find(SeriesKinds(), recorded.kind, &SeriesKind::id);
    ASSERT_NE(kind, SeriesKinds().end()) << recorded.kind;
    const int series = kSeries / (kind->is_promised ? 1 : 10);
    const StepTally now = TallyOf(*kind, recorded.nights, series);
    const double rate = static_cast<double>(recorded.false_steps[0]) / recorded.series;
    EXPECT_NEAR(static_cast<double>(now.false_steps[0]) / series, rate, 5 * std::sqrt(rate / series) + 3.0 / series)
        << recorded.kind;
  }
}

}  // namespace
}  // namespace culprit::testing
