// SPDX-License-Identifier: Apache-2.0
// The parts of MeasureMachine. Each measures one kind of figure on the current device and adds it to `into`. Each
// throws culprit::Error when a kernel cannot be launched or memory runs out.
#pragma once
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

using Figures = std::vector<MachineFigure>;

void AddFigure(Figures& into, std::string_view name, double value, double setting = 0);

void MeasurePipes(const Device& device, Figures& into);       // thread-level operations per SM and cycle
void MeasureBandwidths(const Device& device, Figures& into);  // bytes per SM and cycle
void MeasureLatencies(const Device& device, Figures& into);
void MeasureHost(const Device& device, Figures& into);         // loads from memory of the host
void MeasureRandomLoads(const Device& device, Figures& into);  // of more and more of the free device memory
void MeasureAtomics(const Device& device, Figures& into);
void MeasureControl(const Device& device, Figures& into);   // instruction fetch, barriers
void MeasureLaunches(const Device& device, Figures& into);  // the cost of a launch, and how much its time varies

}  // namespace culprit
