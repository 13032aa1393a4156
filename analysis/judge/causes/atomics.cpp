// SPDX-License-Identifier: Apache-2.0
// Atomics that collide at one address or in one unit of L2.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/judge/causes/rooms.h"
#include "analysis/launch/instruction_counts.h"
#include "analysis/number/format.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

// Warps do not wait for requests that are a smaller share of all requests to memory.
constexpr double kFew = 0.05;

Range Asks(Wait wait, const Asker& a) {
  const Demand& d = a.demand;
  const auto at_l2 = [&] { return (a.alone ? 1 : a.AtL2()) * (d.atomic_sectors + d.atomic_l2_cycles); };
  switch (wait) {
    case Wait::kMemory:
      return at_l2();
    case Wait::kResult:
    case Wait::kQueue:
      // Global atomics also pass the queue. In a kernel with only such atomics, warps wait there.
      return d.shared_atomic + (a.of_unit || a.alone ? 0.0 : d.shared_atomic_inst) +
             (a.alone ? d.atomic : at_l2() * a.HeldUp());
    default:
      return AsInstructions(wait, a, d.atomic + d.shared_atomic_inst);
  }
}

// Twice the time of a load while device memory is saturated. Waiting beyond this is not latency.
constexpr double kMostLatency = 2 * h200::kBusyDramCycles;

// The part of the growth of waiting per load that cannot be latency. 0: atomics did not double.
double BeyondLatency(const Demand& faster, const Demand& slower, const Decomposition& d) {
  const StallDifference* const waited = d.Find("long_scoreboard");
  if (waited == nullptr || !(slower.atomic_sectors.low > 2 * faster.atomic_sectors.high)) return 0;
  const bool rises = d.DeltaUs() > 0;
  const auto of_load = [](double cycles, const Demand& k) {
    return cycles / (k.global_requests + k.local_requests + k.atomics_returning).high;
  };
  const double before = of_load(rises ? waited->base_cycles : waited->candidate_cycles, faster);
  const double now = of_load(rises ? waited->candidate_cycles : waited->base_cycles, slower);
  return now > std::max(before, kMostLatency) ? (now - std::max(before, kMostLatency)) / (now - before) : 0;
}

// SM cycles for each request of one lane to the words of one line, by one unit of L2 (tests/planted/parts on an H100:
// 422,400 requests in 1,065,257 cycles).
constexpr double kContendedCycles = 2.5;

// The part of the slow-down that the additional atomics take if all of them meet in one unit of L2.
double OneUnit(const Demand& faster, const Demand& slower, const Decomposition& d) {
  const auto cycles = [](const LaunchCounters& c) { return c.elapsed / c.sub_partitions; };
  const double grew = (cycles(d.candidate) - cycles(d.base)) * (d.DeltaUs() > 0 ? 1 : -1);
  const double more = slower.atomic_l2_cycles.low - faster.atomic_l2_cycles.high;
  return grew > 0 && more > 0 ? std::min(1.0, more * kContendedCycles / grew) : 0;
}

// If the loads are the same and atomics were added, the loads queue behind the atomics: the share of the additional
// waiting for loads.
double HeldUp(const Askers& pair, const Decomposition& d) {
  const bool rises = d.DeltaUs() > 0;
  const Demand &faster = (rises ? pair.base : pair.candidate).demand,
               &slower = (rises ? pair.candidate : pair.base).demand;
  const auto alike = [](const Range& a, const Range& b) {
    return a.IsPoint() && b.IsPoint() && a.high > 0 && b.high > 0 && std::abs(std::log(b.high / a.high)) < kAlikeLog;
  };
  if (!alike(faster.global_requests, slower.global_requests) || !alike(faster.sectors_l1, slower.sectors_l1)) return 0;
  return std::max(BeyondLatency(faster, slower, d), OneUnit(faster, slower, d));
}

