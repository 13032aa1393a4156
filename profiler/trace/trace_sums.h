// SPDX-License-Identifier: Apache-2.0
// Sums the launches of a long program while it runs, in blocks of time, because it may be killed at any time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "profiler/trace/timeline.h"

namespace culprit {

// Launches or copies of one kind, within a block.
struct Summed {
  std::int64_t calls = 0, bytes = 0;
  std::int64_t time_ns = 0, slowest_ns = 0;
  std::int64_t first_ns = 0, last_ns = 0;     // the first start and the last end
  double share_us = 0;                        // of the timeline, by SharesOf; at most their time
  std::vector<std::int64_t> samples_ns = {};  // durations of some calls, evenly spread, in the order of the calls
};

class TraceSums {
 public:
  using Key = std::pair<int, int>;  // the caller chooses the meaning

  // Operations that are not summed ran on the device until `end_ns`, so no sum gets this part of the timeline.
  void Taken(int device, std::int64_t end_ns);

  void Add(Key key, int device, std::int64_t start_ns, std::int64_t end_ns, std::int64_t bytes);
  // Whether the block is complete: it covers ten seconds or has many entries.
  bool IsFull() const;
  // Returns the block's sums by key and begins the next block. If a launch's time arrives after its block was closed,
  // that part of the timeline counts as idle time or as another's.
  std::map<Key, Summed> Close();

 private:
  struct Device {
    std::int64_t taken_ns = 0;
    std::vector<BusyInterval> intervals;
  };
  struct Sum {
    Summed all;
    std::size_t number = 0;   // in the order of the first calls
    std::int64_t stride = 1;  // every stride-th call is a sample
  };

  std::map<Key, Sum> sums_;
  std::map<int, Device> devices_;
  std::size_t kept_ = 0;
  std::int64_t first_ns_ = 0, last_ns_ = 0;
};

}  // namespace culprit
