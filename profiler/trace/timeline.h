// SPDX-License-Identifier: Apache-2.0
// Divides a GPU's time among operations that run at the same time. Each of n operations gets 1/n of the time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace culprit {

struct BusyInterval {
  std::int64_t start_ns = 0, end_ns = 0;  // not before the start
  std::size_t key = 0;                    // the kernel or copy that ran
};

// In microseconds. The shares and the idle time add up to the span.
struct TimelineShares {
  std::vector<double> share_us;  // by key
  double idle_us = 0;            // the time in which nothing ran
  double span_us = 0;            // from the first start to the last end
};

// `keys`: the number of keys. O(n log n).
TimelineShares SharesOf(const std::vector<BusyInterval>& intervals, std::size_t keys);

}  // namespace culprit
