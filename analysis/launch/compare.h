// SPDX-License-Identifier: Apache-2.0
// Compares two kernels: time, stall stack, every metric, and what their stages state. Shows what changed, without causes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/launch/kernel_view.h"
#include "analysis/launch/stall_stack.h"
#include "analysis/number/measured.h"

namespace culprit {

enum class ChangeKind {
  kNew,   // 0 in the base, so no ratio
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
  // New and gone metrics come first, the largest first. Changed ones follow, by |candidate - base| / the largest value
  // of any metric of that unit on either side. So a huge ratio of a tiny count does not lead, and exchanging both sides
  // keeps the order. Unchanged ones (IsUnchanged) come last.
  std::vector<MetricDelta> metrics;
  std::vector<NotComparable> not_comparable;
  std::vector<std::string> caveats;  // other differences: GPU, shape, run, L2 state
};

Comparison Compare(const KernelView& base, const KernelView& candidate);

// Unchanged: |ln(candidate / base)| < 0.0005, so that the change rounds to 0.0 %.
inline constexpr std::string_view kUnchangedText = "0.05 %";
bool IsUnchanged(const MetricDelta& delta);

std::string_view ToText(ChangeKind kind);  // "new" | "gone" | "changed" | "same"

// Whether both are the same machine code, launched with the same grid, block and dynamic shared memory.
bool IsSameCode(const KernelRecord& base, const KernelRecord& candidate);

// --- the factors in which two stages differ, as they state them ---

// A single change makes the pair a one-factor experiment.
struct FactorChange {
  std::string factor;  // "loop nest"
  std::string base,
      candidate;  // "k->m->n", "m->n->k"; "none" when the stage does not state the factor, as in view `edge`
};

// Sorted by factor.
std::vector<FactorChange> FactorChanges(const StageRecord& base, const StageRecord& candidate);

// "loop nest: k->m->n => m->n->k"
std::string ToText(const FactorChange& change);

}  // namespace culprit
