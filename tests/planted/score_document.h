// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tests/planted/score.h"

namespace culprit::testing {

// docs/evidence/score.md: the score of counters alone, and the change by samples.
std::string ScoreDocument(const Score& counters, const Score& sampled);

}  // namespace culprit::testing
