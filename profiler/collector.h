// SPDX-License-Identifier: Apache-2.0
// The seam between "run this callable" and "what the hardware did". No CUPTI header leaks from here.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

// Work whose hardware activity is to be read. Both are called many times.
struct Counted {
  std::function<void()> prepare;  // outside what is measured: put inputs in place, flush caches; may be empty
  std::function<void()> launch;   // enqueues the work once, asynchronously; repeatable: same grid, same inputs
  std::size_t kernels = 1;        // how many kernels one launch starts; 0: not known
  std::string kernel = {};        // the symbol of the one to count where only one can be counted; empty: the first
};

// What one launch read: one list per repetition. The first has a Reading per metric of the set that the collector was
// made for, in the catalogue's order; the others have those that were read again.
using Repetitions = std::vector<std::vector<Reading>>;

class Collector {
 public:
  virtual ~Collector() = default;
  // For each piece of work its repetitions, at least one, whatever happens: what cannot be read has a status, never a
  // value. Does not throw for a refusal; Trouble() explains it. Several are collected together because starting and
  // stopping a pass costs more than a short kernel.
  virtual std::vector<Repetitions> Collect(std::span<const Counted> work) = 0;
  // One sentence that tells the user what to do, if the last Collect did not read everything it was asked for.
  virtual const std::optional<Warning>& Trouble() const = 0;
};

}  // namespace culprit
