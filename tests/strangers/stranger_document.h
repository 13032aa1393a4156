// SPDX-License-Identifier: Apache-2.0
// docs/evidence/strangers.md: the answers at first sight, and today's answers. docs/evidence/blind.md: the blind sets.
// docs/evidence/strangers_by_default.md: the programs recorded without replays.
#pragma once
#include <span>
#include <string>

#include "tests/strangers/stranger_score.h"

namespace culprit::testing {

// The answers for one program of strangers. `first_sight`: the report as it was when `first` was first read, `first`
// judged today, and `all_counted`: another recording, with counters of all kernels.
struct FirstProgram {
  std::string first_sight;
  std::span<const StrangerCase> first;
  std::span<const StrangerCase> all_counted;
};

// `second_first_sight`: the first report on the second program's recording.
std::string StrangerDocument(const FirstProgram& program, const std::string& second_first_sight);

// The programs as `culprit record` records them by itself: counters sampled, and few replays.
std::string ByDefaultDocument(std::span<const StrangerCase> first, std::span<const StrangerCase> second);

// `first_sights`: the first reports on the recordings of the blind sets, in order.
std::string BlindDocument(std::span<const std::string> first_sights);

}  // namespace culprit::testing
