// SPDX-License-Identifier: Apache-2.0
// Which launches of a program are worth their counters: to read those of a launch, it is run again and again.
#pragma once
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "analysis/program/recording.h"
#include "db/trace.h"

namespace culprit {

struct CountingWishes {
  std::string profile = "core";          // "core" | "full"
  std::optional<std::regex> names = {};  // of kernels that are counted, all of them; none: those with most time
  std::string range = {};                // NVTX
  int launches = 3;                      // of each kernel and geometry
};

struct CountingPlan {
  TracePlan plan;
  std::vector<std::string> not_counted;  // of each class of the program: why it is not in the plan; empty: it is
  std::size_t exact = 0;                 // of so many of its kernels, the first, exact counts are worth reading
};

// Kernels with most time first, until they are 24, or have 95 % of it and are 8: one that hardly matters may in another
// build be what matters. Beyond the 95 % none that has less than a thousandth. Exact counts are read of up to 8, each
// in an execution of its own; beyond the 95 % only while these executions take no longer than a minute.
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
