// SPDX-License-Identifier: Apache-2.0
// Which launches of one run of a program are which of another: what merely got slower is told from what is new, gone,
// split, fused or renamed.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit {

// Why launches of two runs are held to be the same work: the first of these that holds, in this order.
enum class MatchRule {
  kSame,         // name, grid, block, dynamic shared memory and NVTX range
  kOtherRange,   // all of these but the range
  kOtherLaunch,  // the name; among several the nearest by range, block, calls, grid and order
  kSameCode,     // another name and the same machine code
  kAlike,  // names that share most of their words, as many calls, in the same place between launches matched above
  kSplit,  // several launches of the candidate make the calls that one of that name made in the base
  kFused,  // the reverse
  kNew,
  kGone
};
// "same name, grid and range" | "same name, renamed range" | "same name, other launch" | "renamed: same code" |
// "renamed: alike" | "split" | "fused" | "new" | "gone"
std::string_view ToText(MatchRule rule);

// Launches of both runs that belong together, by their places in what MatchLaunches was given: one of each, or one
// against several (kSplit, kFused), or one of one run alone (kNew, kGone). Several stand in the order in which the
// program first made them.
struct MatchedLaunches {
  MatchRule rule = MatchRule::kSame;
  std::vector<std::size_t> base, candidate;
};

// Each launch stands in exactly one group; groups stand in the order in which the program first made their launches,
// the candidate's where it has some. Neither the order of the launches given nor which run is called base changes what
// belongs together. A launch without KernelRecord::program counts as one with its stage's id as its name, called as
// often as it has samples.
std::vector<MatchedLaunches> MatchLaunches(std::span<const KernelRecord> base, std::span<const KernelRecord> candidate);

}  // namespace culprit
