// SPDX-License-Identifier: Apache-2.0
// What samples show about a pair of kernels: the lines that cost more and, for causes, the instructions that made warps
// wait in each state. docs/lines.md explains how samples are divided among instructions.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/judge/blame/line_difference.h"
#include "analysis/judge/difference/decompose.h"
#include "db/database.h"

namespace culprit {

// A kernel that was sampled.
struct SampledKernel {
  KernelCosts costs;
  std::vector<InstructionRecord> counted;  // exact counts of its instructions, if there are any
  std::vector<SourceQuote> quotes = {};    // lines of its source
  // Cycles between two samples of an SM. A loop can run in step with the sampling period, so two periods may show
  // different lines. With 256 against 64 cycles (half of the samples at 64 were dropped), up to 29 % of the time was on
  // other lines (221 kernels, median 1.0 %). With 4,096 against 16,384 cycles, up to 1.4 % was (15 kernels).
  std::int64_t period_cycles = 0;
};

// The quotes of all its code.
std::vector<SourceQuote> QuotesOf(const SamplingRecord& sampling);

struct SampledPair {
  LineDifferences lines;
  // The arrays' share of waiting for local memory; the rest is for spilled registers. The two are distinguished by how
  // addresses are computed (local_access.h). None if no sample waits for local memory.
  std::optional<double> base_arrays, candidate_arrays;

  // The finer states within the counters' states, if samples show them.
  StateParts base_states = {}, candidate_states = {};

  // For reports on single instructions. Null if only the comparison is available.
  std::shared_ptr<const SampledKernel> base = nullptr, candidate = nullptr;

  // For each operation, the growth (`sign` > 0) or decrease of waiting for it in a state, in microseconds. Leaves out
  // operations that changed in the other direction.
  std::map<Operation, double> Grew(std::string_view state, double sign) const;
};

// Splits the states of the pair's counters by its samples.
inline void TellApart(const SampledPair& sampled, LaunchCounters& base, LaunchCounters& candidate) {
  TellApart(sampled.base_states, sampled.candidate_states, base, candidate);
}

// `same_source`: both were compiled from the same files.
SampledPair CompareSamples(const KernelCosts& base, const KernelCosts& candidate, bool same_source);

// The code that the kernel ran, with what each instruction cost by samples of this launch, which may have none. Null: no
// launch of the kernel in this run has its code.
std::optional<KernelCosts> LoadCode(const Database& database, const KernelRecord& kernel);
// Null where it has no samples or no time.
std::shared_ptr<const SampledKernel> LoadSampled(const Database& database, const KernelRecord& kernel);
// None where one of the two is null.
std::optional<SampledPair> LoadSamples(const Database& database, const KernelRecord& base,
                                       const KernelRecord& candidate);

}  // namespace culprit
