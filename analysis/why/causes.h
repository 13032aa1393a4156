// SPDX-License-Identifier: Apache-2.0
// The causes: THE list of what can make a kernel slower, and for each which waiting it can explain and which metrics
// must have moved. docs/causes.md is generated from it.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_view.h"
#include "analysis/measured.h"
#include "analysis/why/decompose.h"

namespace culprit {

struct Cause {
  std::string_view id;                     // stable; printed in JSON
  std::string_view title;                  // "an indexed array in local memory"
  std::string_view explains;               // which stalls or factors it can explain, for people
  std::string_view moves;                  // which metrics must have moved, and what speaks against it, for people
  std::vector<std::string_view> needs;     // ids for KernelView without which it cannot be judged
  std::vector<std::string_view> evidence;  // ids shown, in this order, where measured and moved
  std::string_view remedy;                 // what people do about it, one phrase
};

std::span<const Cause> Causes();
const Cause* FindCause(std::string_view id);

// Microseconds by cause id, both signs, of a difference that was decomposed. What no cause may claim stays in
// `unexplained_us`; the parts and it sum to the decomposition's difference. Antisymmetric in base and candidate.
struct Attribution {
  std::map<std::string, double, std::less<>> parts;
  double unexplained_us = 0;
};

// `counters` are those that the decomposition was made from: of one repetition, or the medians; the views give all
// other metrics.
Attribution Attribute(const KernelView& base, const KernelView& candidate, const Decomposition& decomposition);

}  // namespace culprit
