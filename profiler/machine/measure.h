// SPDX-License-Identifier: Apache-2.0
// What the current GPU can do, measured by micro-benchmarks of a second in all: db/machine_figure.h lists the figures.
#pragma once
#include <vector>

#include "db/records.h"

namespace culprit {

// Of the current device, which `device` describes. To be called while nothing else runs on it; needs 1 GiB of its
// memory, or a sixteenth of it where that is less. Throws culprit::Error when a kernel cannot be launched or memory is
// short.
std::vector<MachineFigure> MeasureMachine(const Device& device);

}  // namespace culprit
