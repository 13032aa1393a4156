// SPDX-License-Identifier: Apache-2.0
// One function per rule; analysis/causes/findings.cpp lists them.
#pragma once
#include "analysis/causes/findings.h"

namespace culprit {

FindingRule LocalMemoryArrayRule();
FindingRule LocalMemorySpillRule();

FindingRule SharedTrafficRule();
FindingRule SharedBankConflictsRule();
FindingRule SharedAccessWidthRule();

FindingRule GlobalUncoalescedRule();
FindingRule GlobalAccessWidthRule();

FindingRule DramTrafficRule();
FindingRule L2TrafficRule();
FindingRule L1TrafficRule();

FindingRule ExposedLatencyRule();
FindingRule OccupancyRegistersRule();
FindingRule OccupancySharedRule();
FindingRule OccupancyBlockRule();

FindingRule ImbalanceTailRule();
FindingRule BarrierRule();

FindingRule FmaPipeRule();
FindingRule Fp64PipeRule();
FindingRule SfuPipeRule();

FindingRule InstructionCountRule();
FindingRule DivergenceRule();
FindingRule InstructionCacheRule();
FindingRule ConstantCacheRule();
FindingRule RegisterBankDispatchRule();

}  // namespace culprit
