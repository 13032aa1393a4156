// SPDX-License-Identifier: Apache-2.0
// The static attributes of a stage for each architecture that it was built for. They need no GPU.
#pragma once
#include <span>
#include <string>

#include "analysis/launch/static_view.h"
#include "analysis/show/render/report.h"
#include "db/database.h"

namespace culprit {

// One row per build: registers, stack frame, spills, shared memory, code size, maximum threads, theoretical occupancy,
// limiter.
ReportTable MakeStaticTable(std::span<const BuildRecord> builds);

// Every attribute of one build, with the value from each source and whether they agree.
Section MakeStaticSection(const StaticView& statics, const std::string& arch);

// `culprit show` for a stage without a launch. Says so, and how to measure it.
Report MakeStaticReport(const RunSummary& run, const StageRecord& stage, std::span<const BuildRecord> builds,
                        const std::vector<Warning>& warnings);

Unit UnitOfAttribute(std::string_view name);

}  // namespace culprit
