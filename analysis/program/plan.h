// SPDX-License-Identifier: Apache-2.0
// Which launches of a program are worth their counters: to read those of a launch, it is run again and again.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/program/name_pattern.h"
#include "analysis/program/recording.h"
#include "db/trace.h"

namespace culprit {

struct CountingWishes {
  std::string profile = "core";           // "core" | "full"
  std::optional<NamePattern> names = {};  // of kernels that are counted, all of them; none: those with most time
  std::string range = {};                 // NVTX
  int launches = 3;                       // of each kernel and geometry
};

struct CountingPlan {
  TracePlan plan;
  std::vector<std::string> not_counted;  // of each class of the program: why it is not in the plan; empty: it is
  std::vector<std::size_t> exact;        // entries of `plan` whose exact counts are worth reading, in this order
};

// Chooses pairs of a kernel and a geometry: those with most time first, up to 24, until they have 95 % of it. In any
// case the costliest geometry of each of the 8 kernels with most time, and 8 pairs: what hardly matters may matter in
// another build. Beyond the 95 % nothing that has less than a thousandth. With `names` all pairs of these kernels.
//
// Exact counts take an execution for each pair, of which there are up to 8: kernels with most time first, each with its
// costliest geometry; further geometries after them. The costliest geometries of kernels that are named, or that have
// 95 % of the time together, are read however long it takes; others only while all of it takes no longer than a minute.
CountingPlan PlanCounting(const TimedProgram& timed, const CountingWishes& wishes);

// An execution that samples instructions: as densely as the least of the kernels that have 95 % of the time needs, but
// so that the whole program gives no more than CUPTI's buffers take.
TracePlan PlanSampling(const TimedProgram& timed);

// What is left of a plan whose execution ended early: without kernels that could not be replayed, and without launches
// that were counted. Nothing where no kernel is to blame, or nothing is left.
std::optional<TracePlan> PlanAgain(const TracePlan& plan, std::span<const ProcessTrace> counted);

// How long an execution that counts `plan` may take, where the timed one took `timed_s`. No launch that keeps its own
// limit makes it longer.
double CountingLimitS(const TracePlan& plan, double timed_s);

}  // namespace culprit
