// SPDX-License-Identifier: Apache-2.0
// What a long program does, summed while it runs: by block, because nobody may ask it for more when it is killed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "db/timeline.h"

namespace culprit {

// Launches or copies of one kind, within a block.
struct Summed {
  std::int64_t calls = 0, bytes = 0;
  std::int64_t time_ns = 0, slowest_ns = 0;
  std::int64_t first_ns = 0, last_ns = 0;     // the first start and the last end
  double share_us = 0;                        // of the timeline, as SharesOf; no more than their time
  std::vector<std::int64_t> samples_ns = {};  // durations of some of them, evenly spread, in their order
};

class TraceSums {
 public:
  using Key = std::pair<int, int>;  // the caller's

  // On that device something ran until then that is not summed: its part of the timeline is taken.
  void Taken(int device, std::int64_t end_ns);

  void Add(Key key, int device, std::int64_t start_ns, std::int64_t end_ns, std::int64_t bytes);
  // It covers ten seconds, or what there is to keep of it is much.
  bool IsFull() const;
  // The block, of each key that was added; begins the next. What a launch has of the timeline of a block that was
  // closed when its time came is not in its share: it is idle time, or another's.
  std::map<Key, Summed> Close();

 private:
  struct Device {
    std::int64_t taken_ns = 0;
    std::vector<BusyInterval> intervals;
  };
  struct Sum {
    Summed all;
    std::size_t number = 0;   // in the order in which they were met
    std::int64_t stride = 1;  // every such call is among the samples
  };

  std::map<Key, Sum> sums_;
  std::map<int, Device> devices_;
  std::size_t kept_ = 0;
  std::int64_t first_ns_ = 0, last_ns_ = 0;
};

}  // namespace culprit
