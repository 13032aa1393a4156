// SPDX-License-Identifier: Apache-2.0
// Single calls of a program have no clock. The launches that were counted have cycles and a time.
#pragma once
#include <optional>
#include <string>

#include "db/database.h"

namespace culprit {

// MHz, while its counters were read; none where they were not.
std::optional<double> CountedClock(const KernelRecord& kernel);

// What may differ where code and launch are the same: "its inputs or what ran beside it differ; ...". The clock is left
// out where both were counted at one clock: then it is known well enough.
std::string WhatIsLeft(const KernelRecord& base, const KernelRecord& candidate);

}  // namespace culprit
