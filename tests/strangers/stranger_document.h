// SPDX-License-Identifier: Apache-2.0
// docs/strangers.md: what was said at first sight, and what is said of recordings today.
#pragma once
#include <span>
#include <string>

#include "tests/strangers/stranger_score.h"

namespace culprit::testing {

// `first_sight`: the report as it was when the recording was first read. `first`: the same recording, judged today;
// `second`: another, with counters of all kernels.
std::string StrangerDocument(const std::string& first_sight, std::span<const StrangerCase> first,
                             std::span<const StrangerCase> second);

}  // namespace culprit::testing
