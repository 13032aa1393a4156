// SPDX-License-Identifier: Apache-2.0
// The end of a launch in which most SMs have run out of blocks.
#pragma once
#include <optional>
#include <span>

#include "analysis/timeline/phase_rates.h"
#include "db/database.h"

namespace culprit {

// The phases of the SMs with a warp are fitted by a step: one number of SMs until the tail begins, and at most half as
// many in it. The step may be inside a phase. Errors are one standard deviation. They are larger where a step does not
// fit the phases.
struct Tail {
  double share = 0;  // of the launch's time; 0: no tail
  // Of `share`. Without a tail: half of the longest one that the errors of the phases could hide.
  double share_error = 0;
  double sms = 0, sms_error = 0;  // with a warp, in the tail, on average
  double sms_before = 0;          // the same before the tail
};

// None: SMs are not among the rates, or the errors of their phases are too large to tell.
std::optional<Tail> TailOf(const KernelRecord& kernel, std::span<const PhaseRates> rates);

}  // namespace culprit
