// SPDX-License-Identifier: Apache-2.0
// gemm_bench as a process, where no GPU is visible.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "db/database.h"
#include "kernels/stage.h"
#include "profiler/code/static_attributes.h"
#include "profiler/static_table.h"
#include "tests/support/scratch.h"
#include "tests/support/shell_word.h"
#include "tests/unit/bench/program.h"

namespace culprit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Ended GemmBench(const std::vector<std::string>& args) { return RunWithoutGpu(CULPRIT_GEMM_BENCH, args); }

// Status 2, one line on stderr, nothing on stdout.
void ExpectRefusal(const std::vector<std::string>& args, const std::string& sentence) {
  const Ended e = GemmBench(args);
  EXPECT_EQ(e.status, 2) << e.err;
  EXPECT_EQ(e.out, "");
  EXPECT_THAT(e.err, HasSubstr(sentence));
  EXPECT_EQ(std::count(e.err.begin(), e.err.end(), '\n'), 1) << e.err;
}

std::set<std::string> Lines(const std::string& text) {
  std::set<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(GemmBench, SaysWhatCanBeDoneWithoutAGpu) {
  ExpectRefusal({}, "with --db FILE the static attributes of the kernels are still recorded");
  ExpectRefusal({}, "no CUDA device here");
}

int StatusOfShell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(GemmBench, SaysThatItsOutputDidNotArrive) {
  const Scratch scratch;
  const std::string err = scratch / "err";
  EXPECT_EQ(StatusOfShell(testing::ShellWord(CULPRIT_GEMM_BENCH) + " --help >/dev/full 2>" + testing::ShellWord(err)),
            2);
  EXPECT_THAT(Bytes(err), HasSubstr("cannot write to standard output"));
}

TEST(GemmBench, LetsTheReaderOfItsOutputLeave) {
  const Scratch scratch;
  const std::string err = scratch / "err";
  EXPECT_EQ(StatusOfShell("bash -c " + testing::ShellWord("set -o pipefail; " + testing::ShellWord(CULPRIT_GEMM_BENCH) +
                                                          " --help 2>" + testing::ShellWord(err) + " | true")),
            0);
  EXPECT_EQ(Bytes(err), "");
}

TEST(GemmBench, RefusesWhatItWouldOtherwiseTakeForSomethingElse) {
  ExpectRefusal({"--seed", "1e20", "--help"}, "'1e20' is not a whole number of 64 bits");
  ExpectRefusal({"--db", ""}, "--db: it is empty");
}

TEST(GemmBench, RecordsEveryStageForEveryBuiltArchitectureWithoutAGpu) {
  const Scratch scratch;
  const std::string file = scratch / "m.db";
  const Ended e = GemmBench({"--db", file, "--label", "no gpu", "--seed", "7", "--shapes", "1024"});
  ASSERT_EQ(e.status, 0) << e.err;
  EXPECT_THAT(e.err, AllOf(HasSubstr("no CUDA device here"), HasSubstr("only static attributes were recorded")));

  const Database db = Database::OpenForReading(file);
  ASSERT_EQ(db.Runs().size(), 1u);
  const RunSummary run = db.Runs().front();
  EXPECT_EQ(run.state, "complete");
  EXPECT_EQ(run.launches, 0);
  EXPECT_EQ(run.metric_values, 0);
  EXPECT_FALSE(run.run.device);
  EXPECT_EQ(run.run.label, "no gpu");
  EXPECT_EQ(run.run.seed, 7);
  EXPECT_EQ(run.run.profile, "none");
  EXPECT_THAT(run.run.command_line, HasSubstr("--label 'no gpu'"));
  EXPECT_FALSE(run.run.toolchain.nvcc.empty());

  std::set<std::string> stages;
  for (const StageRecord& s : db.Stages(run.id)) stages.insert(s.id);
  std::set<std::pair<std::string, std::string>> wanted, found;
  for (const Stage& s : AllStages()) {
    EXPECT_EQ(stages.count(s.id), 1u) << s.id;
    for (const BuildRecord& b : StaticTable(s.id)) wanted.insert({s.id, b.arch});
    EXPECT_EQ(StaticTable(s.id).empty(), s.kernel == nullptr) << s.id;
  }
  EXPECT_EQ(stages.size(), AllStages().size());
  for (const BuildRecord& b : db.Builds(run.id)) {
    found.insert({b.stage, b.arch});
    EXPECT_GT(FindAttribute(b, "registers", "cubin").value_or(0), 0) << b.stage << " " << b.arch;
    EXPECT_TRUE(FindAttribute(b, "spill_store_bytes", "compiler")) << b.stage << " " << b.arch;
    const double occupancy = FindAttribute(b, "theoretical_occupancy", "model").value_or(-1);
    EXPECT_TRUE(occupancy > 0 && occupancy <= 1) << b.stage << " " << b.arch << ": " << occupancy;
    EXPECT_FALSE(b.cubin_digest.empty()) << b.stage << " " << b.arch;
  }
  EXPECT_EQ(found, wanted);

  const auto warnings = db.Warnings(run.id);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings.front().code, "no_device");
}

