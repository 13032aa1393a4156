// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include "tests/planted/accuracy.h"

namespace culprit::testing {

// docs/evidence/planted.md.
std::string AccuracyReport(std::span<const JudgedPair> judged);

}  // namespace culprit::testing
