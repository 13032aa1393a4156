// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/blame/costs.h"
#include "analysis/blame/lines.h"
#include "analysis/cli/culprit.h"
#include "analysis/cli/source_files.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_samples.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/slow_build.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Result {
  int status = 0;
  std::string out, err;
};

class LinesCommand : public ::testing::Test {
 protected:
  LinesCommand() { testing::WriteSampledDatabase(folder_ / "m.db"); }

  Result Show(std::vector<std::string> args) const {
    args.insert(args.begin(), "show");
    args.insert(args.end(), {"--db", (folder_ / "m.db").string()});
    std::ostringstream out, err;
    const int status = Main(args, out, err, false);
    return {status, out.str(), err.str()};
  }

  testing::TemporaryFolder folder_;
};

TEST_F(LinesCommand, SaysHowToGetSamplesWhereThereAreNone) {
  const Result result = Show({"not_sampled", "--lines"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("no samples"));
  EXPECT_THAT(result.err, HasSubstr("--profile=lines"));
  EXPECT_THAT(result.out, IsEmpty());
}

TEST_F(LinesCommand, BothColumnsSumToTheTime) {
  const Result result = Show({"transpose_unpadded", "--lines", "--json", "--source", CULPRIT_SOURCE_DIR});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  double waited_for = 0, waiting = 0;
  for (const auto& line : json["lines"]["lines"]) {
    waited_for += line["waited_for_us"].get<double>();
    waiting += line["waiting_us"].get<double>();
  }
  const double unknown = json["sampling"]["unknown_us"];
  EXPECT_GT(unknown, 0);
  EXPECT_NEAR(waited_for + unknown, 212, 1e-9);
  EXPECT_NEAR(waiting + unknown, 212, 1e-9);
}

TEST_F(LinesCommand, TheSourceOptionIsOfLines) {
  EXPECT_THAT(Show({"local_sums", "--source", "."}).err, HasSubstr("--lines"));
  EXPECT_THAT(Show({"local_sums", "--lines", "--source", "/nowhere/at/all"}).err, HasSubstr("is no folder"));
}

class SourceFilesTest : public ::testing::Test {
 protected:
  void Write(const char* name, const std::string& text) {
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  SourceText At(const std::string& file, int line) const { return SourceFiles(folder_ / "").At({file, line}); }

  testing::TemporaryFolder folder_;
};

TEST_F(SourceFilesTest, FindsAPlaceOrTheOnlyFileOfThatName) {
  Write("src/deep/k.cu", "one\ntwo\n");
  EXPECT_EQ(At("src/deep/k.cu", 2).text, "two");
  EXPECT_EQ(At("k.cu", 1).text, "one");
  EXPECT_EQ(At("deep/k.cu", 1).text, "one");
  Write("other/k.cu", "three\n");
  EXPECT_THAT(At("k.cu", 1).why_not, HasSubstr("Several files"));
  EXPECT_EQ(At("deep/k.cu", 1).text, "one");
}

TEST_F(SourceFilesTest, TellsAFileThatBecameShorter) {
  Write("k.cu", "one\ntwo\n");
  EXPECT_THAT(At("k.cu", 3).why_not, HasSubstr("has 2 lines here and line 3 in the recording"));
  EXPECT_THAT(At("k.cu", 0).why_not, HasSubstr("was changed"));
}

TEST_F(SourceFilesTest, ReadsNothingOutsideOfItsFolders) {
  Write("inner/k.cu", "one\n");
  Write("secret", "hidden\n");
  SourceFiles files(folder_ / "inner");
  EXPECT_THAT(files.At({"../secret", 1}).text, IsEmpty());
  EXPECT_THAT(files.At({(folder_ / "secret").string(), 1}).text, IsEmpty());
  EXPECT_THAT(files.At({"/etc/passwd", 1}).text, IsEmpty());
  EXPECT_THAT(files.At({"", 1}).text, IsEmpty());
  EXPECT_THAT(files.At({"inner", 1}).why_not, HasSubstr("not at hand"));
}

TEST_F(LinesCommand, ControlCharactersOfASourceReachNoTerminal) {
  std::filesystem::create_directories(folder_ / "tests/support");
  std::ofstream source(folder_ / "tests/support/sampled.cu");
  for (int line = 0; line < 60; ++line) source << "evil \x1b[2J \x07 line\n";
  source.close();
  const Result result = Show({"local_sums", "--lines", "-v", "--source", (folder_ / "").string()});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("evil \\x1b[2J"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
}

// Unrolled code of 20,000 instructions, as large as kernels get, with samples everywhere.
TEST(Lines, OfAVeryLongKernelAreThereAtOnce) {
  if (testing::kSlowBuild) GTEST_SKIP() << "of an optimised build";
  const SamplingRecord small = testing::InventedSamples("local_sums");
  SamplingRecord large = small;
  MachineCode& code = large.code.front();
  const auto& loop = small.code.front().instructions;
  code.instructions.clear();
  large.rows.clear();
  large.samples = 0;
  for (int i = 0; i < 20'000; ++i) {
    // What is loaded, computed and stored again in its loop, without its branches; then the branch back.
    MachineInstruction instruction = loop[0x180 / 16 + i % 9];
    if (i == 19'998) instruction = loop[0x210 / 16];
    if (i == 19'999) instruction = loop[0x3f0 / 16];
    instruction.pc_offset = 16 * i;
    instruction.frames = {{"k.cu", i / 20}};
    code.instructions.push_back(instruction);
    for (const char* reason : {"selected", "long_scoreboard", "lg_throttle", "wait", "math_pipe_throttle"})
      large.rows.push_back({code.function, instruction.pc_offset, reason, 1 + i % 7, 0});
    large.samples += 5 * (1 + i % 7);
  }
  const auto start = std::chrono::steady_clock::now();
  const std::vector<CostLine> lines = LinesOf(CostsOf(100, large));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(lines.size(), 999);
  double all = 0;
  for (const CostLine& line : lines) all += line.cost.blamed_us;
  EXPECT_NEAR(all, 100, 1e-6);
  // Where the machine is busy it takes longer than the half second that people get.
  EXPECT_LT(took.count(), 2.5);
  RecordProperty("milliseconds", static_cast<int>(1000 * took.count()));
}

}  // namespace
}  // namespace culprit
