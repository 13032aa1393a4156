// SPDX-License-Identifier: Apache-2.0
// What a run of thousands of kernels costs: four times as many may cost little more than four times as much. What is
// counted is what SQLite is asked to do, so that the tests say the same on every machine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "db/database.h"
#include "tests/support/counted_work.h"
#include "tests/support/invented_program.h"
#include "tests/support/run_command.h"
#include "tests/support/scratch.h"
#include "tests/support/small_run.h"

namespace culprit {
namespace {

using culprit::testing::CountedWork;
using culprit::testing::RunCommand;

constexpr int kFew = 20, kFourTimes = 4 * kFew;

// Two runs of a program with so many kernels, the second slower in one: to explain a kernel with counters takes seconds
// in a build without optimisation.
void WriteProgram(const std::filesystem::path& file, int kernels) {
  Database database = Database::OpenForRecording(file);
  for (int run = 1; run <= 2; ++run) {
    culprit::testing::InventedProgram program(run, run == 1 ? "base" : "change");
    for (int i = 0; i < kernels; ++i)
      program.Launch(culprit::testing::ProgramKernel(fmt::format("kernel_{}", i), 7, run == 2 && i == 0 ? 24 : 20));
    program.Write(database);
  }
}

// The same of a benchmark, without counters, and slower in every fifth.
void WriteBenchmark(const std::filesystem::path& file, int kernels) {
  Database database = Database::OpenForRecording(file);
  for (int run = 1; run <= 2; ++run) {
    const RunId id = database.BeginRun(
        ARun(run == 1 ? "aaaa" : "bbbb", fmt::format("2026-11-2{}T00:00:00Z", run), run == 1 ? "base" : "change"));
    for (int i = 0; i < kernels; ++i) {
      const std::string stage = fmt::format("stage_{}", i);
      database.StoreStage(id, AStage(stage), {});
      const double us = run == 2 && i % 5 == 0 ? 24 : 20;
      database.StoreLaunch(id, ALaunch(stage), Samples({us, us, us * 1.001, us, us, us * 0.999, us}));
    }
    database.FinishRun(id);
  }
}

std::string BenchmarkReport(int kernels) {
  std::string list;
  for (int i = 0; i < kernels; ++i)
    list += fmt::format(R"({}{{"name": "BM_{}/1024", "run_type": "iteration", "real_time": 20, "time_unit": "us"}})",
                        i == 0 ? "" : ",", i);
  return R"({"context": {"date": "2026-11-22T21:56:15+00:00", "library_build_type": "release"}, "benchmarks": [)" +
         list + "]}";
}

class ManyKernels : public ::testing::Test {
 protected:
  long long StepsOf(std::vector<std::string> args, const std::filesystem::path& file) {
    args.insert(args.end(), {"--db", file.string()});
    const CountedWork work;
    const auto result = RunCommand(args);
    EXPECT_NE(result.status, 2) << result.err;
    EXPECT_EQ(result.err, "");
    return work.Steps();
  }

  // Work that does not grow speaks against no limit, so a share of what is quadratic is enough to pass it.
  void ExpectLinear(long long few, long long four_times, const std::string& what) {
    EXPECT_GT(few, 0) << what;
    EXPECT_LT(four_times, 5 * few) << what;
  }

  Scratch scratch;
};

TEST_F(ManyKernels, CostOfAProgramInProportion) {
  WriteProgram(scratch / "few.db", kFew);
  WriteProgram(scratch / "many.db", kFourTimes);
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"check", "--base", "base", "--cand", "change"},
                                             {"why", "--base", "base", "--cand", "change"},
                                             {"report"},
                                             {"report", "--json"},
                                             {"history", "kernel_7"},
                                             {"list"},
                                             {"runs"},
                                             {"export"}})
    ExpectLinear(StepsOf(args, scratch / "few.db"), StepsOf(args, scratch / "many.db"), args.front());
}

TEST_F(ManyKernels, CostOfABenchmarkInProportion) {
  WriteBenchmark(scratch / "few.db", kFew);
  WriteBenchmark(scratch / "many.db", kFourTimes);
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"check", "--base", "base", "--cand", "change"}, {"report"}, {"report", "--json"}, {"list"}})
    ExpectLinear(StepsOf(args, scratch / "few.db"), StepsOf(args, scratch / "many.db"), args.front());
}

// Two kernels at so many sizes each.
TEST_F(ManyKernels, CostOfManyShapesInProportion) {
  const auto write = [&](int shapes) {
    std::string list;
    for (const char* name : {"BM_old", "BM_new"})
      for (int size = 1; size <= shapes; ++size)
        list += fmt::format(R"({}{{"name": "{}/{}", "run_type": "iteration", "real_time": {}, "time_unit": "us"}})",
                            list.empty() ? "" : ",", name, size, 20 + size);
    const auto report = scratch / fmt::format("{}.json", shapes);
    Write(report,
          R"({"context": {"date": "2026-11-22T21:56:15+00:00", "library_build_type": "release"}, "benchmarks": [)" +
              list + "]}");
    const auto file = scratch / fmt::format("{}.db", shapes);
    EXPECT_EQ(RunCommand({"import", report.string(), "--db", file.string()}).status, 0);
    return file;
  };
  const auto few = write(kFew), many = write(kFourTimes);
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"report"}, {"report", "--json"}, {"why", "BM_old", "BM_new"}, {"show", "BM_old"}})
    ExpectLinear(StepsOf(args, few), StepsOf(args, many), args.front());
}

TEST_F(ManyKernels, AreImportedInProportion) {
  const auto steps = [&](int kernels) {
    const auto report = scratch / fmt::format("{}.json", kernels);
    Write(report, BenchmarkReport(kernels));
    return StepsOf({"import", report.string()}, scratch / fmt::format("{}.db", kernels));
  };
  ExpectLinear(steps(kFew), steps(kFourTimes), "a report of Google Benchmark");
  const auto again = [&](int kernels) {
    const auto text = scratch / fmt::format("{}.sql", kernels);
    RunCommand({"export", "--db", (scratch / fmt::format("{}.db", kernels)).string(), "-o", text.string()});
    return StepsOf({"import", text.string()}, scratch / fmt::format("again_{}.db", kernels));
  };
  ExpectLinear(again(kFew), again(kFourTimes), "an export");
}

TEST_F(ManyKernels, LoadTheirRunOnce) {
  const auto loads = [&](int kernels) {
    const auto file = scratch / fmt::format("{}.db", kernels);
    WriteProgram(file, kernels);
    const CountedWork work;
    RunCommand({"check", "--base", "base", "--cand", "change", "--db", file.string()});
    return work.Begun(" FROM toolchain WHERE id = ?");
  };
  EXPECT_EQ(loads(3), loads(12));
}

}  // namespace
}  // namespace culprit
