// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

#include "tests/planted/score.h"
#include "tests/planted/small_changes.h"
#include "tests/planted/two_phases.h"

namespace culprit::testing {

// Of pairs and of small changes.
std::vector<Residual> AllResiduals(const Score& score, std::span<const SmallChange> small);

// docs/evidence/score.md: the score of counters alone, the change by samples, the score of sampled counters, and small
// changes.
std::string ScoreDocument(const Score& counters, const Score& sampled, const Score& cheap, const Score& both,
                          const Score& loop, std::span<const SmallChange> small, const std::vector<TwoPhases>& phases);

}  // namespace culprit::testing
