// SPDX-License-Identifier: Apache-2.0
// Where the time of one kernel went. A resident warp is in exactly one state each cycle, so the warp-cycles of all
// states, W_r (metrics stall_*, smsp__warps_issue_stalled_<r>), sum to the resident warp-cycles W (warps_active).
// Weighted with the unprofiled time T that gives T_r = T x W_r / W.
#pragma once
#include <string>
#include <vector>

#include "analysis/kernel/kernel_view.h"
#include "analysis/number/measured.h"

namespace culprit {

struct StallPart {
  std::string reason;   // "long_scoreboard"
  std::string metric;   // "stall_long_scoreboard"
  std::string meaning;  // the catalogue's words
  double warp_cycles = 0;
  double share = 0;  // W_r / W
  Measured time_us;  // T_r
};

struct StallStack {
  Measured time_us;              // T; missing when the launch was only counted: the shares stand without it
  double warps_active = 0;       // W
  std::vector<StallPart> parts;  // largest first; measured ones only
  double closure = 0;            // sum of W_r over W: 1 when the parts explain everything
  // T x (1 - closure). Negative when replay passes saw slightly more stalls than resident warps.
  Measured unattributed_us;
  struct Missing {
    std::string reason;
    Absence why;
  };
  std::vector<Missing> missing;  // reasons that were asked for and not measured
};

// nullopt when W was not measured, W is 0, or no reason was measured; `why_not` then says which, as a sentence.
struct StallStackResult {
  std::optional<StallStack> stack;
  std::string why_not;
};

StallStackResult MakeStallStack(const KernelView& kernel);

// What the states are parts of, over W: their sum where replay passes saw more of them than resident warps, else 1. The
// rounding of a sum is not more.
double WholeOf(const StallStack& stack);

// The largest part that is waiting: `selected` is work and `not_selected` spare parallelism. Null when there is none.
const StallPart* TopStall(const StallStack& stack);

}  // namespace culprit
