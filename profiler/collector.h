// SPDX-License-Identifier: Apache-2.0
// The seam between "run this callable" and "what the hardware did". No CUPTI header leaks from here.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

// Enqueues the work under study once, asynchronously, on the current context. Called once per replay pass, so it must be
// repeatable: same grid, same inputs.
using Launch = std::function<void()>;

class Collector {
 public:
  virtual ~Collector() = default;
  // One Reading per metric of the set this collector was made for, in the catalogue's order, whatever happens:
  // what cannot be read has a status, never a value. Does not throw for a refusal; Trouble() explains it.
  virtual std::vector<Reading> Collect(const Launch& launch) = 0;
  // One sentence that tells the user what to do, if the last Collect did not read everything it was asked for.
  virtual const std::optional<Warning>& Trouble() const = 0;
};

}  // namespace culprit
