// SPDX-License-Identifier: Apache-2.0
// What a program's GPUs did over its time, and how the work of a launch goes over its duration. No SQLite.
// Times are nanoseconds after the first start of a kernel or copy on any GPU, in the timed execution. GPUs are numbered
// from 0 in the order of their first appearance.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

// Bounds that keep a run small: some 0.3 MB for the launches, and 0.2 MB for the counters of a GPU.
inline constexpr std::size_t kMostTimelineEvents = 10'000;  // launches and copies
inline constexpr std::size_t kMostTimelineBins = 2000;

struct TimelineWindow {
  std::int64_t start_ns = 0, end_ns = 0;
};

// One call of a launch.
struct TimelineLaunch {
  std::int64_t launch = 0;  // LaunchId. A recorder that has not yet stored its launches has their index here
  int gpu = 0;
  std::int64_t stream = 0;  // CUPTI's number
  std::int64_t start_ns = 0, duration_ns = 0;
  bool from_graph = false;
  std::string range = {};  // NVTX path, outermost first, with its numbers: "step 17/forward"; empty: none
};

struct TimelineCopy {
  CopyKind kind = CopyKind::kOther;
  int gpu = 0;
  double bytes = 0;
  std::int64_t start_ns = 0, duration_ns = 0;
};

struct TimelineCounter {
  MetricDefinition metric;
  // By bin: what the whole GPU counted within the covered time. None: not measured there.
  std::vector<std::optional<double>> sums;
};

// Counters that one GPU counted together. Lists of counters take turns, so a bin's time is covered in part or not at
// all.
struct TimelineTurn {
  int gpu = 0;
  std::vector<double> covered_ns;  // by bin
  std::vector<TimelineCounter> counters;
};

// What a GPU sampled of a metric over the whole program, and how much of it kernels and copies got. The rest was counted
// while nothing of the program ran: by other processes, or by an idle GPU. What other processes count beside a launch is
// among the launch's.
struct TimelineTotal {
  int gpu = 0;
  MetricDefinition metric;
  double counted = 0, kernels = 0, copies = 0;  // copies: memsets, too
};

struct TimelineRecord {
  std::int64_t span_ns = 0;   // to the last end of a kernel or copy on any GPU
  std::int64_t bin_ns = 0;    // 0: no counters
  std::int64_t left_out = 0;  // launches and copies that began outside the windows
  // Every launch and copy that began in a window is listed. By start, without overlap.
  std::vector<TimelineWindow> windows = {};
  std::vector<TimelineLaunch> launches = {};  // by start
  std::vector<TimelineCopy> copies = {};      // by start
  std::vector<TimelineTurn> turns = {};       // by GPU
  std::vector<TimelineTotal> totals = {};     // by GPU and metric
};

// How the count of a sampled metric goes over the duration of a launch, mean over its calls.
struct PhaseProfile {
  MetricDefinition metric;
  double duration_ns = 0;      // of a call, mean
  std::vector<double> edges;   // phases + 1 relative times from 0 to 1
  std::vector<double> counts;  // by phase, per call; their sum is the whole count
  std::vector<double> errors;  // one standard deviation of each count
};

}  // namespace culprit
