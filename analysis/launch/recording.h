// SPDX-License-Identifier: Apache-2.0
// The short name of a run.
#pragma once
#include <string>

#include "db/records.h"

namespace culprit {

// "3f2a91bc", which is enough to identify a run.
inline std::string ShortUuid(const RunRecord& run) { return run.uuid.substr(0, 8); }

}  // namespace culprit
