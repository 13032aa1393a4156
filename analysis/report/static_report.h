// SPDX-License-Identifier: Apache-2.0
// Static attributes: what the compiler made of a stage, for every architecture it was built for. Needs no GPU.
#pragma once
#include <span>
#include <string>

#include "analysis/kernel/static_view.h"
#include "analysis/render/report.h"
#include "db/database.h"

namespace culprit {

// One row per build: registers, stack frame, spills, shared memory, code size, maximum threads, theoretical occupancy,
// limiter.
ReportTable MakeStaticTable(std::span<const BuildRecord> builds);

// Every attribute of one build, with what each source says and whether they agree.
Section MakeStaticSection(const StaticView& statics, const std::string& arch);

// `show` for a stage that was never launched: says so, and how to measure.
Report MakeStaticReport(const RunSummary& run, const StageRecord& stage, std::span<const BuildRecord> builds,
                        const std::vector<Warning>& warnings);

Unit UnitOfAttribute(std::string_view name);

}  // namespace culprit
