// SPDX-License-Identifier: Apache-2.0
#include "tests/support/invented_timeline.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "analysis/launch/kernel_view.h"
#include "db/database.h"
#include "db/sampled_counters.h"
#include "db/timeline.h"
#include "tests/support/invented_program.h"

namespace culprit::testing {
namespace {

constexpr std::int64_t kUs = 1000, kBin = 500 * kUs, kStep = 10'000 * kUs;
constexpr int kSteps = 4, kBins = 80, kCovered = 75;
constexpr double kCyclesPerNs = 1.5, kSms = 132;

enum Kernel { kGather, kMatmul, kTiny };  // in the order in which Program launches them

InventedProgram Program(int number, const std::string& label) {
  InventedProgram program(number, label);
  program.Launch(ProgramKernel("gather_rows", kSteps, 2000))
      .Launch(ProgramKernel("matmul_tiles", kSteps, 5000, 264))
      .Launch(ProgramKernel("tiny", 2, 100, 1))
      .Copy(CopyKind::kToDevice, kSteps, 4000);
  program.idle_us = 8000;
  return program;
}

MetricDefinition Metric(const char* id) { return {id, "sampled", id, "count", ""}; }

// Of the whole GPU in a bin, by what runs in it: nothing, gather_rows or matmul_tiles.
struct Work {
  const char* id;
  double idle, gather, matmul;
};
constexpr double kBinCycles = kBin * kCyclesPerNs;
constexpr std::array kWork = {Work{"sm_cycles_elapsed_max", kBinCycles, kBinCycles, kBinCycles},
                              Work{"smsp_cycles_active", 0, 4 * kSms* kBinCycles, 3.8 * kSms* kBinCycles},
                              Work{"warps_active", 0, 48 * kSms* kBinCycles, 16 * kSms* kBinCycles},
                              Work{"inst_executed", 0, 0.4 * kSms* kBinCycles, 2.4 * kSms* kBinCycles},
                              Work{"shared_wavefronts", 0, 0, 0.72 * kSms* kBinCycles},
                              Work{"l2_sectors", 100, 4e7, 2e7},
                              Work{"dram_read_bytes", 3200, 1.1e9, 2.5e8},
                              Work{"dram_write_bytes", 0, 5e7, 1e7}};

TimelineTurn MainTurn() {
  TimelineTurn turn{0, std::vector<double>(kBins, 0), {}};
  std::fill_n(turn.covered_ns.begin(), kCovered, kBin);
  for (const Work& work : kWork) {
    TimelineCounter counter{Metric(work.id), std::vector<std::optional<double>>(kBins)};
    for (int b = 0; b < kCovered; ++b) {
      const int in_step = b % static_cast<int>(kStep / kBin);
      const bool gather = in_step >= 2 && in_step < 6, matmul = in_step >= 6 && in_step < 16;
      counter.sums[static_cast<std::size_t>(b)] = gather ? work.gather : matmul ? work.matmul : work.idle;
    }
    turn.counters.push_back(std::move(counter));
  }
  return turn;
}

TimelineTurn L1Turn() {
  TimelineTurn turn{0, std::vector<double>(kBins, 0), {}};
  std::fill(turn.covered_ns.begin() + kCovered, turn.covered_ns.end(), kBin);
  for (const char* id : {"sm_cycles_elapsed_max", "l1_sectors_hit", "l1_sectors_miss"}) {
    TimelineCounter counter{Metric(id), std::vector<std::optional<double>>(kBins)};
    std::fill(counter.sums.begin() + kCovered, counter.sums.end(),
              std::string_view(id) == kClockCounter ? kBinCycles : 3e6);
    turn.counters.push_back(std::move(counter));
  }
  return turn;
}

TimelineRecord ATimeline(const std::vector<LaunchId>& launches, bool is_cut) {
  TimelineRecord timeline{.span_ns = kSteps * kStep, .bin_ns = kBin};
  timeline.windows = {{0, kSteps * kStep}};
  if (is_cut) timeline.windows = {{0, 2 * kStep}, {3 * kStep, 4 * kStep}}, timeline.left_out = 3;
  const auto launch = [&](Kernel kernel, std::int64_t at_us, std::int64_t us, const std::string& range,
                          std::int64_t stream = 7) {
    timeline.launches.push_back(
        {launches[static_cast<std::size_t>(kernel)], 0, stream, at_us * kUs, us * kUs, kernel == kTiny, range});
  };
  for (int step = 0; step < kSteps; ++step) {
    if (is_cut && step == 2) continue;
    const std::int64_t at_us = 10'000 * step;
    const std::string range = "step " + std::to_string(step);
    timeline.copies.push_back({CopyKind::kToDevice, 0, 1e7, at_us * kUs, 900 * kUs});
    launch(kGather, at_us + 1000, 2000, range + "/forward");
    launch(kMatmul, at_us + 3000, 5000, range + "/backward");
  }
  timeline.totals = {
      {0, Metric("dram_read_bytes"), 2.02e10, 1.98e10, 0}, {0, Metric("dram_write_bytes"), 1.04e9, 9e8, 1e8},
      {0, Metric("inst_executed"), 1.8e11, 1.8e11, 0},     {0, Metric("local_load_sectors"), 0, 0, 0},
      {0, Metric("l2_sectors"), 1.08e9, 1.05e9, 2e7},      {0, Metric("shared_wavefronts"), 2.8e10, 2.8e10, 0}};
  // They overlap on one stream.
  launch(kTiny, 38'500, 100, "", 13);
  launch(kTiny, 38'550, 100, "", 13);
  return timeline;
}

// Twelve phases: few instructions in the first one, then as many as possible, then a tail.
std::vector<PhaseProfile> Profiles(int tail) {
  constexpr int kPhases = 12;
  std::vector<PhaseProfile> profiles;
  for (const Work& work : kWork) {
    PhaseProfile profile{Metric(work.id), 5'000'000, {}, {}, {}};
    for (int q = 0; q <= kPhases; ++q) profile.edges.push_back(static_cast<double>(q) / kPhases);
    const double whole = 10 * work.matmul;  // 5 ms are ten bins
    const bool is_clock = std::string_view(work.id) == kClockCounter;
    for (int q = 0; q < kPhases; ++q) {
      const double part = is_clock ? 1 : q == 0 ? 0.5 : q >= kPhases - tail ? 0.25 : 1;
      profile.counts.push_back(whole / kPhases * part);
      profile.errors.push_back(whole / kPhases * 0.02);
    }
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

// Twelve calls of matmul_tiles, which takes 5 ms and then as long again as `tail` says, in which only 12 SMs still work.
void WriteWithTail(Database& database, int number, const std::string& label, double tail) {
  constexpr double kFewSms = 12;
  constexpr int kCalls = 12, kPhases = 12;
  const double us = 5000 / (1 - tail);
  KernelBuilder matmul = Quiet();
  const double elapsed = *KernelView(matmul.record).Get("smsp_cycles_elapsed");
  matmul.Metric("smsp_cycles_elapsed", elapsed / (1 - tail * (1 - kFewSms / kSms)), "cycle");
  InventedProgram program(number, label);
  program.Launch(ProgramKernel("matmul_tiles", kCalls, us, 264, matmul));
  const RunId run = program.Write(database);
  std::vector<PhaseProfile> profiles;
  for (const char* id : {"sm_cycles_elapsed_max", "smsp_cycles_active"}) {
    PhaseProfile profile{Metric(id), us * kUs, {}, {}, {}};
    const bool is_clock = std::string_view(id) == kClockCounter;
    const double cycles = us * kUs * kCyclesPerNs / kPhases;
    for (int q = 0; q <= kPhases; ++q) profile.edges.push_back(static_cast<double>(q) / kPhases);
    for (int q = 0; q < kPhases; ++q) {
      const double sms = q < kPhases * (1 - tail) ? kSms : kFewSms;
      profile.counts.push_back(is_clock ? cycles : 4 * sms * cycles);
      profile.errors.push_back((is_clock ? 1 : 4 * kSms) * cycles * 0.02);
    }
    profiles.push_back(std::move(profile));
  }
  database.StoreProfiles(database.Launches(run, "", Ordinals::kAll).front(), profiles);
  database.FinishRun(run, "2026-01-02T04:00:00Z");
}

void Write(Database& database, int number, const std::string& label, int tail, bool is_cut) {
  const RunId run = Program(number, label).Write(database);
  const std::vector<LaunchId> launches = database.Launches(run, "", Ordinals::kAll);
  TimelineRecord timeline = ATimeline(launches, is_cut);
  timeline.turns = {MainTurn(), L1Turn()};
  database.StoreTimeline(run, timeline);
  database.StoreProfiles(launches[kMatmul], Profiles(tail));
  database.FinishRun(run, "2026-01-02T04:00:00Z");  // with a checksum over these
}

}  // namespace

void WriteTimelineDatabase(const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  Program(1, "plain").Write(database);
  Write(database, 2, "before", 1, false);
  Write(database, 3, "after", 4, true);
  WriteWithTail(database, 4, "even", 0);
  WriteWithTail(database, 5, "uneven", 1.0 / 6);
}

}  // namespace culprit::testing
