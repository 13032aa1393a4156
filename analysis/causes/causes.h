// SPDX-License-Identifier: Apache-2.0
// The causes: THE list of what can make a kernel slower, and for each which waiting it can explain and which metrics
// must have moved. docs/causes.md is generated from it.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace culprit {

struct Cause {
  std::string_view id;                     // stable; printed in JSON
  std::string_view title;                  // "an indexed array in local memory"
  std::string_view explains;               // which stalls or factors it can explain, for people
  std::string_view moves;                  // which metrics must have moved, and what speaks against it, for people
  std::vector<std::string_view> needs;     // ids for KernelView without which it cannot be judged
  std::vector<std::string_view> evidence;  // ids shown, in this order, where measured and moved
  std::string_view remedy;                 // what people do about it, one phrase
  // Ids of its own evidence: of a cause that came, one of the first rose or one of the second fell. Both empty: the
  // factor that it explains is the evidence.
  std::vector<std::string_view> rises = {}, falls = {};
};

std::span<const Cause> Causes();
const Cause* FindCause(std::string_view id);

}  // namespace culprit
