// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "analysis/judge/blame/costs.h"
#include "profiler/code/asynchronous.h"

namespace culprit {
namespace {

// The barrier at which a sampled warp waits. The sample is at UCGABAR_WAIT itself, or at the instruction after a BAR.
int BarrierAt(const FunctionCosts& f, int i) {
  if (IsBarrier(f.decoded[i])) return i;
  return i > 0 && IsBarrier(f.decoded[i - 1]) ? i - 1 : -1;
}

// The mbarrier check that the instruction waits for: the nearest one before it in its block that sets its scoreboard.
int PhaseCheckOf(const FunctionCosts& f, int i) {
  for (int before = i - 1; before >= f.graph.blocks[f.graph.block_of[i]].first; --before) {
    const SassInstruction& setter = f.decoded[before];
    if (setter.write_scoreboard < 0 || (f.decoded[i].wait_mask >> setter.write_scoreboard & 1) == 0) continue;
    return IsPhaseCheck(setter) ? before : -1;
  }
  return -1;
}

// Empty: the sample belongs to the state `reason` itself.
std::string_view PartAt(const FunctionCosts& f, int i, std::string_view reason) {
  if (reason == "warpgroup_arrive") return states::kProducts;
  if (reason == "mio_throttle") return IsGroupProduct(f.decoded[i]) ? states::kProducts : "";
  if (reason == "barrier") {
    if (IsProductWait(f.decoded[i])) return states::kProducts;
    const int barrier = BarrierAt(f, i);
    return barrier >= 0 && IsLastBarrier(f.decoded, f.graph, barrier) ? states::kDone : "";
  }
  if (reason != "long_scoreboard") return "";
  const int check = PhaseCheckOf(f, i);
  if (check < 0) return "";
  const Phase phase = PhaseWaitedFor(f.decoded, f.graph, check);
  return phase == Phase::kCopy ? states::kCopies : phase == Phase::kRelease ? states::kRelease : "";
}

// One state has different names in samples and counters.
std::string CounterOf(std::string_view reason) { return std::string(reason == "warpgroup_arrive" ? "gmma" : reason); }

}  // namespace

StateParts PartsOf(const KernelCosts& kernel) {
  StateParts parts;
  std::map<std::string, double> all;
  for (const FunctionCosts& f : kernel.functions)
    for (int i = 0; i < static_cast<int>(f.costs.size()); ++i)
      for (const auto& [reason, us] : f.costs[i].waiting_us) {
        all[CounterOf(reason)] += us;
        if (const std::string_view part = PartAt(f, i, reason); !part.empty())
          parts[CounterOf(reason)][std::string(part)] += us;
      }
  for (auto& [state, shares] : parts)
    for (auto& [part, us] : shares) us /= all.at(state);
  return parts;
}

}  // namespace culprit