// No counter shows reductions (RED) that collide at one address. No warp waits for their result, but at its end a warp
// waits until they have left the SM (drain). The growth of this state shows how much they delay other accesses to
// memory. Warps wait for atomics that return a value as for loads. If there are hardly any loads, this waiting belongs
// to the atomics.
std::vector<RestShare> TakesRest(const Askers& pair, const Decomposition& d) {
  std::vector<RestShare> takes;
  const Demand& slower = d.DeltaUs() > 0 ? pair.candidate.demand : pair.base.demand;
  const Range others = slower.local_requests + slower.global_requests;
  const auto part = [](double of, double rest) { return of + rest > 0 ? of / (of + rest) : 0.0; };
  const Range atomics(part(slower.atomic.low, others.high), part(slower.atomic.high, others.low));
  const StallDifference* drain = d.Find("drain");
  if (drain == nullptr && atomics.high > kFew)
    for (const std::string_view state : kMemoryStates) takes.push_back({state, {0, 1}});
  if (drain != nullptr && drain->DemandUs() * d.DeltaUs() > 0 && atomics.high > kFew) {
    const double least = std::min(drain->base_cycles, drain->candidate_cycles);
    const double grew = least > 0 ? std::log(std::max(drain->base_cycles, drain->candidate_cycles) / least) : INFINITY;
    for (const std::string_view state : kMemoryStates)
      if (const StallDifference* stall = d.Find(state)) {
        const Range growth = GrowthOf(*stall, d);
        const double least_share = growth.high > 0 && atomics.low > kFew ? std::min(1.0, grew / growth.high) : 0;
        const double most_share = growth.low > 0 ? std::min(1.0, grew / growth.low) : growth.high > 0 ? 1.0 : 0.0;
        takes.push_back({state, {least_share, most_share}});
      }
    // They also wait in the queue before the data pipe, in proportion to their share of it.
    const Range all = others + slower.shared + slower.shared_atomic_inst;
    for (const std::string_view state : kResultStates)
      if (const StallDifference* stall = d.Find(state)) {
        const double growth = GrowthOf(*stall, d).high;
        const double share = growth > 0 ? std::min(1.0, grew / growth) : 0;
        takes.push_back({state, {share * part(slower.atomic.low, all.high), part(slower.atomic.high, all.low)}});
      }
  }
  const Range returning(part(slower.atomics_returning.low, others.high),
                        part(slower.atomics_returning.high, others.low));
  if (returning.high > 1 - kFew) takes.push_back({"long_scoreboard", {returning.low > 1 - kFew ? 1.0 : 0.0, 1.0}});
  // A block that continues, or has a barrier, before its end does not wait for them in drain.
  if (const double held_up = HeldUp(pair, d); held_up > 0) takes.push_back({"long_scoreboard", held_up});
  return takes;
}

// Reported if warps wait at least a tenth of the time.
constexpr double kMinAtomicShare = 0.10;
constexpr std::array<std::string_view, 1> kSelf = {"atomics"};

std::optional<Opinion> Judge(const Sharing& k) {
  const double wait = k.WaitUs({"long_scoreboard", "lg_throttle", "drain", "short_scoreboard", "mio_throttle"}, kSelf);
  const double share = wait / k.At("time_us");
  if (!(share >= kMinAtomicShare)) return std::nullopt;
  const double global = k.At("global_atom_requests") + k.At("global_red_requests");
  const double shared = k.At("shared_atom_wavefronts") + k.Get("shared_swap_wavefronts").value_or(0);
  return Opinion{fmt::format("Atomics, {} warp requests to global memory and {} wavefronts of shared memory: {} ({}) "
                             "waits for them.",
                             Format(global, Unit::kCount), Format(shared, Unit::kCount), Format(wait, Unit::kTimeUs),
                             Format(100 * share, Unit::kPercent)),
                 wait, fmt::format("{} waits for atomics", Format(100 * share, Unit::kPercent))};
}

std::optional<Removal> WithoutAtomics(const Sharing& k) { return WithoutMemory(k, kSelf); }

double AtomicInstructions(const InstructionRecord& i) {
  // Compares whole opcodes, because REDUX reduces over a warp's registers and does not access memory.
  constexpr std::string_view kAtomics[] = {"ATOM", "ATOMG", "ATOMS", "RED", "REDG", "REDS"};
  const bool atomic = std::find(std::begin(kAtomics), std::end(kAtomics), i.opcode) != std::end(kAtomics);
  return atomic ? std::max(CountOf(i, "sass_inst"), CountOf(i, "sass_global_inst")) : 0;
}

}  // namespace

Cause Atomics() {
  return {
      .id = "atomics",
      .title = "contended atomics",
      .saves = "fewer or less contended atomics",
      .explains =
          "long_scoreboard, lg_throttle, drain; of shared memory also short_scoreboard, mio_throttle and "
          "issued instructions",
      .moves =
          "atomic sectors, cycles of the L2's atomic units, wavefronts of shared atomics and of the loads in "
          "their loops; or the same atomics, waited for longer",
      .remedy = "combine within warp and block first, or spread the addresses",
      .needs = {"global_atom_requests", "global_red_requests", "global_red_sectors", "shared_atom_wavefronts"},
      .evidence = {"global_atom_requests", "global_red_requests", "global_red_sectors", "l2_atomic_cycles",
                   "shared_atom_inst", "shared_atom_wavefronts", "shared_swap_wavefronts"},
      .rises = {"global_atom_requests", "global_red_requests", "global_atom_sectors", "global_red_sectors",
                "l2_atomic_cycles", "shared_atom_inst", "shared_atom_wavefronts", "stall_drain",
                "stall_long_scoreboard"},
      .loads = units::kIssue | units::kMemory,
      .asks = Asks,
      .takes_rest = TakesRest,
      .source = {"atomics", AtomicInstructions},
      .sampled = SampledAt{{Operation::kGlobalAtomic, Operation::kSharedAtomic}},
      .finding = {{"global_atom_requests", "global_red_requests", "global_atom_sectors", "global_red_sectors",
                   "l2_atomic_cycles", "shared_atom_wavefronts", "local_sectors", "global_sectors",
                   "stall_long_scoreboard", "stall_lg_throttle", "stall_drain", "stall_short_scoreboard",
                   "stall_mio_throttle", "warps_active", "time_us"},
                  Judge,
                  {"shared_atom_inst"}},
      .gain = {"no atomic waited for another", WithoutAtomics, "atomics", "atomic_inst"},
  };
}

}  // namespace culprit
