// SPDX-License-Identifier: Apache-2.0
// How fast measurements are stored and found again. Files live under $TMPDIR; results depend on the disk there.
// The large database is generated once per process: 641 runs of 13 stages x 3 shapes with 96 readings and 10 samples a
// launch, 2.4 million metric values.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bench/invented_run.h"
#include "bench/program/private_folder.h"
#include "db/database.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr int kReadings = 96;
constexpr int kSamples = 10;
constexpr int kStages = 13;
constexpr int kRuns = 641;       // x 13 x 3 x 96 = 2,399,904 values
constexpr int kRepetitions = 3;  // of the newest run: the one that FindKernel finds
constexpr int kShapes[] = {1024, 2048, 4096};

// Of this process.
const PrivateFolder& Scratch() {
  static const PrivateFolder folder;
  return folder;
}

StageRecord StageNumber(int number) {
  StageRecord stage;
  stage.id = fmt::format("stage_{}", number);
  stage.family = "ladder";
  stage.idea = "invented";
  return stage;
}

// Names as long as CUPTI's.
std::vector<Reading> SomeReadings(int launch) {
  std::vector<Reading> readings;
  for (int i = 0; i < kReadings; ++i)
    readings.push_back(
        {{fmt::format("metric_number_{}", i), "range", fmt::format("smsp__inst_executed_op_invented_{}.sum", i), "inst",
          "a sentence about as long as the catalogue's are"},
         1e6 * i + launch,
         ReadingStatus::kOk});
  return readings;
}

std::vector<Sample> SomeSamples() {
  std::vector<Sample> samples;
  for (int i = 0; i < kSamples; ++i) samples.push_back({i, 700.0 + 0.37 * i, 1980.0 - i, false});
  return samples;
}

LaunchRecord LaunchAt(int stage, std::string shape, double extent) {
  LaunchRecord launch;
  launch.stage = StageNumber(stage).id;
  launch.arch = "sm_90";
  launch.kernel = launch.stage;
  launch.shape = std::move(shape);
  launch.flop = 2 * extent * extent * extent;
  return launch;
}

Database Recording(const fs::path& file, RunId& run) {
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(file.string() + suffix);
  Database db = Database::OpenForRecording(file);
  run = db.BeginRun(InventedRun(0));
  db.StoreStage(run, StageNumber(0), {});
  return db;
}

// What `store` does to a new launch, and nothing else.
template <class Store>
void StoreOnly(benchmark::State& state, Store store) {
  RunId run = 0;
  Database db = Recording(Scratch() / "store.db", run);
  int number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    ++number;
    const LaunchId launch = db.StoreLaunch(run, LaunchAt(0, fmt::format("{}", number), number), {});
    state.ResumeTiming();
    store(db, launch);
  }
}

void StoreRepeatsOnly(benchmark::State& state) {
  const std::vector repetitions(kRepetitions, SomeReadings(0));
  StoreOnly(state, [&](Database& db, LaunchId launch) { db.StoreRepeats(launch, repetitions); });
}
BENCHMARK(StoreRepeatsOnly)->Unit(benchmark::kMicrosecond)->UseRealTime();

