// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

// One record per kernel and architecture in the text that `ptxas -v` prints, with source "compiler": registers,
// stack_frame_bytes, spill_store_bytes, spill_load_bytes, static_shared_bytes, and constant_bytes if ptxas counts
// bank 0. Digests are empty, because the report has no code. Lines that are not part of a report are skipped.
std::vector<BuildRecord> ReadResourceReport(std::string_view text);

}  // namespace culprit
