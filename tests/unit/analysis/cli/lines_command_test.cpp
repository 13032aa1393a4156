// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/cli/culprit.h"
#include "analysis/cli/source_files.h"
#include "analysis/judge/blame/costs.h"
#include "analysis/judge/blame/lines.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_recording.h"
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

  Result Run(std::string command, std::vector<std::string> args, const char* database = "m.db") const {
    args.insert(args.begin(), std::move(command));
    args.insert(args.end(), {"--db", (folder_ / database).string()});
    std::ostringstream out, err;
    const int status = Main(args, out, err, false);
    return {status, out.str(), err.str()};
  }
  Result Show(std::vector<std::string> args) const { return Run("show", std::move(args)); }
  Result Why(std::vector<std::string> args) const { return Run("why", std::move(args)); }

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
  EXPECT_THAT(Show({"local_sums", "--lines", "--source", "/nowhere/at/all"}).err, HasSubstr("is not a folder"));
}

TEST_F(LinesCommand, OfAPairSayWhichOfTheTwoHasNoSamples) {
  for (const auto& pair : {std::pair("not_sampled", "local_sums"), {"local_sums", "not_sampled"}}) {
    const Result result = Why({pair.first, pair.second, "--lines"});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, HasSubstr("kernel 'not_sampled' has no samples"));
    EXPECT_THAT(result.err, HasSubstr("--profile=lines"));
    EXPECT_THAT(result.out, IsEmpty());
  }
  EXPECT_EQ(Why({"not_sampled", "local_sums"}).status, 0) << "without --lines it needs none";
}

TEST_F(LinesCommand, OfAPairSumToTheDifference) {
  const Result result = Why({"transpose_padded", "transpose_unpadded", "--lines", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto lines = nlohmann::json::parse(result.out)["lines"];
  double delta = lines["candidate_unknown_us"].get<double>() - lines["base_unknown_us"].get<double>();
  std::vector<double> of_kinds(lines["lines"].size());
  for (const auto& line : lines["lines"]) delta += line["delta_us"].get<double>();
  EXPECT_NEAR(delta, 212 - 75, 1e-9);
  for (const auto& kind : lines["kinds"])
    of_kinds.at(kind["line"].get<std::size_t>()) += kind["waited_for_delta_us"].get<double>();
  for (std::size_t i = 0; i < of_kinds.size(); ++i)
    EXPECT_NEAR(of_kinds[i], lines["lines"][i]["delta_us"].get<double>(), 1e-9) << i;
}

TEST_F(LinesCommand, OfAPairNeedTwoKernels) {
  const Result result = Why({"--lines"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("culprit why BASE CANDIDATE --lines"));
  EXPECT_THAT(Why({"local_sums", "transpose_padded", "--source", "."}).err,
              HasSubstr("--source is used only with --lines"));
  EXPECT_THAT(Why({"local_sums", "transpose_padded", "--lines", "--source", "/nowhere/at/all"}).err,
              HasSubstr("is not a folder"));
}

TEST_F(LinesCommand, OfProgramsAreThoseOfOneKernel) {
  testing::WriteRecordedDatabase(folder_ / "programs.db");
  EXPECT_THAT(Run("why", {"--lines"}, "programs.db").err, HasSubstr("name them"));
  const Result result = Run("why", {"gather_rows", "--base", "before", "--cand", "after", "--lines"}, "programs.db");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("'gather_rows' has no samples"));
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
  EXPECT_THAT(At("k.cu", 3).why_not, HasSubstr("has 2 lines here, but the recording has line 3"));
  EXPECT_THAT(At("k.cu", 0).why_not, HasSubstr("was changed"));
}

TEST_F(SourceFilesTest, QuotesWhatWasRecordedHoweverTheFileWasEdited) {
  Write("k.cu", "one\ntwo\nthree\n");
  const std::string cut(SourceQuote::kMostBytes - 2, 'x');
  const std::vector<SourceQuote> quotes = {{{"k.cu", 2}, "two"}, {{"long.cu", 1}, cut}, {{"away.cu", 7}, "seven"}};
  const auto at = [&](const char* file, int line) { return SourceFiles(folder_ / "", quotes).At({file, line}); };
  EXPECT_EQ(at("k.cu", 2).text, "two");
  EXPECT_EQ(at("k.cu", 3).text, "three") << "the file is as it was";
  EXPECT_EQ(at("away.cu", 7).text, "seven") << "of a file that is not at hand";
  EXPECT_THAT(at("away.cu", 8).why_not, HasSubstr("was not found"));
  Write("long.cu", cut + "xyz\nnext\n");
  EXPECT_EQ(at("long.cu", 2).text, "next");
  for (const char* edited : {"zero\none\ntwo\nthree\n", "one\ntwos\nthree\n", "one\n"}) {
    Write("k.cu", edited);
    EXPECT_EQ(at("k.cu", 2).text, "two") << edited;
    EXPECT_THAT(at("k.cu", 3).why_not, HasSubstr("k.cu was changed after it was compiled")) << edited;
    EXPECT_THAT(at("k.cu", 3).text, IsEmpty()) << edited;
  }
}

TEST_F(SourceFilesTest, ReadsNothingOutsideOfItsFolders) {
  Write("inner/k.cu", "one\n");
  Write("secret", "hidden\n");
  SourceFiles files(folder_ / "inner");
  EXPECT_THAT(files.At({"../secret", 1}).text, IsEmpty());
  EXPECT_THAT(files.At({(folder_ / "secret").string(), 1}).text, IsEmpty());
  EXPECT_THAT(files.At({"/etc/passwd", 1}).text, IsEmpty());
  EXPECT_THAT(files.At({"", 1}).text, IsEmpty());
  EXPECT_THAT(files.At({"inner", 1}).why_not, HasSubstr("was not found"));
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
  const std::clock_t start = std::clock();
  const std::vector<CostLine> lines = LinesOf(CostsOf(100, large));
  const double took_s = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_GE(lines.size(), 999);
  double all = 0;
  for (const CostLine& line : lines) all += line.cost.blamed_us;
  EXPECT_NEAR(all, 100, 1e-6);
  // Of a processor, which others may keep busy. Half a second is what people get.
  EXPECT_LT(took_s, 2.5);
  RecordProperty("milliseconds", static_cast<int>(1000 * took_s));
}

}  // namespace
}  // namespace culprit
