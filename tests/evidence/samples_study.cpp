// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/samples_study.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "db/sampled_counters.h"
#include "tests/support/recordings.h"
#include "tests/support/scratch.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> AllRecordings() {
  std::vector<fs::path> files;
  for (const char* folder : {"../../db/recorded", "ladder", "lanes", "lines", "planted", "strangers"}) {
    const std::vector<fs::path> in = RecordingsIn(folder);
    files.insert(files.end(), in.begin(), in.end());
  }
  return files;
}

double WarpsOf(const LaunchRecord& launch) {
  constexpr double kWarp = 32;
  const double blocks = static_cast<double>(launch.grid_x) * launch.grid_y * launch.grid_z;
  return blocks * std::ceil(static_cast<double>(launch.block_x) * launch.block_y * launch.block_z / kWarp);
}

template <class Use>
void EachKernel(const fs::path& file, const Use& use) {
  const Scratch scratch;
  Database database = Database::OpenForRecording(scratch / "s.db");
  ImportRecording(file, database);
  std::vector<RunSummary> runs = database.Runs();
  std::ranges::reverse(runs);
  for (const RunSummary& run : runs)
    for (const KernelRecord& kernel : database.LoadKernels(run.id, Ordinals::kAll)) use(database, kernel);
}

std::map<std::string, double> CountersOf(const KernelRecord& kernel) {
  std::map<std::string, double> counters;
  for (const Reading& reading : kernel.readings)
    if (reading.value) counters.emplace(reading.metric.id, *reading.value);
  return counters;
}

StudiedLaunch LaunchOf(const fs::path& file, const KernelRecord& kernel, SamplingRecord sampling,
                       std::map<std::string, double> counters) {
  StudiedLaunch launch;
  const std::string name = file.filename().string();
  launch.recording = name.substr(0, name.find(".sql"));
  if (file.has_parent_path() && file.parent_path().filename() != "recorded")
    launch.recording = (file.parent_path().filename() / launch.recording).string();
  if (kernel.run.run.device) launch.gpu = kernel.run.run.device->name;
  launch.name = kernel.launch.stage + " at " + kernel.launch.shape;
  launch.sampling = std::move(sampling);
  launch.counters = std::move(counters);
  const auto kernels = launch.counters.find("launch_kernels");
  if ((kernels == launch.counters.end() || kernels->second == 1) && launch.sampling.code.size() == 1)
    launch.warps = WarpsOf(kernel.launch);
  return launch;
}

}  // namespace

double StudiedLaunch::Counter(const std::string& id) const {
  const auto found = counters.find(id);
  return found == counters.end() ? 0 : found->second;
}

double StudiedLaunch::Uneven() const { return Unevenness(sampling, Counter("warps_active"), Counter("inst_executed")); }

std::vector<StudiedLaunch> StudiedLaunches() {
  std::vector<StudiedLaunch> studied;
  for (const fs::path& file : AllRecordings())
    EachKernel(file, [&](const Database& database, const KernelRecord& kernel) {
      std::optional<SamplingRecord> sampling = database.Sampling(kernel.id);
      if (!sampling) return;
      StudiedLaunch launch = LaunchOf(file, kernel, *std::move(sampling), CountersOf(kernel));
      if (!launch.counters.contains("stall_selected") || launch.Counter("inst_executed") <= 0) return;
      if (launch.warps)
        for (const InstructionRecord& instruction : database.Instructions(kernel.id))
          if (const auto count = instruction.counts.find("sass_inst"); count != instruction.counts.end())
            launch.exact[instruction.pc_offset] = count->second;
      studied.push_back(std::move(launch));
    });
  return studied;
}

std::vector<StudiedLaunch> LaunchesCountedElsewhere() {
  std::map<std::pair<std::string, std::string>, KernelRecord> counted;  // by kernel and code
  for (const fs::path& file : RecordingsIn("planted"))
    EachKernel(file, [&](const Database&, const KernelRecord& kernel) {
      counted.emplace(std::pair(kernel.launch.stage + " at " + kernel.launch.shape, kernel.cubin_digest), kernel);
    });
  std::vector<StudiedLaunch> launches;
  for (const fs::path& file : RecordingsIn("planted/lines"))
    EachKernel(file, [&](const Database& database, const KernelRecord& kernel) {
      std::optional<SamplingRecord> sampling = database.Sampling(kernel.id);
      const auto found = counted.find({kernel.launch.stage + " at " + kernel.launch.shape, kernel.cubin_digest});
      if (!sampling || found == counted.end() || kernel.cubin_digest.empty()) return;
      StudiedLaunch launch = LaunchOf(file, kernel, *std::move(sampling), CountersOf(found->second));
      if (launch.Counter("inst_executed") > 0 && launch.Counter("warps_active") > 0)
        launches.push_back(std::move(launch));
    });
  return launches;
}

StudiedLaunch Thinned(const StudiedLaunch& launch, double samples) {
  StudiedLaunch thinned = launch;
  double all = 0;
  for (const PcSample& row : launch.sampling.rows) all += static_cast<double>(row.samples);
  const double keep = std::min(1.0, samples / all);
  std::mt19937_64 random(1);
  const auto limit = static_cast<std::uint64_t>(keep * 0x1p63);
  for (PcSample& row : thinned.sampling.rows) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < row.samples; ++i) kept += random() >> 1 < limit;
    row.samples = kept;
  }
  std::erase_if(thinned.sampling.rows, [](const PcSample& row) { return row.samples == 0; });
  return thinned;
}

bool Compared::Holds() const {
  constexpr double kOf90 = 1.645;
  return std::abs(sampled.value - counted) <= kOf90 * std::max(sampled.error, 1.0);
}

// What sampling would have counted, without its errors.
std::vector<Reading> TotalsOf(const StudiedLaunch& launch) {
  std::vector<Reading> totals;
  for (const CounterTurn& turn : CounterTurnsOn("GH100"))
    for (const TurnCounter& counter : turn.counters)
      if (const auto counted = launch.counters.find(std::string(counter.id)); counted != launch.counters.end())
        totals.push_back({SampledMetric(counter.id), counted->second, ReadingStatus::kOk, 0.0});
  return totals;
}

std::vector<Compared> Compare(const StudiedLaunch& launch, bool with_warps) {
  std::vector<Compared> compared;
  for (SampledCounter& counter :
       CountersOfSamples(launch.sampling, TotalsOf(launch), with_warps ? launch.warps : std::nullopt))
    if (const auto counted = launch.counters.find(counter.id); counted != launch.counters.end())
      compared.push_back({&launch, std::move(counter), counted->second});
  return compared;
}

}  // namespace culprit::testing
