// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/find_timeline.h"

#include <fmt/core.h>

#include <utility>

#include "analysis/launch/recording.h"

namespace culprit {

FoundTimeline FindTimeline(const Database& database, const Selector& selector) {
  RunSummary run = database.FindRun(selector);
  std::optional<TimelineRecord> timeline = database.Timeline(run.id);
  if (!timeline)
    throw Error(fmt::format("run {} has no timeline: record one with 'culprit record --profile sampled -- PROGRAM'.",
                            ShortUuid(run.run)));
  return {std::move(run), std::move(*timeline)};
}

}  // namespace culprit
