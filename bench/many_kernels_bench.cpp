// SPDX-License-Identifier: Apache-2.0
// How long commands take on runs of 20,000 kernels, from arguments to text: two runs of a program, the second slower in
// every thirteenth kernel. The database lives under $TMPDIR while it runs.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "analysis/cli/culprit.h"
#include "bench/invented_run.h"
#include "bench/program/private_folder.h"
#include "db/database.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr int kKernels = 20'000;
constexpr int kCalls = 5;

void Run(const std::vector<std::string>& args, benchmark::State& state) {
  std::ostringstream out, err;
  if (Main(args, out, err, false) == 2) state.SkipWithError(err.str().c_str());
  benchmark::DoNotOptimize(out);
}

// A folder, gone when the process ends.
class TwoRuns {
 public:
  TwoRuns() {
    Database db = Database::OpenForRecording(File("m.db"));
    Store(db, "base", 1, 1.0);
    Store(db, "change", 2, 1.05);
    std::ofstream(File("m.sql")) << db.Export();
    WriteReport("m.json", kKernels, kKernels);
    WriteReport("shapes.json", 4000, 2);  // two kernels at many sizes each
    std::ostringstream out, err;
    if (Main({"import", File("shapes.json"), "--db", File("shapes.db")}, out, err, false) != 0)
      throw std::runtime_error(err.str());
  }
  static const TwoRuns& Get() {
    static const TwoRuns runs;
    return runs;
  }
  std::string File(const std::string& name) const { return (folder_ / name).string(); }

 private:
  static void Store(Database& db, const std::string& label, int number, double slower) {
    RunRecord run = InventedRun(number);
    run.label = label;
    run.command_line = "./many";
    const RunId id = db.BeginRun(run);
    double sum = 0;
    for (int i = 0; i < kKernels; ++i) {
      StageRecord stage;
      stage.id = fmt::format("kernel_{}", i);
      stage.family = "program";
      db.StoreStage(id, stage, {});
      LaunchRecord launch;
      launch.stage = launch.kernel = stage.id;
      launch.shape = fmt::format("{}x128", i % 7 + 1);
      const double us = (10 + i % 97) * (i % 13 == 0 ? slower : 1);
      std::vector<Sample> samples;
      for (int call = 0; call < kCalls; ++call) samples.push_back({call, us + 0.01 * call, {}, false});
      const LaunchId stored = db.StoreLaunch(id, launch, samples);
      sum += kCalls * us;
      db.StoreProgramLaunch(stored, {.name = fmt::format("void {}<float>(float*)", stage.id),
                                     .nvtx = "",
                                     .first = i,
                                     .calls = kCalls,
                                     .time_us = kCalls * us,
                                     .share_us = kCalls * us});
    }
    ProgramRecord program;
    program.processes = program.gpus = 1;
    program.idle_us = 1000;
    program.span_us = sum + 1000;
    db.StoreProgram(id, program);
    db.FinishRun(id);
  }

  // A report of Google Benchmark. Its `entries` are of so many `names`, each at sizes 1, 2, 3, ...
  void WriteReport(const std::string& file, int entries, int names) const {
    std::ofstream report(File(file));
    report << R"({"context": {"date": "2026-11-22T21:56:15+00:00"}, "benchmarks": [)";
    for (int i = 0; i < entries; ++i)
      report << fmt::format(R"({}{{"name": "BM_{}/{}", "run_type": "iteration", "real_time": 20, "time_unit": "us"}})",
                            i == 0 ? "" : ",", i % names, i / names + 1);
    report << "]}";
  }

  PrivateFolder folder_;
};

void ReadFrom(const std::string& file, benchmark::State& state, std::vector<std::string> args) {
  args.insert(args.end(), {"--db", TwoRuns::Get().File(file)});
  for (auto _ : state) Run(args, state);
}
void Read(benchmark::State& state, std::vector<std::string> args) { ReadFrom("m.db", state, std::move(args)); }
void ReadShapes(benchmark::State& state, std::vector<std::string> args) {
  ReadFrom("shapes.db", state, std::move(args));
}
BENCHMARK_CAPTURE(ReadShapes, report, {"report"})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ReadShapes, why, {"why", "BM_0", "BM_1"})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, check, {"check", "--base", "base", "--cand", "change"})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, why, {"why", "--base", "base", "--cand", "change"})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, report, {"report"})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, history, {"history", "kernel_7"})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, show, {"show", "kernel_7"})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, runs, {"runs"})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Read, export_, {"export"})->Unit(benchmark::kMillisecond);

void Import(benchmark::State& state, const std::string& file) {
  const std::string from = TwoRuns::Get().File(file), to = TwoRuns::Get().File("imported.db");
  for (auto _ : state) {
    fs::remove(to);
    Run({"import", from, "--db", to}, state);
  }
}
BENCHMARK_CAPTURE(Import, export_, "m.sql")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Import, google_benchmark, "m.json")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace culprit
