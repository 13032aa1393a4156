// SPDX-License-Identifier: Apache-2.0
// How often the verdict is wrong on kernels that a GPU ran: the numbers in docs/noise.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "analysis/statistics.h"
#include "tests/noise/recordings.h"
#include "tests/noise/tally.h"

namespace culprit::testing {
namespace {

constexpr char kFile[] = CULPRIT_SOURCE_DIR "/tests/noise/h100.csv";
constexpr char kAbsent[] = "tests/noise/h100.csv was not recorded yet: script/record-noise --measure 45 DB writes it";

// Fewer pairs could not tell one false alarm in a hundred from none.
constexpr int kLeastPairs = 200;

class RecordedPairs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFile)) GTEST_SKIP() << kAbsent;
    recordings_ = ReadRecordings(kFile);
    for (const Recording& r : recordings_) {
      of_[{r.kernel, r.variant}][r.process] = &r;
      kernels_.insert(r.kernel);
      processes_.insert(r.process);
    }
  }

  // Each process once: neighbours in time, and a second set of processes that lie half of the recording apart.
  std::vector<std::pair<int, int>> Neighbours() const { return Apart(1); }
  std::vector<std::pair<int, int>> Distant() const { return Apart(processes_.size() / 2); }

  const Recording* Find(const std::string& kernel, const std::string& variant, int process) const {
    const auto runs = of_.find({kernel, variant});
    if (runs == of_.end()) return nullptr;
    const auto run = runs->second.find(process);
    return run == runs->second.end() ? nullptr : run->second;
  }

  void Judge(Tally& tally, const Recording* base, const Recording* candidate, Outcome expected) const {
    if (base == nullptr || candidate == nullptr) return;  // that process did not get so far
    const double time_us = std::min(MedianOf(*base), MedianOf(*candidate));
    tally.Count(JudgeSpeed(base->samples, candidate->samples, NoiseFloorOf(base->device, time_us)), expected,
                fmt::format("{} {} of process {} -> {} of {}", base->kernel, base->variant, base->process,
                            candidate->variant, candidate->process));
  }

  Tally SamePairs(const std::vector<std::pair<int, int>>& processes) const {
    Tally tally;
    for (const std::string& kernel : kernels_)
      for (const auto& [first, second] : processes)
        for (const std::string variant : {"base", "slower"})
          Judge(tally, Find(kernel, variant, first), Find(kernel, variant, second), Outcome::kSame);
    return tally;
  }

  Tally SlowerPairs(const std::vector<std::pair<int, int>>& processes) const {
    Tally tally;
    for (const std::string& kernel : kernels_)
      for (const auto& [first, second] : processes) {
        Judge(tally, Find(kernel, "base", first), Find(kernel, "slower", second), Outcome::kSlower);
        Judge(tally, Find(kernel, "base", second), Find(kernel, "slower", first), Outcome::kSlower);
      }
    return tally;
  }

 private:
  static double MedianOf(const Recording& r) { return Summarize(r.samples).time_us.value().median; }

  std::vector<std::pair<int, int>> Apart(std::size_t distance) const {
    const std::vector<int> all(processes_.begin(), processes_.end());
    std::vector<std::pair<int, int>> pairs;
    std::set<std::size_t> used;
    for (std::size_t i = 0; i + distance < all.size(); ++i)
      if (!used.contains(i) && used.insert(i + distance).second) pairs.emplace_back(all[i], all[i + distance]);
    return pairs;
  }

  std::vector<Recording> recordings_;
  std::map<std::pair<std::string, std::string>, std::map<int, const Recording*>> of_;
  std::set<std::string> kernels_;
  std::set<int> processes_;
};

TEST_F(RecordedPairs, AtMostOneInAHundredOfTheSameKernelIsNotSame) {
  for (const auto& processes : {Neighbours(), Distant()}) {
    const Tally tally = SamePairs(processes);
    RecordProperty("same", ::testing::PrintToString(tally));
    EXPECT_GE(tally.pairs, kLeastPairs);
    EXPECT_GE(tally.Share(Outcome::kSame), 0.99) << tally;
  }
}

TEST_F(RecordedPairs, AtLeastNineteenInTwentyOfTheKernelsWithTwoPercentMoreWorkAreSlower) {
  for (const auto& processes : {Neighbours(), Distant()}) {
    const Tally tally = SlowerPairs(processes);
    RecordProperty("slower", ::testing::PrintToString(tally));
    EXPECT_GE(tally.pairs, kLeastPairs);
    EXPECT_GE(tally.Share(Outcome::kSlower), 0.95) << tally;
    EXPECT_EQ(tally.Share(Outcome::kFaster), 0) << tally;
  }
}

}  // namespace
}  // namespace culprit::testing
