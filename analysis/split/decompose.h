// SPDX-License-Identifier: Apache-2.0
// A change of time split into parts that sum to it exactly.
//
// Of one launch: I = inst_issued, W_r = warp-cycles in state r, W = their sum, A = smsp_cycles_active,
// E = smsp_cycles_elapsed, f = SM clock of the timed samples, s = 4 x SMs (sub-partitions), T = median time. Then, for
// each r,
//
//   T_r = T x W_r / W                                                        (stall_stack.h)
//   T_r = I  x  W_r / I  x  A / W  x  E / A  x  1 / f  x  (T x f x s / E) / s
//         instructions  latency  parallelism  imbalance+tail  clock  launch
//
// where the last factor is what the time holds beyond the elapsed cycles: start and end of a launch, gaps between the
// kernels of one. Each factor x contributes L(T_r of candidate, T_r of base) x ln(x_c / x_b), with the logarithmic mean
// L(a, b) = (a - b) / (ln a - ln b), L(a, a) = a: LMDI-I, B. W. Ang, "LMDI decomposition approach: a guide for
// implementation", Energy Policy 86 (2015). A state that one of the two never entered has its difference in `latency`
// alone: the limit that Ang gives for zero values. So the parts sum to the difference, and exchanging base and
// candidate flips every sign.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel/kernel_view.h"
#include "analysis/kernel/warp_states.h"

namespace culprit {

enum class Factor { kInstructions, kLatency, kParallelism, kImbalance, kClock, kLaunch };
inline constexpr std::array kFactors = {Factor::kInstructions, Factor::kLatency, Factor::kParallelism,
                                        Factor::kImbalance,    Factor::kClock,   Factor::kLaunch};
// "instructions" | "latency_per_instruction" | "parallelism" | "imbalance_tail" | "clock" | "launch"
std::string_view ToText(Factor factor);

// The part of the resident warp-cycles that is in no stall state, as one more state.
inline constexpr const char* kUnattributed = "unattributed";

// What the decomposition needs of one launch. All positive, but for warp_cycles, which may be 0.
struct LaunchCounters {
  double time_us = 0;
  double instructions = 0;    // I
  double active = 0;          // A
  double elapsed = 0;         // E
  double clock_mhz = 0;       // f; 0: not measured, then clock and launch are one factor: launch
  double sub_partitions = 0;  // s
  // W_r by reason, "unattributed" for the part of W in none of them. A reason that is not here was not measured.
  std::map<std::string, double> warp_cycles;

  double TotalWarpCycles() const;                    // W
  double CyclesIn(const std::string& reason) const;  // 0 where warps were never seen in it
};
// Tells the parts of both apart where one of them has any. Warps that are done are as good as gone, as they are where
// they may leave: their cycles count as no warp's.
void TellApart(const StateParts& of_base, const StateParts& of_candidate, LaunchCounters& base,
               LaunchCounters& candidate);

// The reasons of both.
std::set<std::string> ReasonsOf(const LaunchCounters& base, const LaunchCounters& candidate);

// Or the sentence that says which counter is missing.
struct LaunchCountersResult {
  std::optional<LaunchCounters> counters;
  std::string why_not;
};
LaunchCountersResult CountersOf(const KernelView& kernel);

// One stall reason: the microseconds that each factor put into it. They sum to candidate_us - base_us.
struct StallDifference {
  std::string reason;
  double base_us = 0, candidate_us = 0;
  std::map<Factor, double> by_factor;
  double base_cycles = 0, candidate_cycles = 0;  // warp-cycles

  double DeltaUs() const { return candidate_us - base_us; }
  // Work and waiting of this state: warp-cycles that came or went, whatever their number per instruction.
  double DemandUs() const { return by_factor.at(Factor::kInstructions) + by_factor.at(Factor::kLatency); }
};

struct Decomposition {
  double base_us = 0, candidate_us = 0;
  LaunchCounters base, candidate;       // with the states that both have
  std::vector<StallDifference> stalls;  // by reason
  std::map<Factor, double> factors;     // over all stalls
  // Measured for one of the two alone: they are among the unattributed of both.
  std::set<std::string> one_sided;

  double DeltaUs() const { return candidate_us - base_us; }
  const StallDifference* Find(std::string_view reason) const;
};

Decomposition Decompose(const LaunchCounters& base, const LaunchCounters& candidate);

// L(a, b) for a, b > 0.
double LogarithmicMean(double a, double b);

}  // namespace culprit
