// SPDX-License-Identifier: Apache-2.0
// The bank model against this GPU, pattern by pattern. Measuring is described in bank_patterns_main.cpp.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "analysis/banks/bank_model.h"
#include "profiler/device_info.h"
#include "tests/bank_patterns/disputed.h"
#include "tests/bank_patterns/measured.h"
#include "tests/gpu/bank_measurement.h"
#include "tests/gpu/bank_workers.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;

std::string Shown(const MeasuredPattern& row) {
  std::ostringstream text;
  WriteRow(row, text);
  return text.str();
}

const std::vector<MeasuredPattern>& Measured() {
  static const std::vector<MeasuredPattern> rows = MeasureInProcesses(false);
  return rows;
}

TEST(BankPatternsOnGpu, CostWhatTheModelSays) {
  const auto device = CurrentDevice();
  ASSERT_TRUE(device) << "this test needs a GPU";
  ASSERT_GE(Measured().size(), 40u);
  std::vector<MeasuredPattern> doubtful;
  for (const MeasuredPattern& row : Measured()) {
    const BankCost model = Model(row.pattern.access);
    if (model.sass_wavefronts != row.wavefronts || model.ideal != row.ideal) doubtful.push_back(row);
  }
  if (doubtful.empty()) return;
  std::vector<BankPattern> patterns;
  for (const MeasuredPattern& row : doubtful) patterns.push_back(row.pattern);
  const std::vector<std::optional<double>> counters = ReadCounter(patterns);
  int disputed = 0;
  for (std::size_t i = 0; i < doubtful.size(); ++i) {
    MeasuredPattern& row = doubtful[i];
    row.counter = counters[i];
    const BankCost model = Model(row.pattern.access);
    if (Disputed(row, model)) {
      ++disputed;
      continue;
    }
    EXPECT_EQ(model.sass_wavefronts, row.wavefronts) << "wavefronts of " << Shown(row);
    EXPECT_EQ(model.ideal, row.ideal) << "ideal wavefronts of " << Shown(row);
  }
  EXPECT_LE(disputed, kMostDisputed * static_cast<double>(Measured().size()));
}

TEST(BankPatternsOnGpu, CostWhatWasRecorded) {
  const auto device = CurrentDevice();
  ASSERT_TRUE(device) << "this test needs a GPU";
  using Key = std::tuple<SharedOp, int, bool, Lanes>;
  const auto key = [](const MeasuredPattern& row) {
    const SharedAccess& access = row.pattern.access;
    return Key(access.op, access.lane_bytes, row.pattern.transposed, access.address);
  };
  std::map<Key, MeasuredPattern> recorded;
  const fs::path folder = fs::path(CULPRIT_SOURCE_DIR) / "tests/bank_patterns";
  if (fs::exists(folder))
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".csv") continue;
      std::ifstream in(entry.path());
      for (const MeasuredPattern& row : ReadMeasured(in, entry.path().filename()))
        if (row.chip == device->chip) recorded.emplace(key(row), row);
    }
  if (recorded.empty())
    GTEST_SKIP() << "no patterns of a " << device->chip << " are recorded in " << folder
                 << ": record them with bank_patterns_gpu --measure";
  int compared = 0;
  for (const MeasuredPattern& row : Measured()) {
    const auto found = recorded.find(key(row));
    if (found == recorded.end()) continue;
    ++compared;
    EXPECT_EQ(row.wavefronts, found->second.wavefronts) << Shown(row) << Shown(found->second);
    EXPECT_EQ(row.ideal, found->second.ideal) << Shown(row) << Shown(found->second);
  }
  EXPECT_GE(compared, 40) << "the recording is of other patterns; record it again";
}

}  // namespace
}  // namespace culprit::testing
