// SPDX-License-Identifier: Apache-2.0
// What counter collectors take and give: work to run in, readings out. Includes no CUPTI header.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

// Work whose hardware activity is measured. Both functions are called many times.
struct Counted {
  std::function<void()> prepare;  // not measured: writes inputs, flushes caches; may be empty
  std::function<void()> launch;   // enqueues the work once, asynchronously; repeatable: same grid, same inputs
  std::size_t kernels = 1;        // how many kernels one launch starts; 0: not known
  std::string kernel = {};        // symbol of the kernel to count where only one can be counted; empty: the first
};

// The readings of one launch, one list per repetition. The first list has a Reading per metric of the collector's set,
// in the catalogue's order; later lists have the metrics that were read again.
using Repetitions = std::vector<std::vector<Reading>>;

}  // namespace culprit
