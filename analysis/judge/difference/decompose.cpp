// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/difference/decompose.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/number/name_in.h"

namespace culprit {
namespace {

constexpr std::string_view kStall = "stall_";

// The factors of one T_r except W_r / I, which is the only one that can be 0.
using Ratios = std::map<Factor, double>;

// 1 / f. Without clocks it is 1, and the factor launch includes the clock.
double InverseClock(const LaunchCounters& c, bool both_have_clocks) { return both_have_clocks ? 1 / c.clock_mhz : 1; }

// A GPU with more of them has more parallelism. If the number is not known, both are assumed to be equal.
double SubPartitions(const LaunchCounters& c) { return c.sub_partitions > 0 ? c.sub_partitions : 1; }

// The factors that all states of one launch have in common.
struct Side {
  const LaunchCounters& counters;
  double warp_cycles;
  Ratios ratios;

  Side(const LaunchCounters& c, bool both_have_clocks) : counters(c), warp_cycles(c.TotalWarpCycles()) {
    const double inverse_clock = InverseClock(c, both_have_clocks);
    ratios = {{Factor::kInstructions, c.instructions},
              {Factor::kParallelism, c.active / warp_cycles / SubPartitions(c)},
              {Factor::kImbalance, c.elapsed / c.active},
              {Factor::kClock, inverse_clock},
              {Factor::kLaunch, c.time_us * SubPartitions(c) / (c.elapsed * inverse_clock)}};
  }
};

// If a reason was not requested for the other launch, it cannot be compared, so it goes to "unattributed".
void Merge(LaunchCounters& one, const LaunchCounters& other, std::set<std::string>& one_sided) {
  double merged = 0;
  std::erase_if(one.warp_cycles, [&](const auto& state) {
    const bool alone = state.first != kUnattributed && !other.warp_cycles.contains(state.first);
    if (alone) one_sided.insert(state.first);
    if (alone) merged += state.second;
    return alone;
  });
  if (merged > 0) one.warp_cycles[kUnattributed] += merged;
}

// The microseconds of one state, split by factor. See the head of decompose.h.
StallDifference Split(const std::string& reason, const Side& base, const Side& candidate) {
  const double base_cycles = base.counters.CyclesIn(reason), candidate_cycles = candidate.counters.CyclesIn(reason);
  StallDifference stall{reason,
                        base.counters.time_us * base_cycles / base.warp_cycles,
                        candidate.counters.time_us * candidate_cycles / candidate.warp_cycles,
                        {},
                        base_cycles,
                        candidate_cycles};
  for (const Factor factor : kFactors) stall.by_factor[factor] = 0;
  if (base_cycles == 0 || candidate_cycles == 0) {
    stall.by_factor[Factor::kLatency] = stall.DeltaUs();
    return stall;
  }
  const double weight = LogarithmicMean(stall.candidate_us, stall.base_us);
  double others = 0;
  for (const auto& [factor, ratio] : base.ratios)
    others += stall.by_factor[factor] = weight * std::log(candidate.ratios.at(factor) / ratio);
  // Latency is the remainder, which equals weight x ln((W_r / I) of candidate / of base). So the parts sum exactly.
  stall.by_factor[Factor::kLatency] = stall.DeltaUs() - others;
  return stall;
}

}  // namespace

std::string_view ToText(Factor factor) {
  using enum Factor;
  return NameIn<Factor>({{kInstructions, "instructions"},
                         {kLatency, "latency_per_instruction"},
                         {kParallelism, "parallelism"},
                         {kImbalance, "imbalance_tail"},
                         {kClock, "clock"},
                         {kLaunch, "launch"}},
                        factor);
}

double LogarithmicMean(double a, double b) {
  const double log_ratio = std::log(a / b);
  // expm1(x) / x keeps its precision if a is close to b.
  return log_ratio == 0 ? a : b * std::expm1(log_ratio) / log_ratio;
}

double LaunchCounters::TotalWarpCycles() const {
  double total = 0;
  for (const auto& [reason, cycles] : warp_cycles) total += cycles;
  return total;
}

double LaunchCounters::CyclesIn(const std::string& reason) const {
  const auto found = warp_cycles.find(reason);
  return found == warp_cycles.end() ? 0 : found->second;
}

void TellApart(const StateParts& of_base, const StateParts& of_candidate, LaunchCounters& base,
               LaunchCounters& candidate) {
  const std::pair<const StateParts*, LaunchCounters*> sides[] = {{&of_base, &base}, {&of_candidate, &candidate}};
  for (const auto& [parts, of_side] : sides)
    for (const auto& [state, shares] : *parts)
      for (const auto& [part, share] : shares)
        if (part != states::kDone)
          for (LaunchCounters* both : {&base, &candidate}) both->warp_cycles[part] += 0;
  for (const auto& [parts, c] : sides)
    for (const auto& [state, shares] : *parts) {
      const auto found = c->warp_cycles.find(state);
      if (found == c->warp_cycles.end()) continue;
      const double all = found->second;
      for (const auto& [part, share] : shares) {
        found->second = std::max(0.0, found->second - share * all);
        (part == states::kDone ? c->done_cycles : c->warp_cycles[part]) += share * all;
      }
    }
}

std::set<std::string> ReasonsOf(const LaunchCounters& base, const LaunchCounters& candidate) {
  std::set<std::string> reasons;
  for (const LaunchCounters* c : {&base, &candidate})
    for (const auto& [reason, cycles] : c->warp_cycles) reasons.insert(reason);
  return reasons;
}

LaunchCountersResult CountersOf(const KernelView& kernel) {
  if (!kernel.WasCounted()) return {std::nullopt, kernel.WhyNotCounted()};
  LaunchCounters c;
  const auto missing = [&](std::string_view what) {
    return LaunchCountersResult{std::nullopt, kernel.record().stage.id + " has no " + std::string(what) +
                                                  "; see 'culprit show' for what was not measured."};
  };
  const std::pair<const char*, double*> needs[] = {{"time_us", &c.time_us},
                                                   {"inst_issued", &c.instructions},
                                                   {"smsp_cycles_active", &c.active},
                                                   {"smsp_cycles_elapsed", &c.elapsed}};
  for (const auto& [id, value] : needs) {
    const Measured measured = kernel.Get(id);
    if (!measured || *measured <= 0) return missing(id);
    *value = *measured;
  }
  const Measured warps = kernel.Get("warps_active");
  if (!warps || *warps <= 0) return missing("warps_active");
  double total = 0;
  for (const Reading& reading : kernel.record().readings) {
    if (!reading.metric.id.starts_with(kStall)) continue;
    const Measured cycles = kernel.Get(reading.metric.id);
    if (cycles && c.warp_cycles.try_emplace(reading.metric.id.substr(kStall.size()), *cycles).second) total += *cycles;
  }
  if (total <= 0) return missing("stall reasons");
  // Passes differ slightly, so the parts may sum to slightly more than the whole. Then their sum is used as the whole.
  if (total < *warps) c.warp_cycles[kUnattributed] = *warps - total;
  c.clock_mhz = kernel.time().clock_mhz.value_or(0);
  c.sub_partitions = 4 * kernel.Get("sm_count").value_or(0);
  return {c, ""};
}

const StallDifference* Decomposition::Find(std::string_view reason) const {
  const auto found = std::find_if(stalls.begin(), stalls.end(), [&](const auto& s) { return s.reason == reason; });
  return found == stalls.end() ? nullptr : &*found;
}

Decomposition Decompose(const LaunchCounters& base, const LaunchCounters& candidate) {
  Decomposition result{base.time_us, candidate.time_us, base, candidate, {}, {}, {}};
  Merge(result.base, result.candidate, result.one_sided);
  Merge(result.candidate, result.base, result.one_sided);
  const bool clocks = base.clock_mhz > 0 && candidate.clock_mhz > 0;
  const Side from(result.base, clocks), to(result.candidate, clocks);
  for (const Factor factor : kFactors) result.factors[factor] = 0;
  for (const std::string& reason : ReasonsOf(result.base, result.candidate)) {
    result.stalls.push_back(Split(reason, from, to));
    for (const auto& [factor, us] : result.stalls.back().by_factor) result.factors[factor] += us;
  }
  return result;
}

}  // namespace culprit
