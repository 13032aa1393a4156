// SPDX-License-Identifier: Apache-2.0
// Writes invented runs into a new database: workloads that are recorded night after night. One kernel of each tenth
// workload becomes slower in one night. For tests and measurements of push, history and regressions.
//
// invent_runs FILE FIRST_NIGHT NIGHTS WORKLOADS KERNELS METRICS SLOWER_IN_NIGHT FIRST_DAY
// FIRST_DAY: night 0 in days since 1970. The same arguments give the same runs.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {
namespace {

constexpr int kSamples = 7;
constexpr double kNightNoise = 0.002, kSampleNoise = 0.004, kSlower = 0.06;

struct Wish {
  int first_night, nights, workloads, kernels, metrics, slower_in;
  long first_day;
};

std::vector<MetricDefinition> Metrics(int n) {
  std::vector<MetricDefinition> metrics;
  for (int i = 0; i < n; ++i)
    metrics.push_back({fmt::format("invented_{:03}", i), "range", fmt::format("invented__{:03}.sum", i), "inst",
                       "An invented counter."});
  return metrics;
}

void Store(Database& database, const Wish& wish, int night, int workload,
           const std::vector<MetricDefinition>& metrics) {
  std::mt19937_64 dice(static_cast<std::uint64_t>(night) * 1'000'003 + static_cast<std::uint64_t>(workload));
  std::normal_distribution<double> normal;
  RunRecord run;
  run.uuid = fmt::format("{:08x}-{:04x}-4000-8000-000000000000", night + 1, workload);
  const std::time_t at = (wish.first_day + night) * 86400 + workload % 86400;
  run.started_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(at));
  run.label = "nightly";
  run.command_line = fmt::format("./workload_{}", workload);
  run.profile = "core";
  run.l2 = "hot";
  run.git_sha = fmt::format("{:040x}", night + 1);
  run.toolchain.driver = "580.1";
  run.toolchain.cuda_runtime = "13.0";
  run.device = {.name = workload % 2 == 0 ? "Invented H" : "Invented L",
                .chip = "",
                .sm_count = 100,
                .fp32_lanes_per_sm = 128,
                .sm_clock_mhz = 2000};
  const RunId id = database.BeginRun(run);
  double sum = 0;
  std::vector<Reading> readings;
  for (const MetricDefinition& metric : metrics) readings.push_back({metric, 0, ReadingStatus::kOk});
  for (int k = 0; k < wish.kernels; ++k) {
    StageRecord stage;
    stage.id = fmt::format("kernel_{}", k);
    stage.family = "program";
    database.StoreStage(id, stage, {});
    LaunchRecord launch;
    launch.stage = launch.kernel = stage.id;
    launch.shape = fmt::format("{}x128", k % 7 + 1);
    launch.block_x = 128;
    launch.block_y = launch.block_z = 1;
    const bool slower = workload % 10 == 0 && k == 0 && night >= wish.slower_in;
    const double us = (10 + k % 97) * (slower ? 1 + kSlower : 1) * std::exp(kNightNoise * normal(dice));
    std::vector<Sample> samples;
    for (int call = 0; call < kSamples; ++call)
      samples.push_back({call, us * std::exp(kSampleNoise * std::abs(normal(dice))), 1700, false});
    const LaunchId stored = database.StoreLaunch(id, launch, samples);
    for (std::size_t m = 0; m < readings.size(); ++m) {
      // As counters are: round numbers that repeat, and numbers with all digits.
      const double value = m % 3 == 0   ? 1024.0 * (k + 1)
                           : m % 3 == 1 ? 1e6 * us * (1 + 1e-4 * normal(dice))
                                        : std::floor(1e5 * us);
      readings[m].value = value;
    }
    database.StoreReadings(stored, readings);
    database.StoreProgramLaunch(stored, {.name = fmt::format("void {}<float>(float*)", stage.id),
                                         .nvtx = "",
                                         .first = k,
                                         .calls = kSamples,
                                         .time_us = kSamples * us,
                                         .share_us = kSamples * us});
    sum += kSamples * us;
  }
  ProgramRecord program;
  program.processes = program.gpus = 1;
  program.idle_us = 100;
  program.span_us = sum + 100;
  database.StoreProgram(id, program);
  database.FinishRun(id, run.started_utc);
}

int Run(int argc, char** argv) {
  if (argc != 9) {
    std::cerr << "invent_runs FILE FIRST_NIGHT NIGHTS WORKLOADS KERNELS METRICS SLOWER_IN_NIGHT FIRST_DAY\n";
    return 2;
  }
  const auto number = [&](int i) { return std::atoi(argv[i]); };
  const Wish wish{number(2), number(3), number(4), number(5), number(6), number(7), std::atol(argv[8])};
  Database database = Database::OpenForRecording(argv[1]);
  const std::vector<MetricDefinition> metrics = Metrics(wish.metrics);
  for (int night = wish.first_night; night < wish.first_night + wish.nights; ++night)
    for (int workload = 0; workload < wish.workloads; ++workload) Store(database, wish, night, workload, metrics);
  return 0;
}

}  // namespace
}  // namespace culprit

int main(int argc, char** argv) {
  try {
    return culprit::Run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "invent_runs: " << error.what() << '\n';
    return 2;
  }
}
