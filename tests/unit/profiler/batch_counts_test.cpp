// SPDX-License-Identifier: Apache-2.0
// Counts per launch from invented records, of which it is known what was launched.
#include "profiler/batch_counts.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace culprit {
namespace {

constexpr std::int64_t kIntervalNs = 100'000, kIdleNs = 4 * kIntervalNs;
constexpr double kPerLaunch = 1000;
// As the header promises.
constexpr double k90 = 1.645;

struct Program {
  double launch_ns = 20'000;
  std::int64_t launches = 100, batches = 16;
  double varies = 0;           // standard deviation between launches, as a share
  std::int64_t offset_ns = 0;  // of the records' clock
  double front_loaded = 0.5;   // of the counts, in the first half of a launch
};

struct Invented {
  std::vector<LaunchBatch> batches;
  std::vector<CountedInterval> records;
  double mean = 0;  // counts per launch

  BatchCounts Counts() const { return CountsPerLaunch(batches, records, kIdleNs); }
};

// Counter 0 counts launches' work, counter 1 counts 2 per ns at all times, counter 2 counts nothing.
Invented Invent(const Program& program, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, program.varies);
  Invented invented;
  std::vector<double> times{0}, sums{0};  // all counts until then; linear in between
  double now = 3.3 * kIdleNs;
  double sum = 0, total = 0;
  for (std::int64_t b = 0; b < program.batches; ++b) {
    const double begin = now;
    for (std::int64_t i = 0; i < program.launches; ++i) {
      const double counts = kPerLaunch * std::max(0.0, noise(random));
      total += counts;
      times.push_back(now), sums.push_back(sum);
      times.push_back(now + program.launch_ns / 2), sums.push_back(sum + program.front_loaded * counts);
      now += program.launch_ns;
      sum += counts;
    }
    times.push_back(now), sums.push_back(sum);
    invented.batches.push_back(
        {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(std::ceil(now)), program.launches});
    now += 1.1 * kIdleNs;
  }
  times.push_back(now), sums.push_back(sum);
  const auto counted_at = [&](double time) {
    const auto after = std::ranges::upper_bound(times, time);
    if (after == times.end()) return sum;
    const auto i = static_cast<std::size_t>(after - times.begin());
    return sums[i - 1] + (sums[i] - sums[i - 1]) * (time - times[i - 1]) / (times[i] - times[i - 1]);
  };
  for (std::int64_t start = 0; start + kIntervalNs < static_cast<std::int64_t>(now); start += kIntervalNs) {
    const auto from = static_cast<double>(start), to = static_cast<double>(start + kIntervalNs);
    invented.records.push_back({start + program.offset_ns,
                                start + kIntervalNs + program.offset_ns,
                                {counted_at(to) - counted_at(from), 2.0 * kIntervalNs, 0}});
  }
  invented.mean = total / static_cast<double>(program.batches * program.launches);
  return invented;
}

Program AnyProgram() {
  Program program;
  // From 2 us to 20 ms; a batch has some 20 intervals, or one launch.
  program.launch_ns = 2000 * std::pow(10.0, *rc::gen::inRange(0, 400) / 100.0);
  program.launches = std::max<std::int64_t>(1, static_cast<std::int64_t>(20 * kIntervalNs / program.launch_ns));
  program.batches = *rc::gen::inRange(4, 17);
  program.front_loaded = *rc::gen::inRange(0, 101) / 100.0;
  program.offset_ns = *rc::gen::inRange<std::int64_t>(-kIdleNs / 4, kIdleNs / 4 + 1);
  return program;
}

RC_GTEST_PROP(BatchCounts, AreExactIfNoRecordIsMissing, (std::uint16_t seed)) {
  Program program = AnyProgram();
  program.varies = *rc::gen::element(0.0, 0.2);
  const Invented invented = Invent(program, seed);
  const BatchCounts counts = invented.Counts();
  RC_ASSERT(counts.counters.size() == 3u);
  RC_ASSERT(std::abs(counts.counters[0].value / invented.mean - 1) < 1e-9);
  RC_ASSERT(program.varies > 0 || counts.counters[0].error < 1e-9 * invented.mean);
  RC_ASSERT(counts.missing < 1e-9);
  RC_ASSERT(counts.counters[2].value == 0);
  RC_ASSERT(counts.counters[2].error == 0);
}

