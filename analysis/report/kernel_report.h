// SPDX-License-Identifier: Apache-2.0
// The bottleneck report of one kernel (`culprit show`).
#pragma once
#include "analysis/causes/findings.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/kernel/memory_table.h"
#include "analysis/kernel/roofline.h"
#include "analysis/kernel/stall_stack.h"
#include "analysis/render/report.h"

namespace culprit {

Report MakeKernelReport(const KernelRecord& kernel);

// Which stage and launch it is: what follows AddRunHeader in a report of one kernel.
void AddKernelHeader(const KernelRecord& kernel, Report& report);

// Its sections, in the order in which they are shown.
Section MakeTimeSection(const KernelView& kernel);
Section MakeVerificationSection(const LaunchRecord& launch, bool is_of_program = false);
Section MakeRooflineSection(const Roofline& roofline);
Section MakeStallSection(const StallStackResult& result);
Section MakeMemorySection(const MemoryTables& tables);
Section MakeInterventionSection(const KernelRecord& kernel);
Section MakeFindingsSection(const KernelView& kernel, const Findings& findings);
Section MakeNotMeasuredSection(const KernelView& kernel, const Findings& findings);

}  // namespace culprit