TEST(GemmBench, RecordsOnlyTheStagesThatWereAskedFor) {
  const Scratch scratch;
  const std::string file = scratch / "m.db";
  ASSERT_EQ(GemmBench({"--db", file, "--stages", "v1_6,v1_7"}).status, 0);
  const Database db = Database::OpenForReading(file);
  std::set<std::string> stages;
  for (const StageRecord& s : db.Stages(db.Runs().front().id)) stages.insert(s.id);
  EXPECT_EQ(stages, (std::set<std::string>{"v1_6", "v1_7"}));
}

TEST(GemmBench, AddsARunToADatabaseThatIsThere) {
  const Scratch scratch;
  const std::string file = scratch / "m.db";
  ASSERT_EQ(GemmBench({"--db", file, "--stages", "v0"}).status, 0);
  ASSERT_EQ(GemmBench({"--db", file, "--stages", "v0", "--profile=full"}).status, 0);
  const auto runs = Database::OpenForReading(file).Runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_NE(runs[0].run.uuid, runs[1].run.uuid);
}

TEST(GemmBench, RefusesTextThatIsNoShape) {
  const Scratch scratch;
  const std::string file = scratch / "m.db";
  for (const char* shape : {"big", "1024x", "1024x512", "x1024", "1x2x3x", "1x2x3x4", "12a", "-8", "8x-8x8", "1.5",
                            "99999999999", "0x10", "8 x8x8"})
    ExpectRefusal({"--db", file, std::string("--shapes=") + shape},
                  "is not a shape: write 4096 for a square one, or MxNxK");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(GemmBench, RefusesGlobsThatMatchNoStage) {
  const Scratch scratch;
  const std::string file = scratch / "m.db";
  ExpectRefusal({"--db", file, "--stages", "v9_*"}, "no kernel matches --stages");
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(GemmBench, RefusesArgumentsThatItDoesNotKnow) {
  ExpectRefusal({"--bogus"}, "unknown argument '--bogus' (see --help)");
  ExpectRefusal({"--profile=core"}, "name one with --db FILE");
}

TEST(GemmBench, RefusesAFlagThatGoogleBenchmarkDoesNotKnow) {
  ExpectRefusal({"--benchmark_list_tests", "--benchmark_unicorns=3"}, "unknown argument '--benchmark_unicorns=3'");
}

TEST(GemmBench, RefusesAPathThatCannotHoldADatabase) {
  const Scratch scratch;
  ExpectRefusal({"--db", scratch.path()}, "is a directory");
  ExpectRefusal({"--db", scratch / "no/m.db"}, "there is no directory");
  ExpectRefusal({"--db", "/proc/m.db"}, "/proc/m.db");
}

TEST(GemmBench, LeavesAFileThatIsNoDatabaseAlone) {
  const Scratch scratch;
  const std::string file = scratch / "notes.txt";
  Write(file, "these are my notes, and they are longer than the head of a database would be\n");
  const Traces before = TracesIn(scratch.path());
  ExpectRefusal({"--db", file}, "notes.txt");
  EXPECT_EQ(TracesIn(scratch.path()), before);
}

TEST(GemmBench, ListsABenchmarkForEveryStageAndShapeThatItTakes) {
  const Ended e = GemmBench({"--benchmark_list_tests", "--shapes", "256,1x2x3"});
  ASSERT_EQ(e.status, 0) << e.err;
  std::set<std::string> wanted;
  for (const Stage& s : AllStages())
    for (const GemmShape& shape : {GemmShape{256, 256, 256}, GemmShape{1, 2, 3}})
      if (Refusal(s, shape).empty())
        wanted.insert((ElementOf(s) == ElementType::kHalf ? "hgemm/" : "sgemm/") + s.id +
                      (shape.m == 256 ? "/256x256x256" : "/1x2x3") + "/manual_time");
  EXPECT_EQ(Lines(e.out), wanted);
  EXPECT_THAT(e.out, Not(HasSubstr("v1_6/1x2x3"))) << "v1_6 wants multiples of its tile";
}

TEST(GemmBench, ListsWhatItsGlobsAndGoogleBenchmarksFilterLeave) {
  const Ended e =
      GemmBench({"--benchmark_list_tests", "--stages=v1_*", "--shapes=1024,2048", "--benchmark_filter=v1_6/2048"});
  ASSERT_EQ(e.status, 0) << e.err;
  EXPECT_EQ(e.out, "sgemm/v1_6/2048x2048x2048/manual_time\n");
}

TEST(GemmBench, PrintsBothHelps) {
  const Ended e = GemmBench({"--help"});
  EXPECT_EQ(e.status, 0);
  EXPECT_EQ(e.err, "");
  EXPECT_THAT(e.out, AllOf(HasSubstr("--db FILE"), HasSubstr("--profile"), HasSubstr("Exit status"),
                           HasSubstr("--benchmark_filter"), HasSubstr("--benchmark_format")));
}

TEST(GemmBench, PrintsOurHelpBeforeGoogleBenchmarks) {
  const Ended e = GemmBench({"--help"});
  EXPECT_LT(e.out.find("--db FILE"), e.out.find("--benchmark_filter"));
}

TEST(GemmBench, NamesTheCommandThatItsDoctorBecame) { ExpectRefusal({"--doctor"}, "--doctor is now 'culprit doctor'"); }

TEST(GemmBench, LaunchesNothingOnceWithoutAGpu) { ExpectRefusal({"--once"}, "no CUDA device here"); }

TEST(GemmBench, VerifiesNothingWithoutAGpu) { ExpectRefusal({"--verify-only"}, "no CUDA device here"); }

#ifdef CULPRIT_SAXPY_BENCH
TEST(SaxpyBench, ListsItsWorkloads) {
  const Ended e = RunWithoutGpu(CULPRIT_SAXPY_BENCH, {"--benchmark_list_tests"});
  EXPECT_EQ(e.status, 0) << e.err;
  EXPECT_THAT(e.out, AllOf(HasSubstr("saxpy/1048576/"), HasSubstr("saxpy/67108864/")));
}

TEST(SaxpyBench, RecordsItsKernelsBuildWithoutAGpu) {
  const Scratch scratch;
  const std::string file = scratch / "m.db";
  ASSERT_EQ(RunWithoutGpu(CULPRIT_SAXPY_BENCH, {"--db", file}).status, 0);
  const Database db = Database::OpenForReading(file);
  const auto builds = db.Builds(db.Runs().front().id);
  ASSERT_THAT(builds, Not(IsEmpty()));
  for (const BuildRecord& b : builds) {
    EXPECT_EQ(b.kernel, "saxpy");
    EXPECT_GT(FindAttribute(b, "registers", "cubin").value_or(0), 0) << b.arch;
  }
}
#endif

}  // namespace
}  // namespace culprit
