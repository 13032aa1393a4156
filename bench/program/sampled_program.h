// SPDX-License-Identifier: Apache-2.0
// Counters of all kernels of a program, from what its GPUs counted while it was timed (bench/phases/phase_fit.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/phases/phase_fit.h"
#include "bench/program/sampled_readings.h"
#include "db/records.h"
#include "db/timeline.h"
#include "profiler/trace/trace.h"

namespace culprit {

// What ran on one GPU, and what it counted meanwhile. The trace must outlive this.
struct GpuWork {
  int gpu = 0;
  std::vector<ClassLaunch> launches;
  std::vector<const TracedCounters*> counters;
};

// The numbers of the classes that are copies and memsets: from `first` on.
struct CopyClasses {
  std::size_t first = 0, count = 0;
};

// Of the launches of one class.
struct SampledClass {
  std::vector<Reading> readings;  // per launch. Without those that samples cannot tell apart from what ran beside them
  std::optional<double> clock_mhz;
  // By list of counters, of the GPU that launched the class most often. Without metrics whose phases samples cannot tell.
  std::vector<PhaseProfile> profiles;
};

struct SampledWork {
  std::vector<SampledClass> classes;
  // Of the instructions that were sampled on all GPUs, the share that was executed while no launch ran. None: they were
  // not sampled.
  std::optional<double> elsewhere;
  std::vector<TimelineTotal> totals;  // by GPU and metric, without the clock
};

// `classes`: their number. A class on several GPUs has the mean over all its launches.
SampledWork SampleClasses(std::vector<GpuWork> gpus, std::size_t classes, CopyClasses copies);

// The readings of a class with what follows from them: cycles from the clock and `mean_us`, the mean time of a launch;
// without the instructions that CUPTI itself adds to a kernel while it is timed; issued instructions as those executed.
// Empty: nothing was sampled.
std::vector<Reading> ReadingsOf(SampledClass sampled, const LaunchGeometry& geometry, double mean_us,
                                const Device& device);
// CUPTI's records of concurrent kernels add instructions to each warp: so much of these counters (H100,
// docs/evidence/cupti.md).
struct StampedCounter {
  std::string_view id;
  double by_warp;
};
inline constexpr StampedCounter kStamps[] = {
    {"inst_executed", 8}, {"pipe_alu_inst", 4}, {"sass_thread_inst_on", 8.0 * 32}};

}  // namespace culprit
