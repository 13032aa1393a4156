// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/run_writer.h"
#include "bench/workload.h"
#include "profiler/launch_probe.h"

namespace culprit {

// A workload and its results in this process.
struct Job {
  Workload workload;
  LaunchRecord record;
  std::vector<StaticAttribute> launched;  // attributes of the loaded kernel, source "runtime"; empty: not known
  std::size_t kernels = 0;                // kernels that one launch starts; 0: not known
  double time_us = 0, clock_mhz = 0;      // medians of its samples; 0: not timed, or no clock
  bool prepared = false;                  // Probe and verification were tried
  StoredLaunch stored;
  std::optional<SamplingRecord> sampling;  // of its instructions

  // Its name in Google Benchmark: "sgemm/v1_6/4096x4096x4096".
  std::string Name() const;
  // Stored, and neither failed nor refused.
  bool IsMeasured() const { return stored && record.state == LaunchState::kOk; }
  void Fail(std::string message) { record.state = LaunchState::kFailed, record.message = std::move(message); }
};

StageRecord StageOf(const Workload& workload);

// Whether both have their inputs in place at the same time (Workload::inputs).
bool AreInPlaceTogether(const Workload& a, const Workload& b);

// The builds of the workload's kernel in this program; adds `launched` to the one that ran.
std::vector<BuildRecord> BuildsOf(const Job& job);

// Stores the job's stage with the builds that are known so far. Does so once per stage.
void StoreStage(const Job& job, RunWriter& writer);

// Stores the job's stage, and its launch with the outcome.
void StoreLaunch(Job& job, RunWriter& writer, std::span<const Sample> samples = {});

// Facts of a launch that are no counters, as readings of source "launch": LaunchFacts, and launch_overhead_us
// (`overhead_us`), the part of a timed interval outside the kernel.
std::vector<Reading> LaunchReadings(const Job& job, std::optional<double> overhead_us);

// The kernel that represents a launch of one or more kernels: the one with the stage's name, or else the one with the
// most threads.
const KernelLaunch& MainKernel(const std::vector<KernelLaunch>& launches, const std::string& stage);

// Asks CUDA which kernel the workload launches and fills in the job's record. Needs the current device.
void Probe(Job& job);

}  // namespace culprit
