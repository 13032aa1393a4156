// SPDX-License-Identifier: Apache-2.0
// Short names of a run.
#pragma once
#include <string>

#include "db/records.h"

namespace culprit {

// "3f2a91bc", which is enough to identify a run.
inline std::string ShortUuid(const RunRecord& run) { return run.uuid.substr(0, 8); }

// Names the run in a command: ShortUuid, or the label of a run that comes from another tool's file. If the user gave the
// file in place of a run, no database has the run, and its label is the file's name.
std::string WordFor(const RunRecord& run);

}  // namespace culprit
