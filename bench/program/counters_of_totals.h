// SPDX-License-Identifier: Apache-2.0
// What follows from sampled totals together with executions of instructions: active lanes, sectors of global memory and
// of atomics, wavefronts and sectors that no conflict and no scattered address would need. The figures behind each rule
// are in docs/evidence/samples_as_counters.md.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/program/counters_of_samples.h"
#include "bench/program/executed_code.h"

namespace culprit {

// None: it was not sampled.
std::optional<SampledCounter> TotalOf(std::span<const Reading> totals, std::string_view id);

// The active lanes of an instruction on average, from the lanes that no predicate switches off. Nullopt: these were not
// sampled.
//
// An instruction with a guard has active lanes that its guard switches off. Half of the guarded ones count as switched
// off; the error covers none and all.
std::optional<SampledCounter> ActiveLanes(const ExecutedCode& code, std::span<const Reading> totals);

// `counters`: those of kinds of instructions, to which the results are added.
//   global sectors       look-ups in L1 less sectors of local memory. If there are atomics, global accesses get as many
//                        as they need if coalesced, and atomics the rest
//   excess sectors       global sectors beyond those that full warps need for the bytes that the code names
//   excess wavefronts    bank conflicts as the hardware counts them. It counts lost arbitration, too: 0.3 points of all
//                        wavefronts (median), below 10 in 97 % of 510 launches
//   the FMA pipe         instructions of its halves less those of half precision, which take both
//   replays of constants requests to the cache of constants less LDC instructions
void AddCountersOfTotals(const ExecutedCode& code, std::span<const Reading> totals,
                         std::vector<SampledCounter>& counters);

}  // namespace culprit
