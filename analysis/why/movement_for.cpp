// SPDX-License-Identifier: Apache-2.0
// What warps of each stall state wait for. The reasons' meanings: Nsight Compute's documentation, "Warp Scheduler
// States"; the weights below are ratios of the units' throughput on an H100 and stand beside each.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

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
// A request occupies a tag stage for as long as four sectors take, the coalesced access of 32 bit by a warp.
constexpr double kRequest = 4;

const char* LocalCause(const Both& d, const KernelView& base, const KernelView& candidate) {
  const KernelView& user = d.to.local >= d.from.local ? candidate : base;
  const double spilled = user.Get("spill_store_bytes").value_or(0);
  const double frame = user.Get("stack_frame_bytes").value_or(0);
  return spilled > 0 && frame - spilled <= spilled ? "local_memory_spill" : "local_memory_array";
}

void AddMemory(const Both& d, const KernelView& base, const KernelView& candidate, Movement& m) {
  const auto& [from, to] = d;
  const auto local = [](const Demand& k) {
    return k.local_l1 + kL2 * k.local_l2 + kDram * k.local_dram + kRequest * k.local_requests;
  };
  m.Add(LocalCause(d, base, candidate), local(from), local(to));
  m.Add("l2_traffic", from.useful_l1 + kL2 * from.useful_l2, to.useful_l1 + kL2 * to.useful_l2);
  m.Add("dram_traffic", kDram * from.useful_dram, kDram * to.useful_dram);
  const auto excess = [](const Demand& k) { return k.excess_l1 + kL2 * k.excess_l2 + kDram * k.excess_dram; };
  m.Add("global_uncoalesced", excess(from), excess(to));
  // Requests for the same sectors: more of them are narrower ones, or those of fewer lanes.
  const bool fewer_lanes = std::abs(std::log(Rate(to.lanes, from.lanes))) > 0.1;
  m.AddProduct("l2_traffic", kRequest * from.useful_l1, kRequest * to.useful_l1,
               fewer_lanes ? "divergence" : "global_access_width", Rate(from.global_requests, from.useful_l1),
               Rate(to.global_requests, to.useful_l1));
  const auto atomic = [](const Demand& k) { return kL2 * (k.atomic_sectors + k.atomic_l2_cycles); };
  m.Add("atomics", atomic(from), atomic(to));
}

// --- shared memory and what shares its queue; units are cycles of the SM's data pipe ---
constexpr double kSpecial = 2;  // 16 lanes per SM and cycle
constexpr double kSectorsPerCycle = 4;

void AddShared(const Both& d, const KernelView& base, const KernelView& candidate, Movement& m) {
  const auto& [from, to] = d;
  m.Add("shared_bank_conflicts", from.shared_conflicts, to.shared_conflicts);
  m.Add("shared_traffic", from.shared_useful, to.shared_useful);
  m.AddProduct("shared_traffic", from.shared_useful, to.shared_useful, "shared_access_width",
               Rate(from.shared, from.shared_useful), Rate(to.shared, to.shared_useful));
  m.Add("atomics", from.shared_atomic, to.shared_atomic);
  m.Add("constant_cache", from.constant_requests, to.constant_requests);
  // L1 and shared memory are one data pipe: four sectors of a line, 128 bytes, take a cycle of it.
  m.Add("global_uncoalesced", from.excess_l1 / kSectorsPerCycle, to.excess_l1 / kSectorsPerCycle);
  m.Add("l2_traffic", from.useful_l1 / kSectorsPerCycle, to.useful_l1 / kSectorsPerCycle);
  m.Add(LocalCause(d, base, candidate), from.local_l1 / kSectorsPerCycle, to.local_l1 / kSectorsPerCycle);
  m.Add("sfu_pipe", kSpecial * from.special, kSpecial * to.special);
}

const char* ConversionCause(const Both& d) {
  return std::abs(d.to.fp64 - d.from.fp64) > std::abs(d.to.conversion - d.from.conversion) / 2 ? "fp64_pipe"
                                                                                               : "instruction_count";
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
  m.Add(LocalCause(d, base, candidate), from.local, to.local);
  m.AddProduct("shared_traffic", from.shared_useful, to.shared_useful, "shared_access_width",
               Rate(from.shared, from.shared_useful), Rate(to.shared, to.shared_useful));
  m.AddProduct("l2_traffic", from.useful_l1, to.useful_l1, "global_access_width", Rate(from.global, from.useful_l1),
               Rate(to.global, to.useful_l1));
  m.Add("atomics", from.atomic, to.atomic);
  AddDivergence(d, m);
}

}  // namespace

Movement MovementFor(std::string_view stall, const KernelView& base, const Demand& from, const KernelView& candidate,
                     const Demand& to) {
  const Both d{from, to};
  Movement m;
  if (stall == "long_scoreboard" || stall == "lg_throttle" || stall == "drain") {
    AddMemory(d, base, candidate, m);
  } else if (stall == "short_scoreboard") {
    AddShared(d, base, candidate, m);
    m.Add(ConversionCause(d), kSpecial * from.conversion, kSpecial * to.conversion);
  } else if (stall == "mio_throttle") {
    AddShared(d, base, candidate, m);
    m.Add(ConversionCause(d), kSpecial * from.conversion, kSpecial * to.conversion);
    m.Add(LocalCause(d, base, candidate), from.local, to.local);
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
  } else if (stall == "barrier" && from.barriers_known && to.barriers_known) {
    m.Add("barrier", from.barriers, to.barriers);
  }
  return m;
}

}  // namespace culprit
