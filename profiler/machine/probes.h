// SPDX-License-Identifier: Apache-2.0
// The parts of MeasureMachine: each measures one kind of figure on the current device and adds it to `into`. Each
// throws culprit::Error when a kernel cannot be launched or memory is short.
#pragma once
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

using Figures = std::vector<MachineFigure>;

void AddFigure(Figures& into, std::string_view name, double value, double setting = 0);

void MeasurePipes(const Device& device, Figures& into);       // operations of a thread in a cycle of an SM
void MeasureBandwidths(const Device& device, Figures& into);  // bytes in a cycle of an SM
void MeasureLatencies(const Device& device, Figures& into);
void MeasureAtomics(const Device& device, Figures& into);
void MeasureControl(const Device& device, Figures& into);   // instruction fetch, barriers
void MeasureLaunches(const Device& device, Figures& into);  // what a launch costs, and how much its time varies

}  // namespace culprit