// As recording does: a launch with its samples, then its readings, each call one transaction.
void StoreOneLaunch(benchmark::State& state) {
  RunId run = 0;
  Database db = Recording(Scratch() / "store.db", run);
  const auto samples = SomeSamples();
  const auto readings = SomeReadings(0);
  int number = 0;
  for (auto _ : state) {
    ++number;
    const LaunchId launch = db.StoreLaunch(run, LaunchAt(0, fmt::format("{}", number), number), samples);
    db.StoreReadings(launch, readings);
  }
  state.counters["values/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kReadings, benchmark::Counter::kIsRate);
}
BENCHMARK(StoreOneLaunch)->Unit(benchmark::kMicrosecond)->UseRealTime();

void StoreReadingsOnly(benchmark::State& state) {
  const auto readings = SomeReadings(0);
  StoreOnly(state, [&](Database& db, LaunchId launch) { db.StoreReadings(launch, readings); });
  state.counters["values/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kReadings, benchmark::Counter::kIsRate);
}
BENCHMARK(StoreReadingsOnly)->Unit(benchmark::kMicrosecond)->UseRealTime();

// A whole run of 100 launches, from opening the file to its checkpoint and close.
void StoreRunOf100Launches(benchmark::State& state) {
  const auto samples = SomeSamples();
  const auto readings = SomeReadings(0);
  for (auto _ : state) {
    RunId run = 0;
    Database db = Recording(Scratch() / "store.db", run);
    for (int i = 0; i < 100; ++i)
      db.StoreReadings(db.StoreLaunch(run, LaunchAt(0, fmt::format("{}", i + 1), i), samples), readings);
    db.FinishRun(run);
  }
  state.counters["values/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * 100 * kReadings, benchmark::Counter::kIsRate);
}
BENCHMARK(StoreRunOf100Launches)->Unit(benchmark::kMillisecond)->UseRealTime();

const fs::path& LargeFile() {
  static const fs::path file = [] {
    const fs::path made = Scratch() / "large.db";
    Database db = Database::OpenForRecording(made);
    const auto samples = SomeSamples();
    for (int number = 0; number < kRuns; ++number) {
      const RunId run = db.BeginRun(InventedRun(number));
      for (int stage = 0; stage < kStages; ++stage) {
        db.StoreStage(run, StageNumber(stage), {});
        for (const int n : kShapes) {
          const LaunchId launch = db.StoreLaunch(run, LaunchAt(stage, fmt::format("{0}x{0}x{0}", n), n), samples);
          const auto readings = SomeReadings(number + stage + n);
          db.StoreReadings(launch, readings);
          if (number == kRuns - 1) db.StoreRepeats(launch, std::vector(kRepetitions, readings));
        }
      }
      db.FinishRun(run);
    }
    return made;
  }();
  return file;
}

void FindKernel(benchmark::State& state) {
  const Database db = Database::OpenForReading(LargeFile());
  for (auto _ : state) benchmark::DoNotOptimize(db.FindKernel("stage_7", {}));
}
BENCHMARK(FindKernel)->Unit(benchmark::kMillisecond);

// What `culprit show` reads: open the file, find the launch, list the other launches of the run at that shape.
void OpenAndShow(benchmark::State& state) {
  LargeFile();
  for (auto _ : state) {
    const Database db = Database::OpenForReading(LargeFile());
    const KernelRecord kernel = db.FindKernel("stage_7", {});
    for (const LaunchId launch : db.Launches(kernel.run.id, kernel.launch.shape))
      benchmark::DoNotOptimize(db.LoadKernel(launch));
  }
}
BENCHMARK(OpenAndShow)->Unit(benchmark::kMillisecond);

void ListRuns(benchmark::State& state) {
  const Database db = Database::OpenForReading(LargeFile());
  for (auto _ : state) benchmark::DoNotOptimize(db.Runs());
}
BENCHMARK(ListRuns)->Unit(benchmark::kMillisecond);

void NamedQueryOf(benchmark::State& state, const char* name) {
  const Database db = Database::OpenForReading(LargeFile());
  for (auto _ : state) benchmark::DoNotOptimize(db.Query(*FindNamedQuery(name)));
}
BENCHMARK_CAPTURE(NamedQueryOf, ladder, "ladder")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(NamedQueryOf, shared_memory, "shared_memory")->Unit(benchmark::kMillisecond);

constexpr double kLargeValues = 1.0 * kRuns * kStages * std::size(kShapes) * kReadings;

void ExportAll(benchmark::State& state) {
  const Database db = Database::OpenForReading(LargeFile());
  std::size_t bytes = 0;
  for (auto _ : state) bytes = db.Export().size();
  state.counters["values/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kLargeValues, benchmark::Counter::kIsRate);
  state.counters["text_MB"] = static_cast<double>(bytes) / 1e6;
}
BENCHMARK(ExportAll)->Unit(benchmark::kMillisecond);

void ImportAll(benchmark::State& state) {
  const std::string text = Database::OpenForReading(LargeFile()).Export();
  for (auto _ : state) {
    const fs::path file = Scratch() / "import.db";
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(file.string() + suffix);
    Database::OpenForRecording(file).Import(text, "large.sql");
  }
  state.counters["values/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kLargeValues, benchmark::Counter::kIsRate);
}
BENCHMARK(ImportAll)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace culprit
