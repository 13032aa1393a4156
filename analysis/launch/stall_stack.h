// SPDX-License-Identifier: Apache-2.0
// Divides the time of one kernel among warp states. A resident warp is in exactly one state each cycle, so the
// warp-cycles of all states, W_r (metrics stall_*, smsp__warps_issue_stalled_<r>), sum to the resident warp-cycles W
// (warps_active). With the unprofiled time T: T_r = T x W_r / W.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/kernel_view.h"
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
  Measured time_us;              // T; missing when the launch was only counted; the shares do not need it
  double warps_active = 0;       // W
  std::vector<StallPart> parts;  // the measured ones, largest first
  double closure = 0;            // sum of W_r / W: 1 when the parts are complete
  // T x (1 - closure). Negative when replay passes counted slightly more stalls than resident warps.
  Measured unattributed_us;
  struct Missing {
    std::string reason;
    Absence why;
  };
  std::vector<Missing> missing;  // reasons that were requested but not measured
};

// No stack when W was not measured, W is 0, or no reason was measured. Then the sentence `why_not` says which.
struct StallStackResult {
  std::optional<StallStack> stack;
  std::string why_not;
};

StallStackResult MakeStallStack(const KernelView& kernel);

// The total of all states relative to W, as the base for their percentages. It is 1, or the sum of the states when
// replay passes counted more stalls than resident warps. Ignores rounding.
double WholeOf(const StallStack& stack);

// Counters include these in other states; samples separate them (judge/blame/state_parts.h).
namespace states {
inline constexpr std::string_view kProducts = "wgmma";            // waits for matrix products of a warpgroup
inline constexpr std::string_view kCopies = "mbarrier_copy";      // waits for a bulk copy
inline constexpr std::string_view kRelease = "mbarrier_release";  // waits for a free buffer to copy into
inline constexpr std::string_view kDone = "done";                 // waits for other warps: nothing is left to do
}  // namespace states

// State of the counters -> the shares of its cycles in the states above.
using StateParts = std::map<std::string, std::map<std::string, double>>;

// The largest part that is a wait; `selected` (issuing) and `not_selected` (ready) are not. Null when there is none.
const StallPart* TopStall(const StallStack& stack);

}  // namespace culprit
