// SPDX-License-Identifier: Apache-2.0
// The bottleneck report of one kernel (`culprit show`).
#pragma once
#include "analysis/judge/causes/findings.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/launch/memory_table.h"
#include "analysis/show/render/report.h"

namespace culprit {

Report MakeKernelReport(const KernelRecord& kernel);

// Adds the facts about stage and launch to a report on one kernel. Call it after AddRunHeader.
void AddKernelHeader(const KernelRecord& kernel, Report& report);

// The title of a finding's weight.
inline constexpr const char* kAffects = "Affects";
inline constexpr const char* kAffectsNote =
    "Affects: the part of the kernel's time that warps wait because of it, or that a saturated unit needs for it. "
    "These "
    "times overlap, so they do not add up, and they are no estimate of a gain.";

// Sections that have files of their own.
Section MakeMemorySection(const MemoryTables& tables);
Section MakeInterventionSection(const KernelRecord& kernel);
Section MakeFindingsSection(const KernelView& kernel, const Findings& findings);
Section MakeNotMeasuredSection(const KernelView& kernel, const Findings& findings);

}  // namespace culprit
