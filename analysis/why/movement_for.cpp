// SPDX-License-Identifier: Apache-2.0
// What warps of each stall state wait for. The reasons' meanings: Nsight Compute's documentation, "Warp Scheduler
// States"; the weights below are ratios of the units' throughput on an H100 and stand beside each.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/why/decompose.h"
#include "analysis/why/demand.h"
#include "analysis/why/movement.h"

namespace culprit {
namespace {

struct Both {
  const Demand &from, &to;
};

double Rate(double numerator, double denominator) { return denominator > 0 ? numerator / denominator : 0; }

// --- memory ---
// A sector costs its bytes over the bandwidth of each level that it passes, with L1 as the unit: 128 byte per SM and
// cycle at L1, about 21 at L2 (5.5 TB/s measured for 132 SMs at 1.98 GHz), 12.8 from HBM3 (3.35 TB/s).
constexpr double kL2 = 6, kDram = 10;
// A request costs its latency too, whatever it brings: that of the four sectors of a coalesced access of 32 bit, at the
// levels that it passes.
constexpr double kRequest = 4;
// ln of a ratio: nearer than a tenth, two kernels coalesce alike.
constexpr double kAlike = 0.1;

// A queue forms where a level is busy: each counts as much as it is used, by the one that uses it more. Unless that was
// counted for all, all count in full.
struct Levels {
  double l1 = 1, l2 = kL2, dram = kDram;

