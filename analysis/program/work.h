// SPDX-License-Identifier: Apache-2.0
// Of what a part of a program's time is a part.
#pragma once
#include <map>
#include <optional>
#include <span>

#include "db/database.h"

namespace culprit {

// The time in which kernels or copies ran, which their shares add up to: the span without what was idle, such as the
// start of a program between its first copy and its first kernel. None where the span was not measured.
inline std::optional<double> WorkUs(const ProgramRecord& program) {
  if (!program.span_us || !program.idle_us) return std::nullopt;
  return *program.span_us - *program.idle_us;
}

// The work of one run in its two kinds.
struct Work {
  double kernels_us = 0;
  std::map<CopyKind, double> copies_us = {};

  double CopiesUs() const;
  double Us() const { return kernels_us + CopiesUs(); }
};

// Whether launches have a share of a timeline each, and the timeline a span.
bool HasTimeline(const RunSummary& run, std::span<const KernelRecord> launches);

// Of all calls of a launch: its share of the timeline, else the sum of their times. None: not measured.
std::optional<double> UsOf(const KernelRecord& launch, bool of_timeline);

// What the launches and copies of a run add up to. None where a launch has no time.
std::optional<Work> WorkOf(const RunSummary& run, std::span<const KernelRecord> launches, bool of_timeline);

}  // namespace culprit
