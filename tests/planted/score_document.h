// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "tests/planted/score.h"

namespace culprit::testing {

// docs/score.md.
std::string ScoreDocument(const Score& score);

}  // namespace culprit::testing