  explicit Levels(const Both& d) {
    const auto busy = [](const Measured& from, const Measured& to) -> Measured {
      return from && to ? Measured(std::max(*from, *to) / 100) : Measured();
    };
    const Measured at_l1 = busy(d.from.l1_pct, d.to.l1_pct), at_l2 = busy(d.from.l2_pct, d.to.l2_pct),
                   at_dram = busy(d.from.dram_pct, d.to.dram_pct);
    if (!at_l1 || !at_l2 || !at_dram) return;
    l1 *= *at_l1;
    l2 *= *at_l2;
    dram *= *at_dram;
  }
};

// ln(to / from), and infinite where one of them is 0; 0 where both are.
double Growth(double from, double to) { return from == to ? 0 : std::log(to / from); }

double Above(double sectors, double below) { return std::max(0.0, sectors - below); }

std::string_view LocalCause(const KernelView& user) {
  const double spilled = user.Get("spill_store_bytes").value_or(0);
  const double frame = user.Get("stack_frame_bytes").value_or(0);
  return spilled > 0 && frame - spilled <= spilled ? "local_memory_spill" : "local_memory_array";
}

// Each kernel's local memory is its own kind: spills can take an array's place.
void AddLocal(const KernelView& base, const KernelView& candidate, double from, double to, Movement& m) {
  m.Add(LocalCause(base), from, 0);
  m.Add(LocalCause(candidate), 0, to);
}

// Sectors that the bytes need. Without exact counts nobody knows how many those are; then what grows per request is
// taken for worse coalescing, unless there are fewer requests for it: wider ones.
void AddUseful(const Both& d, double from, double to, Movement& m) {
  const double requests = Growth(d.from.global_requests, d.to.global_requests);
  const double rate = Growth(d.from.useful_l1, d.to.useful_l1) - requests;
  const bool wider = requests * rate < 0 && std::abs(requests) > std::abs(rate) / 2;
  if (d.from.exact_global || !std::isfinite(requests) || !std::isfinite(rate) || wider || std::abs(rate) < kAlike)
    return m.Add("l2_traffic", from, to);
  m.AddProduct("l2_traffic", d.from.global_requests, d.to.global_requests, "global_uncoalesced",
               Rate(from, d.from.global_requests), Rate(to, d.to.global_requests));
}

// `scale`: how much of another unit's service one of memory's is. An access costs what the levels cost that it passes,
// and belongs to the level that serves it.
void AddMemory(const Both& d, const KernelView& base, const KernelView& candidate, double scale, Movement& m) {
  const auto& [from, to] = d;
  const Levels level(d);
  const double by_l1 = scale * level.l1, by_l2 = by_l1 + scale * level.l2, by_dram = by_l2 + scale * level.dram;
  const auto local = [&](const Demand& k) {
    return by_l1 * Above(k.local_l1, k.local_l2) + by_l2 * Above(k.local_l2, k.local_dram) + by_dram * k.local_dram;
  };
  AddLocal(base, candidate, local(from), local(to), m);
  const auto caches = [&](const Demand& k) {
    return by_l1 * Above(k.useful_l1, k.useful_l2) + by_l2 * Above(k.useful_l2, k.useful_dram);
  };
  AddUseful(d, caches(from), caches(to), m);
  m.Add("dram_traffic", by_dram * from.useful_dram, by_dram * to.useful_dram);
  // What moves with the excess at L1 is bad coalescing's; how deep an equal excess goes is the caches'.
  const double excess_grew = Growth(from.excess_l1, to.excess_l1);
  const auto excess = [&](double weight, double sectors_from, double sectors_to, std::string_view level_cause) {
    const bool equal = std::abs(excess_grew) < kAlike || excess_grew * (sectors_to - sectors_from) < 0;
    m.Add(equal ? level_cause : "global_uncoalesced", weight * sectors_from, weight * sectors_to);
  };
  excess(by_l1, Above(from.excess_l1, from.excess_l2), Above(to.excess_l1, to.excess_l2), "l2_traffic");
  excess(by_l2, Above(from.excess_l2, from.excess_dram), Above(to.excess_l2, to.excess_dram), "l2_traffic");
  excess(by_dram, from.excess_dram, to.excess_dram, "dram_traffic");
  m.Add("atomics", by_l2 * (from.atomic_sectors + from.atomic_l2_cycles),
        by_l2 * (to.atomic_sectors + to.atomic_l2_cycles));
}

// What passes each level, of a sector at L1, on the average of the two.
double Depth(double l1_from, double l1_to, double l2, double dram) {
  const double l1 = l1_from + l1_to;
  return l1 > 0 ? 1 + (kL2 * l2 + kDram * dram) / l1 : 1;
}

// `scale` x accesses, shared out: fewer lanes at work make more of them for the same job, narrower ones more for the
// same bytes; the others fetch more. The width is that of the instructions; where these were not counted, fewer sectors
// for a request that had all lanes' (4) tell of it.
void AddAccesses(const Both& d, double scale, double from, double to, Movement& m) {
  const bool known = d.from.global_width > 0 && d.to.global_width > 0;
  const double sectors_from = Rate(d.from.useful_l1, d.from.global_requests);
  const double sectors_to = Rate(d.to.useful_l1, d.to.global_requests);
  const bool full = sectors_from >= kRequest && sectors_to >= kRequest;
  const double width_from = known ? d.from.global_width : full ? sectors_from : 1;
  const double width_to = known ? d.to.global_width : full ? sectors_to : 1;
  if (!(from > 0) || !(to > 0)) return m.Add("l2_traffic", scale * from, scale * to);
  const double weight = scale * LogarithmicMean(to, from), growth = std::log(to / from);
  // Of the growth, at most all of it, and only what has its sign.
  const auto part = [](double most, double wanted) {
    return most * wanted <= 0 ? 0 : std::abs(wanted) < std::abs(most) ? wanted : most;
  };
  const double narrower = part(growth, std::log(width_from / width_to));
  const double fewer_lanes =
      d.from.lanes > 0 && d.to.lanes > 0 ? part(growth - narrower, std::log(d.from.lanes / d.to.lanes)) : 0;
  m.Add("l2_traffic", scale * from, scale * to);
  m.Shift("l2_traffic", "global_access_width", weight * narrower);
  m.Shift("l2_traffic", "divergence", weight * fewer_lanes);
}

void AddRequests(const Both& d, const KernelView& base, const KernelView& candidate, Movement& m) {
  const auto& [from, to] = d;
  const double local =
      kRequest * Depth(from.local_l1, to.local_l1, from.local_l2 + to.local_l2, from.local_dram + to.local_dram);
  AddLocal(base, candidate, local * from.local_requests, local * to.local_requests, m);
  const double global =
      kRequest * Depth(from.useful_l1, to.useful_l1, from.useful_l2 + to.useful_l2, from.useful_dram + to.useful_dram);
  AddAccesses(d, global, from.global_requests, to.global_requests, m);
}

// --- shared memory and what shares its queue; units are cycles of the SM's data pipe ---
constexpr double kSpecial = 2;  // 16 lanes per SM and cycle
constexpr double kSectorsPerCycle = 4;

// Instructions for the same bytes are a matter of their width; bytes, of what is kept in registers.
void AddSharedAccesses(const Demand& from, const Demand& to, double from_units, double to_units, Movement& m) {
  if (from.shared == 0 || to.shared == 0 || from.shared_width == 0 || to.shared_width == 0)
    return m.Add("shared_traffic", from_units, to_units);
  const double from_bytes = from.shared * from.shared_width, to_bytes = to.shared * to.shared_width;
  m.AddProduct("shared_traffic", from_bytes, to_bytes, "shared_access_width", Rate(from_units, from_bytes),
               Rate(to_units, to_bytes));
}

const char* ConversionCause(const Both& d) {
  return std::abs(d.to.fp64 - d.from.fp64) > std::abs(d.to.conversion - d.from.conversion) / 2 ? "fp64_pipe"
                                                                                               : "instruction_count";
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
  m.Add("sfu_pipe", kSpecial * from.special, kSpecial * to.special);
  m.Add(ConversionCause(d), kSpecial * from.conversion, kSpecial * to.conversion);
}

// --- instructions ---
// Cycles of its pipe that an instruction takes from a sub-partition.
struct PipeCycles {
  double fp32, fp64, special, tensor, other;
};
constexpr PipeCycles kIssue = {1, 1, 1, 1, 1};
// 32 lanes of FP32, 16 of FP64, 4 of XU per sub-partition; 16 of ALU; a matrix instruction m16n8k16 takes 8 cycles at
// 1024 FMA per SM and cycle.
constexpr PipeCycles kPipe = {1, 2, 8, 8, 2};

// With fewer lanes at work the same job takes more instructions.
void AddDivergence(const Both& d, Movement& m) {
  if (d.from.lanes > 0 && d.to.lanes > 0 && m.from() > 0 && m.to() > 0)
    m.Reassign("divergence", LogarithmicMean(m.to(), m.from()) * std::log(d.from.lanes / d.to.lanes));
}

void AddInstructions(const Both& d, const KernelView& base, const KernelView& candidate, const PipeCycles& cost,
                     Movement& m) {
  const auto& [from, to] = d;
  m.Add("fma_pipe", cost.fp32 * from.fp32, cost.fp32 * to.fp32);
  m.Add("fp64_pipe", cost.fp64 * from.fp64, cost.fp64 * to.fp64);
  m.Add("sfu_pipe", cost.special * from.special, cost.special * to.special);
  m.Add(ConversionCause(d), cost.special * from.conversion, cost.special * to.conversion);
  m.Add("tensor_pipe", cost.tensor * from.tensor, cost.tensor * to.tensor);
  m.Add("instruction_count", cost.other * from.other, cost.other * to.other);
  AddLocal(base, candidate, from.local, to.local, m);
  AddSharedAccesses(from, to, from.shared, to.shared, m);
  AddAccesses(d, 1, from.global, to.global, m);
  m.Add("atomics", from.atomic, to.atomic);
  AddDivergence(d, m);
}

}  // namespace

Movement MovementFor(std::string_view stall, const KernelView& base, const Demand& from, const KernelView& candidate,
                     const Demand& to) {
  const Both d{from, to};
  Movement m;
  if (stall == "long_scoreboard" || stall == "lg_throttle" || stall == "drain") {
    AddMemory(d, base, candidate, 1, m);
    AddRequests(d, base, candidate, m);
  } else if (stall == "short_scoreboard") {
    AddShared(d, base, candidate, m);
  } else if (stall == "mio_throttle") {
    AddShared(d, base, candidate, m);
    AddLocal(base, candidate, from.local, to.local, m);
  } else if (stall == "selected" || stall == "wait" || stall == "dispatch_stall") {
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
  } else if (stall == "barrier" && from.barriers > 0 && to.barriers > 0) {
    // Where one has none, what the other waits for is not told by their number.
    m.Add("barrier", from.barriers, to.barriers);
  }
  return m;
}

}  // namespace culprit
