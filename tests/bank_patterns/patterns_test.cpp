// SPDX-License-Identifier: Apache-2.0
#include "tests/bank_patterns/patterns.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <tuple>

#include "analysis/banks/bank_model.h"
#include "db/error.h"
#include "tests/bank_patterns/measured.h"

namespace culprit::testing {
namespace {

TEST(BankPatterns, AreAccessesThatExistAndDiffer) {
  const std::vector<BankPattern> patterns = BankPatterns();
  EXPECT_GE(patterns.size(), 40u);
  std::set<std::string> names;
  std::set<std::tuple<SharedOp, int, bool, Lanes>> accesses;
  for (const auto& [access, transposed] : patterns) {
    EXPECT_NO_THROW(CheckAccess(access)) << access.name;
    EXPECT_TRUE(names.insert(access.name).second) << access.name;
    EXPECT_TRUE(accesses.emplace(access.op, access.lane_bytes, transposed, access.address).second) << access.name;
  }
}

TEST(MeasuredPatterns, ComeBackFromTheirText) {
  std::vector<MeasuredPattern> rows;
  for (const BankPattern& pattern : BankPatterns())
    rows.push_back({pattern, static_cast<int>(rows.size()), 3, std::nullopt, "NVIDIA H100 80GB HBM3", "GH100"});
  rows.front().counter = 2.03;
  std::stringstream text;
  WriteHeader(text);
  for (const MeasuredPattern& row : rows) WriteRow(row, text);

  const std::vector<MeasuredPattern> read = ReadMeasured(text, "text");
  ASSERT_EQ(read.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(read[i].pattern.access, rows[i].pattern.access);
    EXPECT_EQ(read[i].pattern.transposed, rows[i].pattern.transposed);
    EXPECT_EQ(read[i].wavefronts, rows[i].wavefronts);
    EXPECT_EQ(read[i].ideal, rows[i].ideal);
    EXPECT_EQ(read[i].counter, rows[i].counter);
    EXPECT_EQ(read[i].gpu, rows[i].gpu);
    EXPECT_EQ(read[i].chip, rows[i].chip);
  }
}

std::string RefusalOf(const std::string& row) {
  std::stringstream text;
  WriteHeader(text);
  text << row << '\n';
  try {
    ReadMeasured(text, "m.csv");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(MeasuredPatterns, AreRefusedWithTheirLineWhenTheyAreDamaged) {
  std::string lanes = "-";
  for (int lane = 1; lane < kWarpLanes; ++lane) lanes += " 128";
  EXPECT_EQ(RefusalOf("\"a, b\",load,4,0," + lanes + ",1,1,,\"G\",C"), "");
  EXPECT_EQ(RefusalOf("\"a, b\",load,4,0," + lanes + " 4,1,1,,\"G\",C"),
            "m.csv:2: there are not 32 addresses; record it again.");
  EXPECT_EQ(RefusalOf("\"a\",load,4,0,0 4 8,1,1,,\"G\",C"), "m.csv:2: there are not 32 addresses; record it again.");
  EXPECT_EQ(RefusalOf("\"a\",move,4,0," + lanes + ",1,1,,\"G\",C"),
            "m.csv:2: 'move' is not load, store, ldmatrix or stmatrix; record it again.");
  EXPECT_EQ(RefusalOf("\"a\",load,4,0," + lanes + ",one,1,,\"G\",C"),
            "m.csv:2: 'one' is not a number; record it again.");
  EXPECT_EQ(RefusalOf("\"a\",load,4,0," + lanes + ",1"), "m.csv:2: there are 6 cells instead of 10; record it again.");
}

}  // namespace
}  // namespace culprit::testing
