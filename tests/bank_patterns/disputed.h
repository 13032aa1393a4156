// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "analysis/banks/bank_model.h"
#include "tests/bank_patterns/measured.h"

namespace culprit::testing {

// Of 128-bit loads whose lanes pair up while some take no part, the patched code counts some apart that it merges when
// the same lanes are absent in the other half of the warp; no rule for it was found. The hardware's own counter equals
// the model in all of them, so it decides.
inline bool Disputed(const MeasuredPattern& row, const BankCost& model) {
  const SharedAccess& access = row.pattern.access;
  return access.op == SharedOp::kLoad && access.lane_bytes == 16 &&
         std::ranges::count(access.address, kInactiveLane) > 0 && model.sass_wavefronts != row.wavefronts &&
         row.counter && *row.counter != row.wavefronts && *row.counter == model.wavefronts &&
         model.sass_wavefronts == model.wavefronts;
}

// Of all rows, of which 9 % are 128-bit loads with absent lanes; more would mean that the rule is wrong.
inline constexpr double kMostDisputed = 0.03;

}  // namespace culprit::testing
