// SPDX-License-Identifier: Apache-2.0
#include "tests/support/invented_gate.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <stdexcept>
#include <tuple>

#include "tests/support/invented_study.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

void Store(Database& database, const RunRecord& record, const std::vector<KernelRecord>& kernels) {
  const RunId run = database.BeginRun(record);
  for (const KernelRecord& k : kernels) {
    const BuildRecord build{k.stage.id, k.launch.arch, k.launch.kernel, k.cubin_digest, k.attributes};
    database.StoreStage(run, k.stage, std::span(&build, k.attributes.empty() ? 0 : 1));
    const LaunchId launch = database.StoreLaunch(run, k.launch, k.samples);
    database.StoreReadings(launch, k.readings);
  }
  database.FinishRun(run);
}

}  // namespace

void SetTimes(KernelRecord& kernel, double us, double clock_mhz) {
  kernel.samples.clear();
  for (int i = 0; i < 16; ++i) {
    kernel.samples.push_back({i, us * (1 + 0.0001 * ((i * 7) % 16 - 8)), clock_mhz, false});
    kernel.samples.back().process = i / 2;
  }
}

void InOneProcess(KernelRecord& kernel) {
  for (Sample& sample : kernel.samples) sample.process = 0;
}

std::vector<KernelRecord> GateKernels() {
  std::vector<KernelRecord> kernels;
  for (const auto& [builder, us, digest] :
       {std::tuple{InventedCublas(), 340.0, ""}, {InventedV17(), 705.0, "17"}, {InventedV16(), 1287.0, "16"}}) {
    KernelRecord kernel = builder.record;
    kernel.cubin_digest = digest;
    SetTimes(kernel, us);
    kernels.push_back(std::move(kernel));
  }
  kernels.front().launch.verify_error_over_bound.reset();
  kernels.front().launch.verify_reference.clear();
  return kernels;
}

GateRuns::GateRuns() {
  base_run = candidate_run = InventedV17().record.run.run;
  base_run.label = "main";
  candidate_run.label = "change";
  candidate_run.uuid = "22222222-2222-4333-8444-555555555555";
  candidate_run.started_utc = "2026-01-03T03:04:05Z";
  candidate_run.git_sha = "fedcba9876543210";
}

KernelRecord& GateRuns::At(const std::string& stage) {
  for (KernelRecord& kernel : candidate)
    if (kernel.stage.id == stage) return kernel;
  throw std::out_of_range(stage);
}

void GateRuns::Write(const std::filesystem::path& file) const {
  Database database = Database::OpenForRecording(file);
  Store(database, base_run, base);
  Store(database, candidate_run, candidate);
}

void WriteGateDatabase(const std::filesystem::path& file) {
  GateRuns runs;
  const KernelRecord v1_7 = runs.At("v1_7"), v1_6 = runs.At("v1_6");
  const auto exchange = [](KernelRecord& kernel, const KernelRecord& by, const char* digest) {
    const StageRecord stage = kernel.stage;
    kernel = by;
    kernel.stage = stage;
    kernel.launch.stage = stage.id;
    kernel.cubin_digest = digest;
  };
  exchange(runs.At("v1_7"), v1_6, "18");
  exchange(runs.At("v1_6"), v1_7, "19");
  const auto add = [&](std::vector<KernelRecord>& kernels, const char* id, double us, double clock_mhz) {
    KernelRecord kernel = v1_7;
    kernel.stage.id = kernel.launch.stage = id;
    SetTimes(kernel, us, clock_mhz);
    kernels.push_back(std::move(kernel));
  };
  add(runs.base, "gone", 500, 1980);
  add(runs.base, "clocked", 500, 1980);
  add(runs.base, "creeping", 500, 1980);
  add(runs.candidate, "clocked", 600, 1650);
  add(runs.candidate, "creeping", 508, 1980);
  add(runs.candidate, "new", 500, 1980);
  runs.Write(file);
}

void WriteStudyDatabase(const std::filesystem::path& file) {
  const auto make = [](KernelBuilder kernel, const char* id, const char* parent, double us,
                       std::map<std::string, std::string> factors) {
    kernel.record.stage.id = kernel.record.launch.stage = kernel.record.launch.kernel = id;
    kernel.record.stage.parent = parent;
    kernel.record.stage.factors = std::move(factors);
    SetTimes(kernel.record, us);
    InOneProcess(kernel.record);
    return kernel.record;
  };
  const std::string loop = "loop nest", tile = "tile", padding = "padding";
  std::vector<KernelRecord> kernels = {
      make(InventedV17(), "v1_8", "", 640, {{loop, "k->m->n"}, {tile, "float4"}}),
      make(InventedV17(), "v1_7", "v1_8", 705, {{loop, "k->m->n"}, {tile, "float"}}),
      make(InventedV16(), "v1_6", "v1_7", 1287, {{loop, "m->n->k"}, {tile, "float"}}),
      make(InventedV16(), "v1_6_1", "v1_6", 1288, {{loop, "m->n->k"}, {tile, "float"}, {padding, "16 bytes"}}),
      make(InventedV17(), "uncounted", "v1_7", 800, {{loop, "k->n->m"}, {tile, "double"}}),
      make(InventedV16(), "picky", "v1_6", 1, {{loop, "m->n->k"}, {tile, "half"}}),
  };
  for (Reading& reading : kernels[4].readings) {
    reading.value.reset();
    reading.status = ReadingStatus::kDenied;
  }
  kernels[5].samples.clear();
  kernels[5].readings.clear();
  kernels[5].launch.state = LaunchState::kRefused;
  kernels[5].launch.message = "picky takes shapes with m % 4096 == 0 only.";
  Database database = Database::OpenForRecording(file);
  Store(database, InventedV17().record.run.run, kernels);
}

void WriteRecorded(const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  ImportRecordings("", database);
}

void WriteRecordedGate(const std::filesystem::path& file) {
  const std::filesystem::path recorded = file.string() + ".recorded";
  WriteRecorded(recorded);
  GateRuns runs;
  runs.base.clear();
  {
    const Database database = Database::OpenForReading(recorded);
    const RunSummary run = database.FindRun({}, "v1_7");
    runs.base_run = runs.candidate_run = run.run;
    for (const LaunchId launch : database.Launches(run.id, "4096")) runs.base.push_back(database.LoadKernel(launch));
  }
  std::filesystem::remove(recorded);
  runs.base_run.label = "main";
  runs.candidate_run.label = "change";
  runs.candidate_run.uuid = "22222222-2222-4333-8444-555555555555";
  runs.candidate = runs.base;
  const auto find = [&](const char* stage) {
    return std::ranges::find_if(runs.base, [&](const KernelRecord& k) { return k.stage.id == stage; });
  };
  KernelRecord& changed = runs.At("v1_7");
  const StageRecord stage = changed.stage;
  changed = *find("v1_6");
  changed.stage = stage;
  changed.launch.stage = stage.id;
  runs.Write(file);
}

}  // namespace culprit::testing
