// SPDX-License-Identifier: Apache-2.0
// What a program's GPUs did over its time.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/show/render/report.h"
#include "db/database.h"
#include "db/timeline.h"

namespace culprit {

// The part of the program that is shown; none: its start or end.
struct TimelinePart {
  std::optional<std::int64_t> from_ns = {}, to_ns = {};
};

// `kernels`: all launches of the run. Throws culprit::Error when the part has no time.
Report MakeTimelineReport(const RunSummary& run, const TimelineRecord& timeline, std::span<const KernelRecord> kernels,
                          const std::vector<Warning>& warnings, const TimelinePart& part = {});

// The sections of such a report, for another report of the run.
void AddTimelineSections(const RunSummary& run, const TimelineRecord& timeline, std::span<const KernelRecord> kernels,
                         Report& report);

}  // namespace culprit
