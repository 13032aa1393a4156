// SPDX-License-Identifier: Apache-2.0
// docs/strangers.md: what was said at first sight, and what is said of recordings today.
#pragma once
#include <span>
#include <string>

#include "tests/strangers/stranger_score.h"

namespace culprit::testing {

// What was said of one program of strangers. `first_sight`: the report as it was when `first` was first read, `first`
// judged today, and `all_counted`: another recording, with counters of all kernels.
struct FirstProgram {
  std::string first_sight;
  std::span<const StrangerCase> first;
  std::span<const StrangerCase> all_counted;
};

// `second_first_sight`: the report of the second program's recording as it was when that was first read.
std::string StrangerDocument(const FirstProgram& program, const std::string& second_first_sight);

}  // namespace culprit::testing
