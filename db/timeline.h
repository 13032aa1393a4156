// SPDX-License-Identifier: Apache-2.0
// Who has the time of a GPU on which several things run at once: where n of them do, each has an n-th.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace culprit {

struct BusyInterval {
  std::int64_t start_ns = 0, end_ns = 0;  // not before the start
  std::size_t key = 0;                    // whose it is: a kernel's, a copy's
};

// Microseconds. The shares and what is idle add up to the span.
struct TimelineShares {
  std::vector<double> share_us;  // by key
  double idle_us = 0;            // in which nothing ran
  double span_us = 0;            // from the first start to the last end
};

// `keys`: how many there are. O(n log n).
TimelineShares SharesOf(const std::vector<BusyInterval>& intervals, std::size_t keys);

}  // namespace culprit
