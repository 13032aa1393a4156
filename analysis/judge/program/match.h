// SPDX-License-Identifier: Apache-2.0
// Matches the launches of two runs of a program. It distinguishes slower kernels from new, gone, split, fused and
// renamed ones.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit {

// Why launches of two runs count as the same work. The first rule that applies is used.
enum class MatchRule {
  kSame,         // name, grid, block, dynamic shared memory and NVTX range
  kOtherRange,   // all of these except the range
  kOtherLaunch,  // only the name; among several launches the nearest by range, block, calls, grid and order
  kSameCode,     // the machine code, but not the name
  kAlike,  // most words of the name, the number of calls, and the place between launches matched by the rules above
  kSplit,  // one launch of the base makes as many calls as several launches of that name in the candidate together
  kFused,  // the same with base and candidate exchanged
  kNew,
  kGone
};
// "same name, grid and range" | "same name, renamed range" | "same name, other launch" | "renamed: same code" |
// "renamed: alike" | "split" | "fused" | "new" | "gone"
std::string_view ToText(MatchRule rule);

// A group of launches that belong together: one of each run, one against several (kSplit, kFused), or a single one
// (kNew, kGone). `base` and `candidate` are indices in the arguments of MatchLaunches, in the order of the launches'
// first calls.
struct MatchedLaunches {
  MatchRule rule = MatchRule::kSame;
  std::vector<std::size_t> base, candidate;
};

// Each launch is in exactly one group. Groups are sorted by the first call of their launches in the candidate or, if
// they have none there, in the base. The groups depend neither on the order of the arguments' launches nor on which run
// is the base. For a launch without KernelRecord::program, the name is the stage's id, and the number of calls is that
// of its samples.
std::vector<MatchedLaunches> MatchLaunches(std::span<const KernelRecord> base, std::span<const KernelRecord> candidate);

}  // namespace culprit
