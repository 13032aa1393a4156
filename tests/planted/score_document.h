// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tests/planted/score.h"

namespace culprit::testing {

// docs/evidence/score.md: the score of counters alone, the change by samples, and the score of sampled counters.
std::string ScoreDocument(const Score& counters, const Score& sampled, const Score& cheap, const Score& loop);

}  // namespace culprit::testing
