// SPDX-License-Identifier: Apache-2.0
// How the demand on one unit of the machine changed between two kernels, and which cause each part of the change
// belongs to.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "analysis/causes/wait.h"
#include "analysis/number/range.h"

namespace culprit {

// Demand in units of service of one unit: wavefronts for the shared-memory pipe, sectors for the memory system, issue
// slots for the schedulers. All that waits for this unit waits for these.
class Movement {
 public:
  using Units = std::map<std::string, Range, std::less<>>;

  // `from` units asked for in the base, `to` in the candidate: what came or went is this cause's.
  void Add(std::string_view cause, const Range& from, const Range& to);
  // Of what the one cause holds, `units` (of either sign) are the other's.
  void Pass(std::string_view one, std::string_view other, const Range& units);
  // Moves up to `units` of what the other causes hold to `cause`, from each in proportion: they are its consequence.
  // Takes only from causes that moved in the same direction.
  void Reassign(std::string_view cause, const Range& units);

  // Units by cause that moved in the direction of `sign` (+1: more in the candidate), by more than noise. Not below 0.
  Units Moved(int sign) const;
  // All that moved, of either sign, however little.
  const Units& ByCause() const { return by_cause_; }
  const Range& from() const { return from_; }
  const Range& to() const { return to_; }

 private:
  Range from_, to_;
  Units by_cause_;
};

// The demand on what warps wait for, of all causes.
Movement MovementOf(Wait wait, const Askers& pair);
}  // namespace culprit
