// SPDX-License-Identifier: Apache-2.0
// Chooses which launches of a program to count, because counting replays a launch many times.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/launch/name_pattern.h"
#include "bench/program/timed_program.h"
#include "profiler/trace/trace.h"

namespace culprit {

inline constexpr int kUsualLaunches = 3;

struct CountingWishes {
  std::string set = "core";               // of counters: "core" | "full"
  std::optional<NamePattern> names = {};  // names of the kernels to count; none: those with most time
  std::string range = {};                 // NVTX
  int launches = kUsualLaunches;          // to count per kernel and geometry
  std::optional<double> most_s = {};      // expected of all replays together; none: as long as they take
};

struct CountingPlan {
  TracePlan plan;
  std::vector<std::string> not_counted;  // per class of the program: why it is not in the plan; empty: it is
  std::vector<std::size_t> exact;        // entries of `plan` to count exactly, in this order
  // A sentence for each kernel that seems to wait, or that would take longer than `most_s` by itself.
  std::vector<std::string> skipped;
  double expected_s = 0;  // that all replays take; a lower bound where nobody saw how much memory the program used
};

// Chooses up to 24 pairs of a kernel and a geometry:
//   - the pairs with most time, until they have 95 % of it
//   - the costliest geometry of each of the 8 kernels with most time, and further pairs until there are 8; these may
//     matter in another build, so each needs only a thousandth of the time
//   - if `names` is given: all pairs of these kernels, and no others
//
// `most_s` is for counting that nobody asked for. A kernel that no longer fits is left out, and those after it are still tried.
//
// Left out are kernels that would not end when they are replayed alone, as far as the timed execution shows it: those of
// NCCL and NVSHMEM if several GPUs or processes work together, and those whose sampled counters show that they did nearly
// nothing for a millisecond or more.
//
// Exact counts need one execution per pair, so there are at most 8: first the costliest geometry of each kernel, by
// time, then further geometries. Pairs of named kernels, or of kernels with 95 % of the time, are always counted.
// Others are counted only while all of this takes no longer than a minute.
CountingPlan PlanCounting(const TimedProgram& timed, const CountingWishes& wishes);

// How long replays that nobody asked for may take together, in one more execution: so long that the recording still takes
// at most 2.2 times the program and 5 s (docs/evidence/record_costs.md). 0: no replay is worth that execution, because the
// program takes longer than some 4 s, or because at most one list of counters missed most kernels. Without the last list
// alone, 155 of 168 planted causes come first instead of 161 (docs/evidence/cupti.md).
double UnaskedReplayS(const TimedProgram& timed);

// A plan for an execution that samples instructions. The period is short enough for the shortest kernel among those
// with 95 % of the time, but long enough for CUPTI's buffers over the whole program.
TracePlan PlanSampling(const TimedProgram& timed);

// The rest of a plan whose execution ended early: without kernels that could not be replayed, and without launches that
// were already counted. None if no such kernel ended the execution, or if nothing is left.
std::optional<TracePlan> PlanAgain(const TracePlan& plan, std::span<const ProcessTrace> counted);

// The time limit of an execution that counts `plan`, if the timed execution took `timed_s`. Every launch may take its
// own limit: what CUPTI needs to start, its passes, and the time to save and restore the memory in use for each pass.
double CountingLimitS(const TracePlan& plan, double timed_s);

}  // namespace culprit
