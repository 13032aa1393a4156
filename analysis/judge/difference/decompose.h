// SPDX-License-Identifier: Apache-2.0
// A change of time split into parts that sum to it exactly.
//
// For one launch, let I = inst_issued, W_r = warp-cycles in state r, W = their sum, A = smsp_cycles_active,
// E = smsp_cycles_elapsed, f = SM clock of the timed samples, s = 4 x SMs (sub-partitions), T = median time. Then, for
// each r,
//
//   T_r = T x W_r / W                                                        (stall_stack.h)
//   T_r = I  x  W_r / I  x  A / W  x  E / A  x  1 / f  x  (T x f x s / E) / s
//         instructions  latency  parallelism  imbalance+tail  clock  launch
//
// The last factor is the time beyond the elapsed cycles: start and end of a launch, and gaps between its kernels.
// Each factor x contributes L(T_r of candidate, T_r of base) x ln(x_c / x_b). L is the logarithmic mean,
// L(a, b) = (a - b) / (ln a - ln b) and L(a, a) = a. This is LMDI-I: B. W. Ang, "LMDI decomposition approach: a guide
// for implementation", Energy Policy 86 (2015). If one of the launches never entered a state, the state's whole
// difference is `latency`, which is Ang's limit for zero values. So the parts sum to the difference, and exchanging
// base and candidate flips every sign.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/launch/kernel_view.h"
#include "analysis/launch/stall_stack.h"

namespace culprit {

enum class Factor { kInstructions, kLatency, kParallelism, kImbalance, kClock, kLaunch };
inline constexpr std::array kFactors = {Factor::kInstructions, Factor::kLatency, Factor::kParallelism,
                                        Factor::kImbalance,    Factor::kClock,   Factor::kLaunch};
// "instructions" | "latency_per_instruction" | "parallelism" | "imbalance_tail" | "clock" | "launch"
std::string_view ToText(Factor factor);

// One more state: the resident warp-cycles that are in no stall state.
inline constexpr const char* kUnattributed = "unattributed";

// The inputs of the decomposition for one launch. All are positive, except warp_cycles, which may be 0.
struct LaunchCounters {
  double time_us = 0;
  double instructions = 0;    // I
  double active = 0;          // A
  double elapsed = 0;         // E
  double clock_mhz = 0;       // f; 0: not measured, then `launch` includes the clock
  double sub_partitions = 0;  // s
  // W_r by reason, including "unattributed". A reason that is not here was not measured.
  std::map<std::string, double> warp_cycles;
  double done_cycles = 0;  // of warps that only stayed until others were done: TellApart took them from W

  double TotalWarpCycles() const;                    // W
  double CyclesIn(const std::string& reason) const;  // 0 if warps were never in it
};
// Splits states into parts in both launches if one of them has such parts. Cycles of finished warps are subtracted from
// the resident warp-cycles.
void TellApart(const StateParts& of_base, const StateParts& of_candidate, LaunchCounters& base,
               LaunchCounters& candidate);

// All reasons of the two.
std::set<std::string> ReasonsOf(const LaunchCounters& base, const LaunchCounters& candidate);

// The counters, or the sentence that says which is missing.
struct LaunchCountersResult {
  std::optional<LaunchCounters> counters;
  std::string why_not;
};
LaunchCountersResult CountersOf(const KernelView& kernel);

// One stall reason: the microseconds of each factor in it. They sum to candidate_us - base_us.
struct StallDifference {
  std::string reason;
  double base_us = 0, candidate_us = 0;
  std::map<Factor, double> by_factor;
  double base_cycles = 0, candidate_cycles = 0;  // warp-cycles

  double DeltaUs() const { return candidate_us - base_us; }
  // The change from more or fewer warp-cycles in this state: the factors instructions and latency together.
  double DemandUs() const { return by_factor.at(Factor::kInstructions) + by_factor.at(Factor::kLatency); }
};

struct Decomposition {
  double base_us = 0, candidate_us = 0;
  LaunchCounters base, candidate;       // with the states that both have
  std::vector<StallDifference> stalls;  // by reason
  std::map<Factor, double> factors;     // over all stalls
  // Reasons that were measured in only one launch. In both launches, "unattributed" includes them.
  std::set<std::string> one_sided;

  double DeltaUs() const { return candidate_us - base_us; }
  const StallDifference* Find(std::string_view reason) const;
};

Decomposition Decompose(const LaunchCounters& base, const LaunchCounters& candidate);

// L(a, b) for a, b > 0.
double LogarithmicMean(double a, double b);

}  // namespace culprit
