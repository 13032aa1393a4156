// SPDX-License-Identifier: Apache-2.0
#include "analysis/fleet/regressions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kNights = 24, kNew = 20;

FleetRunSummary RunOf(int night, const std::string& gpu) {
  FleetRunSummary run;
  run.id = night + 1;
  run.started = fmt::format("2026-11-{:02}T00:00:00Z", night + 1);
  run.branch = "main";
  run.workload = "train.py";
  run.gpu = gpu;
  return run;
}

// Nights of a workload with so many kernels; `us`: how long a kernel takes in a night.
class Nights {
 public:
  explicit Nights(unsigned seed = 3) : dice_(seed) {}

  FleetWindow Of(int kernels, const std::function<double(int kernel, int night)>& us,
                 const std::string& gpu = "A GPU") {
    FleetWindow window;
    for (int night = 0; night < kNights; ++night) window.runs.push_back(RunOf(night, gpu));
    window.first_new = kNew;
    for (int kernel = 0; kernel < kernels; ++kernel)
      for (int night = 0; night < kNights; ++night) {
        const double took = us(kernel, night);
        if (took <= 0) continue;
        window.points.push_back({static_cast<std::uint32_t>(night), kernel + 1,
                                 static_cast<float>(took * std::exp(0.001 * normal_(dice_))), 0});
      }
    return window;
  }

 private:
  std::mt19937 dice_;
  std::normal_distribution<double> normal_;
};

std::vector<int> ClassesOf(const std::vector<FoundStep>& found) {
  std::vector<int> classes;
  for (const FoundStep& one : found) classes.push_back(one.class_id);
  return classes;
}

TEST(Regressions, FindTheOneKernelThatBecameSlowerSinceThen) {
  Regressions answer;
  const auto found =
      StepsIn(Nights().Of(40, [](int kernel, int night) { return kernel == 7 && night >= kNew ? 110 : 100; }), answer);
  EXPECT_THAT(ClassesOf(found), ElementsAre(8));
  EXPECT_EQ(found[0].step.after, static_cast<std::size_t>(kNew));
  EXPECT_NEAR(found[0].step.step.change, 0.10, 0.01);
  EXPECT_EQ(answer.series, 40u);
}

TEST(Regressions, LeaveOutStepsOfEarlierWeeks) {
  Regressions answer;
  EXPECT_THAT(
      StepsIn(Nights().Of(10, [](int kernel, int night) { return kernel == 2 && night >= 9 ? 110 : 100; }), answer),
      IsEmpty());
}

TEST(Regressions, DoNotMixGpusOrBranches) {
  FleetWindow window = Nights().Of(1, [](int, int) { return 100.0; });
  // The newest nights ran on another model, which is twice as slow.
  for (std::size_t run = kNew - 2; run < window.runs.size(); ++run) window.runs[run].gpu_id = 2;
  for (FleetWindow::Point& point : window.points)
    if (point.run >= kNew - 2) point.median_us *= 2;
  Regressions answer;
  EXPECT_THAT(StepsIn(window, answer), IsEmpty());
  for (FleetRunSummary& run : window.runs) run.gpu_id = 0;
  Regressions mixed;
  // It began two nights before that time, and became known after it.
  EXPECT_THAT(StepsIn(window, mixed), SizeIs(1));
  for (std::size_t run = kNew - 2; run < window.runs.size(); ++run) window.runs[run].branch = "change";
  EXPECT_THAT(StepsIn(window, mixed), IsEmpty());
}

TEST(Regressions, SayHowManySeriesAreTooShort) {
  Regressions answer;
  EXPECT_THAT(
      StepsIn(Nights().Of(3, [](int kernel, int night) { return kernel == 0 && night < kNights - 2 ? 0 : 100; }),
              answer),
      IsEmpty());
  EXPECT_EQ(answer.series, 3u);
  EXPECT_EQ(answer.too_short, 1u);
}

// A kernel that is new has no series of its own. The sum of the workload shows it.
TEST(Regressions, SeeTheWorkOfTheWholeProgram) {
  FleetWindow window = Nights().Of(1, [](int, int) { return 100.0; });
  std::mt19937 dice(1);
  std::normal_distribution<double> normal;
  for (std::size_t run = 0; run < window.runs.size(); ++run)
    window.runs[run].gpu_us = (run >= kNew ? 1100 : 1000) * std::exp(0.001 * normal(dice));
  Regressions answer;
  EXPECT_THAT(ClassesOf(StepsIn(window, answer)), ElementsAre(0));
}

// Drift over a month without runs: the level is another one then, but it came slowly.
TEST(Regressions, KnowThatNightsAreMissing) {
  FleetWindow window =
      Nights().Of(5, [](int, int night) { return 100 * std::exp(0.002 * (night < kNew - 4 ? night : night + 31)); });
  Regressions answer;
  window.first_new = kNew - 4;
  EXPECT_THAT(StepsIn(window, answer), SizeIs(5));
  for (std::size_t run = 0; run < kNew - 4; ++run) window.runs[run].started.replace(5, 2, "10");
  EXPECT_THAT(StepsIn(window, answer), IsEmpty());
}

TEST(Trend, KnowsTheDaysOfItsRuns) {
  std::vector<FleetRunSummary> runs(3);
  runs[0].started = "1970-01-02T23:59:59Z";
  runs[1].started = "2024-02-29T00:25:46Z";
  runs[2].started = "2024-03-01T00:25:46Z";
  EXPECT_THAT(DaysOf(runs), ElementsAre(1, 19782, 19783));
  runs[1].started = "2023-02-29T00:25:46Z";  // no such day
  EXPECT_THAT(DaysOf(runs), IsEmpty());
  runs[1].started = "";
  EXPECT_THAT(DaysOf(runs), IsEmpty());
}

TEST(Trend, NamesWhatElseChanged) {
  FleetRunSummary before;
  before.gpu_uuids = "GPU-1";
  before.driver = "580.1";
  before.cuda = "13.0";
  FleetRunSummary after = before;
  EXPECT_THAT(OtherChanges(before, after), IsEmpty());
  after.driver = "580.2";
  after.gpu_uuids = "GPU-2";
  EXPECT_THAT(OtherChanges(before, after), ElementsAre("driver 580.1 -> 580.2", "another card"));
  after.driver = "";  // not known
  EXPECT_THAT(OtherChanges(before, after), ElementsAre("another card"));
}

}  // namespace
}  // namespace culprit
