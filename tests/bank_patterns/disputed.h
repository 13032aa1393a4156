// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "analysis/bank_model.h"
#include "tests/bank_patterns/measured.h"

namespace culprit::testing {

// Of 128-bit loads whose lanes pair up while some take no part, the patched code counts a few apart that the rule
// merges, and merges others like them; no rule for it was found ("all but lane 0, half the lane", but not "all but lane
// 31, half the lane"). Where the hardware's own counter contradicts the patched code in such a load and bears the model
// out, it decides.
inline bool Disputed(const MeasuredPattern& row, const BankCost& model) {
  const SharedAccess& access = row.pattern.access;
  return access.op == SharedOp::kLoad && access.lane_bytes == 16 &&
         std::ranges::count(access.address, kInactiveLane) > 0 && model.wavefronts != row.wavefronts && row.counter &&
         *row.counter != row.wavefronts && *row.counter == model.hardware && model.wavefronts == model.hardware;
}

// Of all rows; more would mean that the rule is wrong.
inline constexpr double kMostDisputed = 0.01;

}  // namespace culprit::testing
