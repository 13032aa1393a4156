// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "analysis/show/report/history_report.h"
#include "tests/support/invented_gate.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// v1_7 of runs whose times lie around these, each as far off as recordings are from one another.
std::vector<KernelRecord> Recorded(const std::vector<double>& times_us, unsigned seed = 1, double apart = 0.002) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<KernelRecord> kernels;
  for (const double us : times_us) {
    KernelRecord kernel = testing::GateKernels()[1];
    const double of_run = us * std::exp(apart * normal(random));
    kernel.samples.clear();
    for (int i = 0; i < 16; ++i) kernel.samples.push_back({i, of_run * std::exp(0.001 * normal(random)), 1980, false});
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::vector<std::size_t> ChangesOf(const History& history) {
  std::vector<std::size_t> changes;
  for (std::size_t i = 0; i < history.points.size(); ++i)
    if (history.points[i].is_change) changes.push_back(i);
  return changes;
}

History Of(std::vector<KernelRecord> kernels) { return MakeHistory(std::move(kernels), {}, Explain); }

TEST(History, FindsWhereATimeChangedAndInWhichDirection) {
  const History history = Of(Recorded({100, 100, 100, 104, 104, 104, 98, 98}));
  EXPECT_THAT(ChangesOf(history), ElementsAre(3, 6));
  EXPECT_GT(history.points[3].change->low, 0);
  EXPECT_LT(history.points[6].change->high, 0);
  EXPECT_EQ(history.points[5].segment, 1);
  EXPECT_EQ(history.Changes(), 2);
  EXPECT_TRUE(history.points[3].explanation);
  EXPECT_FALSE(history.points[4].explanation);
  EXPECT_TRUE(history.points[3].by_cycles);
}

// 0.6 % a step is below what two recordings differ by; four of them are not.
TEST(History, FindsATimeThatCreeps) {
  std::vector<double> times;
  for (int i = 0; i < 8; ++i) times.push_back(100 * std::pow(1.006, i));
  EXPECT_THAT(ChangesOf(Of(Recorded(times))), ::testing::Not(IsEmpty()));
}

TEST(History, ShowsAChangeInOneOfAHundredUnchangedOnesAtMost) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 300; ++seed) wrong += Of(Recorded(std::vector<double>(12, 100.0), seed)).Changes() > 0;
  EXPECT_LE(wrong, 3);
}

TEST(History, TakesTimesWhereNoClocksAreKnownAndAWiderFloor) {
  std::vector<KernelRecord> kernels = Recorded({100, 100, 101.5, 110});
  for (KernelRecord& kernel : kernels)
    for (Sample& sample : kernel.samples) sample.clock_mhz.reset();
  const History history = Of(kernels);
  EXPECT_THAT(ChangesOf(history), ElementsAre(3)) << "1.5 % in time alone may be the clock's";
  EXPECT_FALSE(history.points[3].by_cycles);
}

TEST(History, TakesProcessesForValuesWhereThereAreSeveral) {
  std::vector<KernelRecord> kernels = Recorded({100, 100});
  for (KernelRecord& kernel : kernels) {
    const std::vector<Sample> samples = kernel.samples;
    kernel.samples.clear();
    for (int process = 0; process < 6; ++process)
      for (Sample sample : samples) {
        sample.process = process;
        // A mode of 5 % in every other process: samples of it are no evidence of their own.
        sample.time_us *= (process + (&kernel == &kernels[1])) % 2 == 0 ? 1.05 : 1;
        kernel.samples.push_back(sample);
      }
  }
  EXPECT_THAT(ChangesOf(Of(kernels)), IsEmpty());
}

TEST(History, LeavesOutWhatCannotBeComparedAndSaysSo) {
  std::vector<KernelRecord> kernels = Recorded({50, 100, 100, 100});
  kernels[0].run.run.device->name = "NVIDIA A100";
  kernels[2].samples.clear();
  const History history = Of(kernels);
  EXPECT_THAT(history.points, SizeIs(2));
  EXPECT_THAT(history.left_out, ElementsAre(::testing::HasSubstr("NVIDIA A100"), ::testing::HasSubstr("not timed")));
  EXPECT_THAT(ChangesOf(history), IsEmpty());
}

TEST(History, OfFewSamplesNothingIsShown) {
  std::vector<KernelRecord> kernels = Recorded({100, 200});
  for (KernelRecord& kernel : kernels) kernel.samples.resize(3);
  const History history = Of(kernels);
  EXPECT_FALSE(history.points[1].change);
  EXPECT_THAT(ChangesOf(history), IsEmpty());
}

std::string Text(const History& history) {
  std::ostringstream out;
  RenderText(MakeHistoryReport(history), out, {.width = 400});
  return out.str();
}

std::string HeadOf(const std::string& text) {
  const std::size_t head = text.find("  Run");
  return text.substr(head, text.find('\n', head) - head);
}

// It had six empty columns, and said "no change over 1 runs".
TEST(HistoryReport, OfOneRunSaysWhatAHistoryNeeds) {
  const History history = Of(Recorded({100}));
  const std::string text = Text(history);
  EXPECT_THAT(text, ::testing::HasSubstr("one run, so there is no history yet"));
  EXPECT_THAT(text, ::testing::HasSubstr("needs two runs of one GPU that have a label and this kernel: record again "
                                         "with --label NAME"));
  EXPECT_THAT(HeadOf(text), ::testing::ContainsRegex("^  Run +Recorded +Time$"));
  EXPECT_EQ(MakeHistoryReport(history).banner->tone, Tone::kOpen);
}

TEST(HistoryReport, HasNoColumnsForCausesWhereNothingChanged) {
  const std::string text = Text(Of(Recorded({100, 100, 100})));
  EXPECT_THAT(HeadOf(text), ::testing::HasSubstr("Change"));
  EXPECT_THAT(HeadOf(text), ::testing::Not(::testing::HasSubstr("First cause")));
  EXPECT_THAT(text, ::testing::HasSubstr("False alarms: 1 in 100 histories."));
}

TEST(HistoryReport, SaysAtItsTopSinceWhenItIsSlower) {
  const Report slower = MakeHistoryReport(Of(Recorded({100, 100, 110, 110})));
  EXPECT_EQ(slower.banner->tone, Tone::kBad);
  EXPECT_THAT(slower.banner->text, ::testing::StartsWith("Slower since "));
  EXPECT_EQ(MakeHistoryReport(Of(Recorded({110, 110, 100, 100}))).banner->tone, Tone::kGood);
  EXPECT_EQ(MakeHistoryReport(Of(Recorded({100, 100, 100}))).banner->tone, Tone::kNeutral);
}

}  // namespace
}  // namespace culprit
