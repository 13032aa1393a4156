// SPDX-License-Identifier: Apache-2.0
// What warps of each stall state wait for. The reasons' meanings: Nsight Compute's documentation, "Warp Scheduler
// States"; the weights below are ratios of the units' throughput on an H100 and stand beside each.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>

#include "analysis/causes/demand.h"
#include "analysis/causes/movement.h"
#include "analysis/split/decompose.h"

namespace culprit {
namespace {

struct Both {
  const Demand &from, &to;
};

double Rate(double numerator, double denominator) { return denominator > 0 ? numerator / denominator : 0; }

// Wherever the two lie in their ranges.
Range Rate(const Range& numerator, const Range& denominator) {
  return {Rate(numerator.low, denominator.high), denominator.low > 0    ? Rate(numerator.high, denominator.low)
                                                 : denominator.high > 0 ? numerator.high
                                                                        : 0};
}

// Of every combination of the ends of `ranges`: for what moves one way with each of them. A point has one end: where
// all was measured, `function` is asked once.
template <class Function, class... Ranges>
Range AtEnds(Function function, const Ranges&... ranges) {
  const std::array<Range, sizeof...(Ranges)> all = {ranges...};
  std::size_t points = 0;
  for (std::size_t i = 0; i < all.size(); ++i) points |= std::size_t{all[i].IsPoint()} << i;
  Range hull;
  for (std::size_t which = 0; which < (std::size_t{1} << all.size()); ++which) {
    if (which & points) continue;
    std::array<double, sizeof...(Ranges)> ends;
    for (std::size_t i = 0; i < all.size(); ++i) ends[i] = which >> i & 1 ? all[i].high : all[i].low;
    const double value = std::apply(function, ends);
    hull = which == 0 ? Range(value) : Hull(hull, value);
  }
  return hull;
}

// --- memory ---
// A sector costs its bytes over the bandwidth of each level that it passes, with L1 as the unit: 128 byte per SM and
// cycle at L1, about 21 at L2 (5.5 TB/s measured for 132 SMs at 1.98 GHz), 12.8 from HBM3 (3.35 TB/s).
constexpr double kL2 = 6, kDram = 10;
// A request costs its latency too, whatever it brings: that of the four sectors of a coalesced access of 32 bit, at the
// levels that it passes.
constexpr double kRequest = 4;
// ln of a ratio: nearer than a tenth, two kernels coalesce alike.
constexpr double kAlike = 0.1;

// ln(to / from), and infinite where one of them is 0; 0 where both are.
double Growth(double from, double to) { return from == to ? 0 : std::log(to / from); }

Range Above(const Range& sectors, const Range& below) { return Max(sectors - below, 0.0); }

// Without the compiler's report nobody knows which of the two a kernel's local memory is.
std::string_view LocalCause(const KernelView& user) {
  const Measured spilled = user.Get("spill_store_bytes"), frame = user.Get("stack_frame_bytes");
  if (spilled && *spilled == 0) return "local_memory_array";
  if (!spilled || !frame) return "local_memory_unknown";
  return *frame - *spilled <= *spilled ? "local_memory_spill" : "local_memory_array";
}

// Each kernel's local memory is its own kind: spills can take an array's place. Where one's is not known, it may be the
// other's, more or less of it.
void AddLocal(const KernelView& base, const KernelView& candidate, const Range& from, const Range& to, Movement& m) {
  constexpr std::string_view kUnknown = "local_memory_unknown";
  std::string_view there = LocalCause(base), here = LocalCause(candidate);
  if ((from.high > 0 && there == kUnknown) || (to.high > 0 && here == kUnknown)) there = here = kUnknown;
  m.Add(there, from, 0.0);
  m.Add(here, 0.0, to);
}

// `scale`: how much of another unit's service one of memory's is. An access costs what the levels cost that it passes,
// and belongs to the level that serves it.
void AddMemory(const Both& d, const KernelView& base, const KernelView& candidate, double scale, Movement& m) {
  const Demand &from = d.from, &to = d.to;
  const Range by_l1 = scale, by_l2 = scale * (1 + kL2), by_dram = scale * (1 + kL2 + kDram);
  const auto local = [&](const Demand& k) {
    return by_l1 * Above(k.local_l1, k.local_l2) + by_l2 * Above(k.local_l2, k.local_dram) + by_dram * k.local_dram;
  };
  AddLocal(base, candidate, local(from), local(to), m);
  const auto caches = [&](const Demand& k) {
    return by_l1 * Above(k.useful_l1, k.useful_l2) + by_l2 * Above(k.useful_l2, k.useful_dram);
  };
  m.Add("l2_traffic", caches(from), caches(to));
  m.Add("dram_traffic", by_dram * from.useful_dram, by_dram * to.useful_dram);
  // What moves with the excess at L1 is bad coalescing's; how deep an equal excess goes is the caches'.
  const auto excess = [&](const Range& weight, const Range& sectors_from, const Range& sectors_to,
                          std::string_view level_cause) {
    const auto equal = [&](double excess_from, double excess_to, double from_end, double to_end) {
      const double grew = Growth(excess_from, excess_to);
      return std::abs(grew) < kAlike || grew * (to_end - from_end) < 0 ? 1.0 : 0.0;
    };
    const Range share = AtEnds(equal, from.excess_l1, to.excess_l1, sectors_from, sectors_to);
    const Range there = weight * sectors_from, here = weight * sectors_to;
    m.Add(level_cause, there * share, here * share);
    m.Add("global_uncoalesced", there * Range(1 - share.low, 1 - share.high),
          here * Range(1 - share.low, 1 - share.high));
  };
  excess(by_l1, Above(from.excess_l1, from.excess_l2), Above(to.excess_l1, to.excess_l2), "l2_traffic");
  excess(by_l2, Above(from.excess_l2, from.excess_dram), Above(to.excess_l2, to.excess_dram), "l2_traffic");
  excess(by_dram, from.excess_dram, to.excess_dram, "dram_traffic");
  m.Add("atomics", by_l2 * (from.atomic_sectors + from.atomic_l2_cycles),
        by_l2 * (to.atomic_sectors + to.atomic_l2_cycles));
}

// What passes each level, of a sector at L1, on the average of the two.
Range Depth(const Range& l1, const Range& l2, const Range& dram) {
  if (l1.high <= 0) return 1.0;
  // No level is asked for more than a request's worth of its own service.
  return AtEnds([](double at_l1, double at_l2,
                   double at_dram) { return at_l1 > 0 ? 1 + (kL2 * at_l2 + kDram * at_dram) / at_l1 : 1; },
                l1, l2, dram);
}

// `scale` x accesses, shared out: fewer lanes at work make more of them for the same job, narrower ones more for the
// same bytes; the others fetch more.
void AddAccesses(const Both& d, const Range& scale, const Range& from, const Range& to, Movement& m) {
  m.Add("l2_traffic", scale * from, scale * to);
  // Of the growth, at most all of it, and only what has its sign.
  const auto part = [](double most, double wanted) {
    return most * wanted <= 0 ? 0 : std::abs(wanted) < std::abs(most) ? wanted : most;
  };
  const auto narrower = [&](double a, double b, double width_from, double width_to) {
    return a > 0 && b > 0 && width_from > 0 && width_to > 0 ? part(std::log(b / a), std::log(width_from / width_to))
                                                            : 0.0;
  };
  const auto by_width = [&](double a, double b, double width_from, double width_to) {
    return a > 0 && b > 0 ? LogarithmicMean(b, a) * narrower(a, b, width_from, width_to) : 0.0;
  };
  const auto by_lanes = [&](double a, double b, double width_from, double width_to, double from_lanes,
                            double to_lanes) {
    if (!(a > 0) || !(b > 0) || !(from_lanes > 0) || !(to_lanes > 0)) return 0.0;
    const double left = std::log(b / a) - narrower(a, b, width_from, width_to);
    return LogarithmicMean(b, a) * part(left, std::log(from_lanes / to_lanes));
  };
  const auto &width_from = d.from.global_width, &width_to = d.to.global_width;
  m.Shift("l2_traffic", "global_access_width", scale * AtEnds(by_width, from, to, width_from, width_to));
  m.Shift("l2_traffic", "divergence",
          scale * AtEnds(by_lanes, from, to, width_from, width_to, d.from.lanes, d.to.lanes));
}

void AddRequests(const Both& d, const KernelView& base, const KernelView& candidate, Movement& m) {
  const auto& [from, to] = d;
  const Range local =
      Depth(from.local_l1 + to.local_l1, from.local_l2 + to.local_l2, from.local_dram + to.local_dram) * kRequest;
  AddLocal(base, candidate, local * from.local_requests, local * to.local_requests, m);
  const Range global =
      Depth(from.useful_l1 + to.useful_l1, from.useful_l2 + to.useful_l2, from.useful_dram + to.useful_dram) * kRequest;
  AddAccesses(d, global, from.global_requests, to.global_requests, m);
}

// --- shared memory and what shares its queue; units are cycles of the SM's data pipe ---
constexpr double kSpecial = 2;  // 16 lanes per SM and cycle
constexpr double kSectorsPerCycle = 4;

// Instructions for the same bytes are a matter of their width; bytes, of what is kept in registers.
void AddSharedAccesses(const Demand& from, const Demand& to, const Range& from_units, const Range& to_units,
                       Movement& m) {
  if (from.shared.high == 0 || to.shared.high == 0 || from.shared_width.high == 0 || to.shared_width.high == 0)
    return m.Add("shared_traffic", from_units, to_units);
  const Range from_bytes = from.shared * from.shared_width, to_bytes = to.shared * to.shared_width;
  m.AddProduct("shared_traffic", from_bytes, to_bytes, "shared_access_width", Rate(from_units, from_bytes),
               Rate(to_units, to_bytes));
}

// A double costs conversions where its operands are none: three of them and the result at most. Other conversions are
// instructions like any other.
constexpr double kConversionsPerFp64 = 4;

void AddConversions(const Both& d, double cost, Movement& m) {
  const Range &from = d.from.conversion, &to = d.to.conversion;
  m.Add("instruction_count", from * cost, to * cost);
  const auto with_fp64 = [](double conversions_from, double conversions_to, double fp64_from, double fp64_to) {
    const double converted = conversions_to - conversions_from, most = kConversionsPerFp64 * (fp64_to - fp64_from);
    return converted * most <= 0 ? 0 : std::abs(converted) < std::abs(most) ? converted : most;
  };
  m.Shift("instruction_count", "fp64_pipe", AtEnds(with_fp64, from, to, d.from.fp64, d.to.fp64) * cost);
}

void AddShared(const Both& d, const KernelView& base, const KernelView& candidate, Movement& m) {
  const auto& [from, to] = d;
  m.Add("shared_bank_conflicts", from.shared_conflicts, to.shared_conflicts);
  AddSharedAccesses(from, to, from.shared_useful + from.shared, to.shared_useful + to.shared, m);
  m.Add("atomics", from.shared_atomic, to.shared_atomic);
  m.Add("constant_cache", from.constant_requests, to.constant_requests);
  // L1 and shared memory are one data pipe, in which four sectors of a line, 128 bytes, take a cycle; and what waits
  // for the levels below holds it up.
  AddMemory(d, base, candidate, 1 / kSectorsPerCycle, m);
  m.Add("sfu_pipe", from.special * kSpecial, to.special * kSpecial);
  AddConversions(d, kSpecial, m);
}

// --- instructions ---
// Cycles of its pipe that an instruction takes from a sub-partition.
struct PipeCycles {
  double fp32, fp64, fp16, special, tensor, other;
};
constexpr PipeCycles kIssue = {1, 1, 1, 1, 1, 1};
// 32 lanes of FP32 and of pairs of halves, 16 of FP64, 4 of XU per sub-partition; 16 of ALU; a matrix instruction
// m16n8k16 takes 8 cycles at 1024 FMA per SM and cycle.
constexpr PipeCycles kPipe = {1, 2, 1, 8, 8, 2};

// With fewer lanes at work the same job takes more instructions.
void AddDivergence(const Both& d, Movement& m) {
  const auto fewer = [](double from, double to, double lanes_from, double lanes_to) {
    const bool known = lanes_from > 0 && lanes_to > 0 && from > 0 && to > 0;
    return known ? LogarithmicMean(to, from) * std::log(lanes_from / lanes_to) : 0.0;
  };
  m.Reassign("divergence", AtEnds(fewer, m.from(), m.to(), d.from.lanes, d.to.lanes));
}

void AddInstructions(const Both& d, const KernelView& base, const KernelView& candidate, const PipeCycles& cost,
                     Movement& m) {
  const auto& [from, to] = d;
  m.Add("fma_pipe", from.fp32 * cost.fp32, to.fp32 * cost.fp32);
  m.Add("fp64_pipe", from.fp64 * cost.fp64, to.fp64 * cost.fp64);
  m.Add("fp16_pipe", from.fp16 * cost.fp16, to.fp16 * cost.fp16);
  m.Add("sfu_pipe", from.special * cost.special, to.special * cost.special);
  AddConversions(d, cost.special, m);
  m.Add("tensor_pipe", from.tensor * cost.tensor, to.tensor * cost.tensor);
  m.Add("instruction_count", from.other * cost.other, to.other * cost.other);
  AddLocal(base, candidate, from.local, to.local, m);
  AddSharedAccesses(from, to, from.shared, to.shared, m);
  AddAccesses(d, 1.0, from.global, to.global, m);
  m.Add("atomics", from.atomic, to.atomic);
  AddDivergence(d, m);
}

}  // namespace

std::string_view WaitsLike(std::string_view stall) {
  if (stall == "lg_throttle" || stall == "drain") return "long_scoreboard";
  if (stall == "wait" || stall == "dispatch_stall") return "selected";
  return stall;
}

Movement MovementFor(std::string_view state, const KernelView& base, const Demand& from, const KernelView& candidate,
                     const Demand& to) {
  const Both d{from, to};
  const std::string_view stall = WaitsLike(state);
  Movement m;
  if (stall == "long_scoreboard") {
    AddMemory(d, base, candidate, 1, m);
    AddRequests(d, base, candidate, m);
  } else if (stall == "short_scoreboard") {
    AddShared(d, base, candidate, m);
  } else if (stall == "mio_throttle") {
    AddShared(d, base, candidate, m);
    AddLocal(base, candidate, from.local, to.local, m);
  } else if (stall == "selected") {
    AddInstructions(d, base, candidate, kIssue, m);
  } else if (stall == "math_pipe_throttle") {
    AddInstructions(d, base, candidate, kPipe, m);
  } else if (stall == "branch_resolving") {
    m.Add("instruction_count", from.branch, to.branch);
    AddDivergence(d, m);
  } else if (stall == "no_instruction") {
    m.Add("instruction_cache", from.instruction_misses, to.instruction_misses);
  } else if (stall == "imc_miss") {
    m.Add("constant_cache", from.immediate_misses, to.immediate_misses);
  } else if (stall == "gmma") {
    m.Add("tensor_pipe", from.tensor, to.tensor);
  } else if (stall == "barrier") {
    m.Add("barrier", from.barriers, to.barriers);
  }
  return m;
}

}  // namespace culprit
