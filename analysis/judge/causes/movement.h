// SPDX-License-Identifier: Apache-2.0
// How the demand on one unit of the machine changed between two kernels, and how much of the change belongs to each
// cause.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/judge/causes/wait.h"
#include "analysis/number/range.h"

namespace culprit {

// Smaller changes of a count are ignored, because repeated counts of one kernel differ by 0.6 %
// (docs/evidence/cupti.md).
inline constexpr double kCountsRepeatWithin = 0.01;

// Demand is counted in the work items of one hardware unit: wavefronts for the shared-memory pipe, sectors for the
// memory system, issue slots for the schedulers. Every warp that waits for this unit waits for such items.
class Movement {
 public:
  using Units = std::map<std::string, Range, std::less<>>;

  // The demand is `from` in the base and `to` in the candidate. The change belongs to this cause. `alike`: what is not
  // known of both is one number, so both are at the same place of their ranges.
  void Add(std::string_view cause, const Range& from, const Range& to, bool alike = false);
  // Moves `units` (positive or negative) from cause `one` to cause `other`.
  void Pass(std::string_view one, std::string_view other, const Range& units);
  // Moves up to `units` from the other causes to `cause`, because their change is its consequence. Takes from each
  // cause in proportion, and only if it changed in the same direction.
  void Reassign(std::string_view cause, const Range& units);

  // The changes in the direction of `sign` (+1: more in the candidate) that are larger than noise, as positive numbers.
  Units Moved(int sign) const;
  // All changes, of both signs, noise included.
  const Units& ByCause() const { return by_cause_; }
  const Range& from() const { return from_; }
  const Range& to() const { return to_; }

 private:
  Range from_, to_;
  Units by_cause_;
};

// The change of all causes' demand on the unit that warps in this state wait for.
Movement MovementOf(Wait wait, const Askers& pair);

// --- the units of the machine that work for a kernel, and for which causes ---

inline constexpr std::string_view kDataPipe = "data pipe";  // of an SM: shared memory and L1

// The work of one unit for two kernels.
struct UnitWork {
  std::string_view unit;  // for people: "data pipe"
  Movement movement;
  double cycles = 1;      // cycles of a sub-partition for one unit of the movement
  Range base, candidate;  // all work, including work of unknown causes; in the movement's unit
};

// Issue slots, arithmetic pipes, the data pipe of an SM (shared memory and L1), L2, its busiest slice, device memory and
// the link to the host.
std::vector<UnitWork> WorkOf(const Askers& pair);

}  // namespace culprit
