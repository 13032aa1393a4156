// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

#include "bench/recorder.h"
#include "bench/workload.h"
#include "profiler/launch_probe.h"

namespace culprit {

// A workload and what became of it in this process.
struct Job {
  Workload workload;
  LaunchRecord record;
  std::vector<StaticAttribute>
      launched;                       // attributes of the kernel as loaded, source "runtime"; empty: could not be asked
  std::size_t kernels = 0;            // how many kernels one launch starts; 0: could not be asked
  double time_us = 0, clock_mhz = 0;  // medians of its samples; 0: not timed, no clock was seen
  bool prepared = false;              // probed and verified, successfully or not
  StoredLaunch stored;

  // "sgemm/v1_6/4096x4096x4096": what Google Benchmark calls it.
  std::string Name() const;
};

StageRecord StageOf(const Workload& workload);

// The builds of the workload's kernel that this program carries, with `launched` added to the one that ran.
std::vector<BuildRecord> BuildsOf(const Job& job);

// Its stage, with its builds as far as they are known by then; once per stage.
void StoreStage(const Job& job, Recorder& recorder);

// Its stage and what became of it.
void StoreLaunch(Job& job, Recorder& recorder, std::span<const Sample> samples = {});

// Which of the kernels of one launch, at least one, the launch is known by: the one that is called as its stage is,
// else the one with the most threads.
const KernelLaunch& MainKernel(const std::vector<KernelLaunch>& launches, const std::string& stage);

// Asks CUDA which kernel the workload launches and fills the job's record; needs the current device.
void Probe(Job& job);

}  // namespace culprit
