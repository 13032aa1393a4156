// SPDX-License-Identifier: Apache-2.0
// How often the verdict was wrong on recorded pairs, as docs/evidence/noise.md shows it.
#pragma once
#include <string>

#include "tests/noise/recorded_pairs.h"

namespace culprit::testing {

// Markdown: a line for each kernel and one for all of them, each counting neighbours and distant processes.
std::string RecordedTable(const RecordedPairs& recorded);

}  // namespace culprit::testing
