// SPDX-License-Identifier: Apache-2.0
// How long `culprit why` takes on a database of 1000 runs under $TMPDIR: the recorded H100 run and 999 older ones with
// its stages and readings at 4096, every tenth (such as "copy 500") with its repetitions and instructions. Run it in a
// checkout.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/cli/culprit.h"
#include "bench/program/private_folder.h"
#include "db/compressed.h"
#include "db/database.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 1000;
constexpr int kCompleteEvery = 10;  // of the copies
constexpr const char* kShape = "4096x4096x4096";

// The database, gone when the process ends.
class ThousandRuns {
 public:
  ThousandRuns() {
    Database db = Database::OpenForRecording(File());
    for (const auto& entry : fs::directory_iterator(fs::path(CULPRIT_SOURCE_DIR) / "db/recorded")) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(in), {});
      db.Import(Decompressed(bytes, std::size_t{1} << 30), entry.path().string());
    }
    const RunSummary recorded = db.FindRun({});
    std::vector<Kernel> kernels;
    for (const LaunchId launch : db.Launches(recorded.id, kShape))
      kernels.push_back({db.LoadKernel(launch), db.Instructions(launch)});
    for (int n = static_cast<int>(db.Runs().size()); n < kRuns; ++n) StoreCopy(db, recorded.run, kernels, n);
  }

  fs::path File() const { return folder_ / "m.db"; }
  static const ThousandRuns& Get() {
    static const ThousandRuns database;
    return database;
  }

 private:
  struct Kernel {
    KernelRecord record;
    std::vector<InstructionRecord> instructions;
  };

  // As Database::StoreRepeats takes them.
  static std::vector<std::vector<Reading>> Repetitions(const KernelRecord& kernel) {
    std::vector<std::vector<Reading>> repetitions;
    for (const auto& [metric, values] : kernel.repeats) {
      const auto reading = std::ranges::find(kernel.readings, metric, [](const Reading& r) { return r.metric.id; });
      if (reading == kernel.readings.end()) continue;
      repetitions.resize(std::max(repetitions.size(), values.size()));
      for (std::size_t i = 0; i < values.size(); ++i) {
        repetitions[i].push_back(*reading);
        repetitions[i].back().value = values[i];
      }
    }
    return repetitions;
  }

  static void StoreCopy(Database& db, RunRecord run, const std::vector<Kernel>& kernels, int number) {
    run.uuid = fmt::format("{:08x}-0000-4000-8000-000000000000", number);
    run.started_utc =
        fmt::format("2025-{:02}-{:02}T{:02}:00:00Z", 1 + number / 24 / 28 % 12, 1 + number / 24 % 28, number % 24);
    run.label = fmt::format("copy {}", number);
    const RunId id = db.BeginRun(run);
    for (const auto& [kernel, instructions] : kernels) {
      db.StoreStage(id, kernel.stage, {});
      const LaunchId launch = db.StoreLaunch(id, kernel.launch, kernel.samples);
      db.StoreReadings(launch, kernel.readings);
      if (number % kCompleteEvery != 0) continue;
      db.StoreRepeats(launch, Repetitions(kernel));
      db.StoreInstructions(launch, instructions);
    }
    db.FinishRun(id);
  }

  PrivateFolder folder_;
};

void Why(benchmark::State& state, std::vector<std::string> args) {
  args.insert(args.begin(), "why");
  args.insert(args.end(), {"--db", ThousandRuns::Get().File().string()});
  for (auto _ : state) {
    std::ostringstream out, err;
    if (Main(args, out, err, false) != 0) state.SkipWithError(err.str().c_str());
    benchmark::DoNotOptimize(out);
  }
}
BENCHMARK_CAPTURE(Why, newest_run, {"v1_7", "v1_6"})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(Why, json, {"v1_7", "v1_6", "--json"})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(Why, run_by_label, {"v1_7", "v1_6", "--run", "copy 500"})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(Why, two_runs, {"v1_7", "v1_6", "--cand-run", "copy 500"})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace culprit
