// SPDX-License-Identifier: Apache-2.0
// What samples of instructions show of a pair of kernels: which lines cost more, and, for causes, who made warps wait
// in each state. docs/lines.md has how samples are shared out.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/blame/line_difference.h"
#include "analysis/split/decompose.h"
#include "db/database.h"

namespace culprit {

// A kernel that was sampled.
struct SampledKernel {
  KernelCosts costs;
  std::vector<InstructionRecord> counted;  // exact counts of its instructions, as far as there are any
  std::vector<SourceQuote> quotes = {};    // of its source
};

// Of all its code.
std::vector<SourceQuote> QuotesOf(const SamplingRecord& sampling);

struct SampledPair {
  LineDifferences lines;
  // Of the time that warps waited for local memory, the part in which it was for an array's, by how addresses are made
  // (local_access.h), and not for spilled registers. None where no warp was seen to wait for any.
  std::optional<double> base_arrays, candidate_arrays;

  // What their states' cycles are of, where samples tell.
  StateParts base_states = {}, candidate_states = {};

  // Cycles between two samples of an SM. Loops keep time with some of them, so that samples at another period are of
  // other moments: of 221 kernels sampled every 256 and every 64 cycles (half of these were dropped) up to 29 % of the
  // time stood on other lines (median 1.0 %), of 15 sampled every 4,096 and 16,384 up to 1.4 %.
  std::int64_t base_period = 0, candidate_period = 0;

  // For what is said of single instructions; null where only the comparison is at hand.
  std::shared_ptr<const SampledKernel> base = nullptr, candidate = nullptr;

  // By how many microseconds more (`sign` > 0) or less warps waited in a state because of instructions that do this; of
  // those operations alone of which it is so.
  std::map<Operation, double> Grew(std::string_view state, double sign) const;
};

// Of the pair's counters.
inline void TellApart(const SampledPair& sampled, LaunchCounters& base, LaunchCounters& candidate) {
  TellApart(sampled.base_states, sampled.candidate_states, base, candidate);
}

// `same_source`: both were compiled from the same files.
SampledPair CompareSamples(const KernelCosts& base, const KernelCosts& candidate, bool same_source);

// None where one of the two was not sampled, or has no time.
std::optional<SampledPair> LoadSamples(const Database& database, const KernelRecord& base,
                                       const KernelRecord& candidate);

}  // namespace culprit
