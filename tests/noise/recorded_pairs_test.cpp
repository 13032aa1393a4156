// SPDX-License-Identifier: Apache-2.0
// How often the verdict is wrong on recorded kernels, compared with the limits and with the table in
// docs/evidence/noise.md, which CULPRIT_UPDATE_GOLDEN=1 rewrites.
#include "tests/noise/recorded_pairs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "tests/noise/recorded_table.h"

namespace culprit::testing {
namespace {

constexpr char kFile[] = CULPRIT_SOURCE_DIR "/tests/noise/h100.csv";
constexpr char kAbsent[] = "tests/noise/h100.csv was not recorded yet: script/record-noise --measure 45 DB writes it";

constexpr char kDocument[] = CULPRIT_SOURCE_DIR "/docs/evidence/noise.md";
constexpr std::string_view kBegin = "<!-- measured: tests/noise/recorded_table.cpp -->\n", kEnd = "<!-- /measured -->";

// With fewer pairs, one false alarm in a hundred could not be told from none.
constexpr int kLeastPairs = 200;

class OnRecordedPairs : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(std::filesystem::exists(kFile)) << kAbsent;
    recorded_.emplace(ReadRecordings(kFile));
  }

  Tally Same(const RecordedPairs::Pairs& pairs) const {
    Tally tally;
    for (const std::string& kernel : recorded_->kernels()) tally += recorded_->Same(kernel, pairs);
    return tally;
  }
  Tally Slower(const RecordedPairs::Pairs& pairs) const {
    Tally tally;
    for (const std::string& kernel : recorded_->kernels()) tally += recorded_->Slower(kernel, pairs);
    return tally;
  }

  std::optional<RecordedPairs> recorded_;
};

TEST_F(OnRecordedPairs, AtMostOneInAHundredOfTheSameKernelIsNotSame) {
  for (const auto& processes : {recorded_->Neighbours(), recorded_->Distant()}) {
    const Tally tally = Same(processes);
    EXPECT_GE(tally.pairs, kLeastPairs);
    EXPECT_GE(tally.Share(Speed::kSame), 0.99) << tally;
  }
}

TEST_F(OnRecordedPairs, AtLeastNineteenInTwentyOfTheKernelsWithTwoPercentMoreWorkAreSlower) {
  for (const auto& processes : {recorded_->Neighbours(), recorded_->Distant()}) {
    const Tally tally = Slower(processes);
    EXPECT_GE(tally.pairs, kLeastPairs);
    EXPECT_GE(tally.Share(Speed::kSlower), 0.95) << tally;
    EXPECT_EQ(tally.Share(Speed::kFaster), 0) << tally;
  }
}

TEST_F(OnRecordedPairs, TheDocumentShowsWhatIsMeasuredHere) {
  std::ifstream in(kDocument, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto begin = text.find(kBegin), end = text.find(kEnd, begin);
  ASSERT_NE(begin, std::string::npos) << kDocument << " has no line " << kBegin;
  ASSERT_NE(end, std::string::npos) << kDocument << " has no line " << kEnd;
  const auto from = begin + kBegin.size();
  const std::string shown = text.substr(from, end - from), measured = "\n" + RecordedTable(*recorded_) + "\n";
  if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(kDocument, std::ios::binary) << text.replace(from, end - from, measured);
    GTEST_SKIP() << "rewrote the table in " << kDocument;
  }
  EXPECT_EQ(shown, measured) << "run noise_test with CULPRIT_UPDATE_GOLDEN=1 and review docs/evidence/noise.md";
}

}  // namespace
}  // namespace culprit::testing
