// SPDX-License-Identifier: Apache-2.0
// The bank model against what GPUs counted, row by row.
#include "tests/bank_patterns/measured.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/banks/bank_model.h"
#include "tests/bank_patterns/disputed.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;

TEST(BankModel, EqualsEveryMeasuredPattern) {
  const fs::path folder = fs::path(CULPRIT_SOURCE_DIR) / "tests/bank_patterns";
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    std::ifstream in(entry.path());
    const std::vector<MeasuredPattern> rows = ReadMeasured(in, entry.path().filename());
    EXPECT_GE(rows.size(), 40u) << entry.path();
    int disputed = 0;
    for (const MeasuredPattern& row : rows) {
      const BankCost model = Model(row.pattern.access);
      std::ostringstream text;
      WriteRow(row, text);
      if (row.counter) {
        EXPECT_EQ(model.wavefronts, *row.counter) << "the hardware's wavefronts of " << text.str();
      }
      if (Disputed(row, model)) {
        ++disputed;
        continue;
      }
      EXPECT_EQ(model.sass_wavefronts, row.wavefronts) << "wavefronts of " << text.str();
      EXPECT_EQ(model.ideal, row.ideal) << "ideal wavefronts of " << text.str();
    }
    EXPECT_LE(disputed, kMostDisputed * static_cast<double>(rows.size())) << entry.path();
    RecordProperty("disputed", disputed);
  }
  EXPECT_GT(files, 0) << "no measured_*.csv in " << folder << "; record one with bank_patterns_gpu --measure on a GPU";
}

}  // namespace
}  // namespace culprit::testing
