// SPDX-License-Identifier: Apache-2.0
// What is said of the programs that ship as recordings (examples/programs, docs/programs.md): real ones, on a real GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/recordings.h"
#include "tests/support/run_command.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

class RecordedPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string sql = testing::Recording("programs/h200_sxm_cuda13.0_2026-11-22.sql.zst").string();
    ASSERT_EQ(testing::RunCommand({"import", sql, "--db", db_}).status, 0);
  }
  std::string Why(const std::string& base, const std::string& candidate, const std::string& format) {
    const testing::Result result =
        testing::RunCommand({"why", "--base", base, "--cand", candidate, "--db", db_, "--format", format});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }

  Scratch scratch_;
  const std::string db_ = (scratch_ / "m.db").string();
};

TEST_F(RecordedPrograms, ATileWithoutPaddingIsSlowForItsBankConflicts) {
  const std::string text = Why("padded", "unpadded", "text");
  std::string first = text.substr(0, text.find("\n  Base"));
  std::ranges::replace(first, '\n', ' ');
  EXPECT_THAT(first, HasSubstr("transpose_tile takes"));
  EXPECT_THAT(first, HasSubstr("bank conflicts in shared memory"));
  EXPECT_THAT(Why("unpadded", "padded", "text").substr(0, 200), HasSubstr("less"));
}

TEST_F(RecordedPrograms, AnotherLayoutIsAnotherKernel) {
  const std::string text = Why("before", "after", "text");
  EXPECT_THAT(text.substr(0, text.find("\n  Base")), HasSubstr("direct_copy_kernel_cuda"));
  EXPECT_THAT(text, HasSubstr("0 -> 800"));
}

TEST_F(RecordedPrograms, EveryCommandTakesThem) {
  for (const char* run : {"padded", "unpadded", "before", "after"})
    for (const char* format : {"text", "json", "md"}) {
      const testing::Result report = testing::RunCommand({"report", "--run", run, "--db", db_, "--format", format});
      EXPECT_EQ(report.status, 0) << report.err;
    }
  const testing::Result shown = testing::RunCommand({"show", "transpose_tile", "--run", "unpadded", "--db", db_});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, HasSubstr("shared_bank_conflicts"));
}

}  // namespace
}  // namespace culprit
