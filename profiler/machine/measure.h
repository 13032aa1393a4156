// SPDX-License-Identifier: Apache-2.0
// Measures the current GPU's figures (db/machine_figure.h) with micro-benchmarks that take about one second in total.
#pragma once
#include <vector>

#include "db/records.h"

namespace culprit {

// Measures the current device, which `device` describes. Nothing else may run on it. Needs 1 GiB of its memory, or 1/16
// of it if that is less. `all_memory`: also takes most of the free memory, to see how far the TLBs reach. Throws
// culprit::Error when a kernel cannot be launched or memory runs out.
std::vector<MachineFigure> MeasureMachine(const Device& device, bool all_memory);

}  // namespace culprit
