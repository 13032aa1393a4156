// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/causes/wait.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "profiler/code/chip.h"

namespace culprit {
namespace {

// Every request costs latency, no matter how much it brings. It counts as four sectors at each level that it passes, as
// many as a coalesced 32-bit access has.
constexpr double kRequest = 4;

bool UsesLocal(const Demand& d) { return d.local.high > 0 || d.local_l1.high > 0 || d.local_requests.high > 0; }

// For each sector at L1, the share that passes each level.
Range Depth(const Asker& a, const Range& l1, const Range& l2, const Range& dram) {
  if (l1.high <= 0) return 1.0;
  // At each level, a request costs at most one request's worth of that level.
  return AtEnds(
      [&](double at_l1, double at_l2, double at_dram) {
        return at_l1 > 0 ? 1 + (a.machine.L2OverL1() * at_l2 + a.machine.DramOverL1() * at_dram) / at_l1 : 1;
      },
      l1, l2, dram);
}

// In one cycle, L1 looks up one line of four sectors and delivers up to four sectors.
constexpr double kSectorsPerCycle = 4;
Range ExcessAtL1(const KernelView& k, const Demand& d) {
  if (d.excess_l1.high <= 0) return 1.0;
  const Measured busy = k.Get("l1_throughput_pct") * Measured(0.01) * k.Get("smsp_cycles_active");
  const bool known = busy && d.excess_l1.IsPoint() && d.shared_all.IsPoint() && d.shared_atomic.IsPoint();
  if (!known) return {1, kSectorsPerCycle};
  const double others =
      d.shared_all.low + d.shared_atomic.low + (d.sectors_l1.low - d.excess_l1.low) / kSectorsPerCycle;
  const double cycles = (*busy / kSubPartitions - others) / d.excess_l1.low;
  return std::clamp(cycles * kSectorsPerCycle, 1.0, kSectorsPerCycle);
}

Asker Begun(const KernelView& kernel, const Demand& demand) {
  Asker a{kernel, demand, MachineOf(kernel.record().run.run), LocalOf(kernel), {}, {}};
  a.at_l2 = a.machine.L2OverL1();
  a.at_dram = a.machine.DramOverL1();
  if (demand.host_sectors) a.at_host = a.machine.HostOverL1();
  // A cycle of one slice is a cycle of all SMs. L1 serves a sector in a cycle of a sub-partition.
  if (demand.camped_requests) a.at_slice = kSubPartitions * *kernel.Get("sm_count") / kOneLineRequests;
  a.excess_at_l1 = ExcessAtL1(kernel, demand);
  return a;
}

}  // namespace

LocalMemory LocalOf(const KernelView& kernel) {
  const Measured spilled = kernel.Get("spill_store_bytes"), frame = kernel.Get("stack_frame_bytes");
  if (spilled && *spilled == 0) return LocalMemory::kArray;
  if (!spilled || !frame) return LocalMemory::kUnknown;
  return *frame - *spilled <= *spilled ? LocalMemory::kSpill : LocalMemory::kArray;
}

Range Above(const Range& sectors, const Range& below) { return Max(sectors - below, 0.0); }

std::span<const WarpState> WarpStates() {
  using enum Wait;
  static constexpr WarpState kStates[] = {{"selected", kIssue, true, true},
                                          {"not_selected"},
                                          {"long_scoreboard", kMemory},
                                          {"short_scoreboard", kResult},
                                          {"mio_throttle", kQueue},
                                          {"lg_throttle", kMemory},
                                          {"tex_throttle"},
                                          {"barrier", kBarrier},
                                          {"membar"},
                                          {"wait", kFixed, true, true},
                                          {"math_pipe_throttle", kPipe, true, true},
                                          {"dispatch_stall", kIssue, true, true},
                                          {"branch_resolving", kBranch, true, true},
                                          {"no_instruction", kFetch, true, true},
                                          {"imc_miss", kConstant},
                                          {"drain", kMemory},
                                          {"sleeping"},
                                          {"misc"},
                                          {"gmma", kWarpgroup, false},
                                          {states::kProducts, kWarpgroup, false},
                                          {states::kCopies, kMemory, false}};
  return kStates;
}

std::optional<Wait> WaitOf(std::string_view state) {
  const auto found = std::ranges::find(WarpStates(), state, &WarpState::name);
  return found == WarpStates().end() ? std::nullopt : found->wait;
}

Asker AskerAlone(const KernelView& kernel, const Demand& demand) {
  Asker a = Begun(kernel, demand);
  a.alone = true;
  return a;
}

bool Askers::ShareCostAtL1() const {
  const auto is_open = [](const Asker& a) {
    const Demand& d = a.demand;
    return !a.excess_at_l1.IsPoint() && d.excess_l1.IsPoint() && d.excess_l2.IsPoint() && d.excess_dram.IsPoint();
  };
  return is_open(base) && is_open(candidate);
}

Range Asker::OfCaches(const Range& l1, const Range& l2, const Range& dram) const {
  return alone ? Above(l1, dram) : AtL1() * Above(l1, l2) + AtL2() * Above(l2, dram);
}
Range Asker::OfDram(const Range& l1, const Range& dram) const { return alone ? Min(dram, l1) : AtDram() * dram; }

Askers::Askers(const KernelView& base_kernel, const Demand& from, const KernelView& candidate_kernel, const Demand& to)
    : base(Begun(base_kernel, from)), candidate(Begun(candidate_kernel, to)) {
  for (Asker* a : {&base, &candidate}) {
    a->local_request =
        Depth(*a, from.local_l1 + to.local_l1, from.local_l2 + to.local_l2, from.local_dram + to.local_dram) * kRequest;
    a->global_request =
        Depth(*a, from.useful_l1 + to.useful_l1, from.useful_l2 + to.useful_l2, from.useful_dram + to.useful_dram) *
        kRequest;
  }
  if (!from.host_sectors || !to.host_sectors) base.at_host = candidate.at_host = 0;
  if (!from.camped_requests || !to.camped_requests) base.at_slice = candidate.at_slice = 0;
  const bool unknown = (UsesLocal(from) && base.local == LocalMemory::kUnknown) ||
                       (UsesLocal(to) && candidate.local == LocalMemory::kUnknown);
  if (unknown) base.local = candidate.local = LocalMemory::kUnknown;
}

void Askers::TellArrays(std::optional<double> of_base, std::optional<double> of_candidate) {
  const auto reported = [](const Asker& a, std::optional<double> sampled) {
    const Measured spilled = a.kernel.Get("spill_store_bytes"), frame = a.kernel.Get("stack_frame_bytes");
    if (spilled && *spilled == 0) return std::optional(1.0);
    if (spilled && frame && *frame <= *spilled) return std::optional(0.0);
    return sampled;
  };
  of_base = reported(base, of_base);
  of_candidate = reported(candidate, of_candidate);
  if ((UsesLocal(base.demand) && !of_base) || (UsesLocal(candidate.demand) && !of_candidate)) return;
  base.arrays = of_base.value_or(0);
  candidate.arrays = of_candidate.value_or(0);
}

Range GrowthOf(const StallDifference& stall, const Decomposition& d) {
  const auto growth = [](double from, double to) {
    return from > 0 && to > 0 ? std::abs(std::log(to / from)) : std::numeric_limits<double>::infinity();
  };
  double least = growth(stall.base_cycles, stall.candidate_cycles);
  for (const std::span<const std::string_view> unit :
       {std::span<const std::string_view>(kMemoryStates), std::span<const std::string_view>(kResultStates)}) {
    const bool of_memory = unit.front() == kMemoryStates.front();
    if (std::ranges::find(unit, stall.reason) == unit.end() && !(of_memory && stall.reason == states::kCopies))
      continue;
    double from = 0, to = 0;
    bool all = true;
    if (const StallDifference* copies = d.Find(states::kCopies); of_memory && copies != nullptr) {
      from += copies->base_cycles;
      to += copies->candidate_cycles;
    }
    for (const std::string_view reason : unit)
      if (const StallDifference* other = d.Find(reason)) {
        from += other->base_cycles;
        to += other->candidate_cycles;
      } else {
        all = false;
      }
    // The growth may have any smaller value.
    if (!all) return {0, least};
    if ((to - from) * stall.DemandUs() > 0) least = std::min(least, growth(from, to));
  }
  return least;
}

}  // namespace culprit
