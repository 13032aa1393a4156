// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tests/planted/score.h"

namespace culprit::testing {

// docs/score.md: of counters alone, and what samples change.
std::string ScoreDocument(const Score& counters, const Score& sampled);

}  // namespace culprit::testing
