// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "db/database.h"
#include "db/timeline.h"

namespace culprit {

struct FoundTimeline {
  RunSummary run;
  TimelineRecord timeline;
};

// Of the run that `selector` names, by default the newest complete one. Throws culprit::Error that says how to record a
// timeline when the run has none.
FoundTimeline FindTimeline(const Database& database, const Selector& selector);

}  // namespace culprit
