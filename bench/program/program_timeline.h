// SPDX-License-Identifier: Apache-2.0
// The timeline of a recorded program, at a bounded size (db/timeline.h).
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "db/timeline.h"
#include "profiler/trace/trace.h"

namespace culprit {

// A launch or copy with a time, by its place in the traces.
struct TimelineEvent {
  std::int64_t start_ns = 0;  // of the traces' clock
  std::uint32_t process = 0;  // of the traces
  std::uint32_t index = 0;    // of the launches or copies of that trace
  int gpu = 0;
  bool is_copy = false;
};

struct ListedEvents {
  std::vector<TimelineWindow> windows;  // relative to the first start
  std::vector<TimelineEvent> events;    // those that began in the windows, by start
};

// All events, if there are at most `most`. Else the first ones, half as many, and as many from the middle of the
// program: its start is rarely what it does later.
ListedEvents ListEvents(std::vector<TimelineEvent> events, std::int64_t first_ns, std::int64_t span_ns,
                        std::size_t most = kMostTimelineEvents);

struct GpuCounters {
  int gpu = 0;
  std::vector<const TracedCounters*> counters;
};

// Sets bin_ns and turns. A bin is at least as long as most records, because shorter ones would show less than they seem
// to. A record that several bins share is divided by time. Records outside the span are left out.
void BinCounters(std::span<const GpuCounters> gpus, std::int64_t first_ns, TimelineRecord& timeline,
                 std::size_t most_bins = kMostTimelineBins);

}  // namespace culprit