// Whatever is missing, a value is either near the truth by its own error or not given.
RC_GTEST_PROP(BatchCounts, KnowTheirErrorIfRecordsAreMissing, (std::uint16_t seed)) {
  Program program = AnyProgram();
  program.batches = *rc::gen::inRange(10, 17);
  Invented invented = Invent(program, seed);
  std::mt19937 random(seed);
  const int percent = *rc::gen::inRange(1, 30);
  std::erase_if(invented.records, [&](const CountedInterval&) { return static_cast<int>(random() % 100) < percent; });
  const BatchCounts counts = invented.Counts();
  if (counts.counters.empty()) return;
  constexpr double kRounding = 1e-9 * kPerLaunch;
  RC_ASSERT(std::abs(counts.counters[0].value - invented.mean) < 8 * counts.counters[0].error + kRounding);
}

double Held(const Program& program, int missing_percent) {
  constexpr std::uint32_t kSeeds = 1000;
  int held = 0, given = 0;
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    Invented invented = Invent(program, seed);
    std::mt19937 random(seed);
    std::erase_if(invented.records,
                  [&](const CountedInterval&) { return static_cast<int>(random() % 100) < missing_percent; });
    const BatchCounts counts = invented.Counts();
    if (counts.counters.empty()) continue;
    ++given;
    held += std::abs(counts.counters[0].value - kPerLaunch) < k90 * counts.counters[0].error ? 1 : 0;
  }
  EXPECT_GT(given, 900);
  return 1.0 * held / given;
}

TEST(BatchCounts, HoldTheMeanOfManyLaunchesNineTimesOutOfTen) {
  for (const std::int64_t batches : {4, 8, 16})
    EXPECT_NEAR(Held({.launches = 20, .batches = batches, .varies = 0.1}, 0), 0.9, 0.025) << batches;
  EXPECT_NEAR(Held({.launches = 100, .varies = 0.1}, 20), 0.9, 0.04) << "with missing records";
}

TEST(BatchCounts, LetTheOtherRecordsStandForThoseThatAreMissing) {
  Invented invented = Invent({}, 1);
  const LaunchBatch& batch = invented.batches[5];
  std::erase_if(invented.records, [&](const CountedInterval& r) {
    return r.start_ns > batch.begin_ns + 5 * kIntervalNs && r.end_ns < batch.begin_ns + 13 * kIntervalNs;
  });
  const BatchCounts counts = invented.Counts();
  EXPECT_NEAR(counts.counters[0].value, kPerLaunch, 1e-9 * kPerLaunch) << "its rate is even";
  EXPECT_NEAR(counts.missing, 7.0 / 20 / 16, 0.01 / 16);
}

TEST(BatchCounts, LeaveBatchesOutThatHaveFewRecords) {
  Invented invented = Invent({.launch_ns = 2e6, .launches = 1, .front_loaded = 0.9}, 1);
  const auto lose_second_halves = [&](std::size_t first, std::size_t last) {
    for (std::size_t b = first; b < last; ++b) {
      const LaunchBatch& batch = invented.batches[b];
      const std::int64_t from = batch.begin_ns + 9 * kIntervalNs;
      std::erase_if(invented.records,
                    [&](const CountedInterval& r) { return r.end_ns > from && r.start_ns < batch.end_ns; });
    }
  };
  lose_second_halves(0, 12);
  EXPECT_NEAR(invented.Counts().counters.at(0).value, kPerLaunch, 1e-9 * kPerLaunch);
  lose_second_halves(12, 13);
  EXPECT_TRUE(invented.Counts().counters.empty()) << "three batches do not tell an error";
  EXPECT_GT(invented.Counts().missing, 0.4);
}

TEST(BatchCounts, AreNothingWithoutRecords) {
  Invented invented = Invent({}, 1);
  invented.records.clear();
  EXPECT_TRUE(invented.Counts().counters.empty());
  EXPECT_EQ(invented.Counts().missing, 1);
  EXPECT_EQ(CountsPerUs(invented.batches, invented.records, 1), std::nullopt);
}

TEST(BatchCounts, TakeARateFromRecordsWithinBatchesAlone) {
  const Invented invented = Invent({}, 1);
  EXPECT_NEAR(CountsPerUs(invented.batches, invented.records, 0).value(), kPerLaunch / 20, 1e-9 * kPerLaunch);
  EXPECT_NEAR(CountsPerUs(invented.batches, invented.records, 1).value(), 2000, 1e-9);
}

}  // namespace
}  // namespace culprit
