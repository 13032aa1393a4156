// SPDX-License-Identifier: Apache-2.0
// A recording without the command, as another front end makes it. What a program may do meanwhile: see
// record_command_test.
#include "bench/program/program_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "db/database.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class RecordProgramTest : public ::testing::Test {
 protected:
  RecordProgramTest() {
    setenv("CULPRIT_INJECT", CULPRIT_FAKE_PROGRAM, 1);
    for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "CULPRIT_COUNTING_LIMIT"})
      unsetenv(variable);
  }
  ~RecordProgramTest() override { unsetenv("CULPRIT_INJECT"); }

  ProgramRecording Run(const std::vector<std::string>& options, const CountingWishes& wishes = {}) {
    RecordingRequest request{scratch_ / "m.db", {CULPRIT_FAKE_PROGRAM}, "before", "core", wishes};
    request.words.insert(request.words.end(), options.begin(), options.end());
    return RecordProgram(request, said_);
  }

  Scratch scratch_;
  std::ostringstream said_;
};

TEST_F(RecordProgramTest, TellsWhatWasStored) {
  const ProgramRecording recording = Run({"exit", "3"});
  EXPECT_EQ(recording.exit_status, 3);
  ASSERT_TRUE(recording.run) << said_.str();
  EXPECT_EQ(recording.run->label, "before");
  EXPECT_THAT(recording.timed.kernels, SizeIs(3));
  EXPECT_TRUE(recording.timed.program.counted_wall_us);
  const Database database = Database::OpenForReading(scratch_ / "m.db");
  EXPECT_EQ(database.FindRun({.run = recording.run->uuid}).state, "complete");
  EXPECT_EQ(database.FindRun({}).run.program->counted_wall_us, recording.timed.program.counted_wall_us);
}

TEST_F(RecordProgramTest, StoresWhatItWarnsOf) {
  const ProgramRecording recording = Run({}, {.names = NamePattern("-k", "no_such_kernel")});
  ASSERT_THAT(recording.timed.warnings, SizeIs(1)) << said_.str();
  EXPECT_THAT(said_.str(), HasSubstr("warning: no kernel's name has 'no_such_kernel', so none was counted.\n"));
  const auto stored = Database::OpenForReading(scratch_ / "m.db").Warnings(1);
  ASSERT_THAT(stored, SizeIs(1));
  EXPECT_EQ(stored[0].code, "no_kernel_named");
}

TEST_F(RecordProgramTest, StoresNothingWhereNothingWasSeen) {
  const ProgramRecording recording = Run({"no_gpu"});
  EXPECT_FALSE(recording.run);
  EXPECT_EQ(recording.exit_status, 0);
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "m.db"));
  EXPECT_THAT(said_.str(), HasSubstr("no GPU work of "));
}

TEST_F(RecordProgramTest, SaysWhenATraceCannotBeRead) {
  EXPECT_FALSE(Run({"broken"}).run);
  EXPECT_THAT(said_.str(), HasSubstr("is not what a recorded program writes"));
}

}  // namespace
}  // namespace culprit
