// SPDX-License-Identifier: Apache-2.0
// Medians of repeated readings. Database::StoreReadings takes the medians, StoreRepeats all values.
#pragma once
#include <span>
#include <vector>

#include "db/records.h"

namespace culprit {

// For an even number of values, the mean of the two middle ones. NaN if there are none.
double Median(std::vector<double> values);

// One reading per metric, in the order of the first repetition. It is the median over the repetitions that read the
// metric. If none did, it has the first repetition's status.
std::vector<Reading> Medians(std::span<const std::vector<Reading>> repetitions);

}  // namespace culprit
