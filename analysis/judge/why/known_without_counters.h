// SPDX-License-Identifier: Apache-2.0
// What differs between two kernels as far as no counter is needed: the launch, what the driver says of the kernel, its
// machine code, and where its warps waited by samples. It says nothing of which of these made the time.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/kernel_view.h"

namespace culprit {

struct KernelCosts;  // analysis/judge/blame/costs.h

struct KnownDifference {
  // A line with some of the instructions, in the kernel that has more of them.
  struct Line {
    std::string file;
    int line = 0;
    double instructions = 0;
  };
  std::string what;  // "registers of a thread"
  std::string unit;  // as the catalogue of metrics writes it
  Measured base, candidate;
  // Of instructions of a kind: the lines with most of them, at most three. Empty: the code has no lines.
  std::vector<Line> at = {};
};

// Only what differs. In this order: local memory, occupancy and the rest of the launch; the code's instructions by kind
// and width and its loops; the time of each warp state, the largest difference first. The codes are those of
// LoadCode (sampled_pair.h); null: not known. Without samples, nothing is said of the states.
std::vector<KnownDifference> KnownWithoutCounters(const KernelView& base, const KernelView& candidate,
                                                  const KernelCosts* base_code = nullptr,
                                                  const KernelCosts* candidate_code = nullptr);

// "local memory of a thread 0 -> 184, registers of a thread 128 -> 64": the first three. Empty if there are none.
std::string FirstOf(std::span<const KnownDifference> known);

}  // namespace culprit
