// SPDX-License-Identifier: Apache-2.0
// What a cause says of one kernel.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel/kernel_view.h"

namespace culprit {

// weight_us orders findings and is one of two things, which `text` tells apart:
//   stall time     the part T_r of the stall stack that this cause can explain
//   resource time  what a saturated unit needs at its peak for the work of this kernel
// sharing.h says how both are shared out among causes. A weight is no prediction of a gain, and weights overlap: one
// stall can be named by two findings.
struct Opinion {
  std::string text;  // one sentence with its numbers
  std::optional<double> weight_us;
  std::string brief;  // the same in about 60 characters, for one line per kernel
  bool good = false;  // nothing holds the kernel back: it is near what the hardware can do
};

class Sharing;

// A pure function of a kernel's facts.
struct FindingRule {
  std::vector<std::string_view> needs = {};  // ids for KernelView; `judge` is called only when all of them are there
  std::optional<Opinion> (*judge)(const Sharing&) = nullptr;  // null: the cause is one of pairs alone
  std::vector<std::string_view> also = {};                    // shown as evidence where present
};

}  // namespace culprit
