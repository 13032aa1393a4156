// SPDX-License-Identifier: Apache-2.0
// Two kernels side by side: time, stall stack and every metric. No causes: this says what moved, not why.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/kernel/kernel_view.h"
#include "analysis/kernel/stall_stack.h"
#include "analysis/number/measured.h"

namespace culprit {

enum class ChangeKind {
  kNew,   // 0 in the base: no ratio
  kGone,  // 0 in the candidate
  kChanged,
  kSame,  // equal to the last digit
};

struct MetricDelta {
  std::string id, unit, meaning;
  double base = 0, candidate = 0;
  ChangeKind kind = ChangeKind::kSame;
  std::optional<double> change;  // candidate / base - 1; none for kNew
};

struct NotComparable {
  std::string id;
  Measured base, candidate;  // at least one is missing
};

struct StallDelta {
  std::string reason;
  Measured base_us, candidate_us;
};

struct Comparison {
  Measured base_us, candidate_us;
  std::vector<StallDelta> stalls;  // largest difference first
  // New and gone first, by size; then by |candidate - base| over the largest value that any metric of the same unit has
  // on either side, so that a huge ratio of a tiny count does not lead, and exchanging base and candidate keeps the
  // order. Those that IsUnchanged last.
  std::vector<MetricDelta> metrics;
  std::vector<NotComparable> not_comparable;
  std::vector<std::string> caveats;  // what differs besides the kernels: GPU, shape, run, L2 state
};

Comparison Compare(const KernelView& base, const KernelView& candidate);

// |ln(candidate / base)| < 0.0005, which people read as a change of 0.0 %. They are the last of Comparison::metrics.
inline constexpr std::string_view kUnchangedText = "0.05 %";
bool IsUnchanged(const MetricDelta& delta);

std::string_view ToText(ChangeKind kind);  // "new" | "gone" | "changed" | "same"

}  // namespace culprit
