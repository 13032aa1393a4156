// SPDX-License-Identifier: Apache-2.0
// Of readings that were taken several times: what Database::StoreReadings wants where StoreRepeats has them all.
#pragma once
#include <span>
#include <vector>

#include "db/records.h"

namespace culprit {

// The mean of the two middle values of an even number; NaN of none.
double Median(std::vector<double> values);

// One reading per metric, in the order of the first repetition: the median over the repetitions that read it, else the
// status that the first one gave.
std::vector<Reading> Medians(std::span<const std::vector<Reading>> repetitions);

}  // namespace culprit
