// SPDX-License-Identifier: Apache-2.0
// The hardware units that warps in each stall state wait for. Nsight Compute's documentation, "Warp Scheduler States",
// explains the states.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "analysis/judge/causes/demand.h"
#include "analysis/judge/difference/decompose.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/launch/machine.h"
#include "analysis/number/range.h"

namespace culprit {

// What warps wait for, and what it is counted in. The table of states in wait.cpp says which state waits for which.
enum class Wait {
  kMemory,     // in sectors at L1
  kResult,     // a result of the SM's data pipe (shared memory and others): in cycles of that pipe
  kQueue,      // a place in the queue before that pipe: also in its cycles
  kIssue,      // in warp instructions
  kFixed,      // a fixed latency: in warp instructions that have FP32's latency
  kPipe,       // in cycles of a sub-partition's pipe
  kBranch,     // in branches
  kFetch,      // in misses of the instruction cache
  kConstant,   // in misses of the immediate constant cache
  kWarpgroup,  // in cycles of a sub-partition's tensor pipe
  kBarrier,    // in barriers
};
inline constexpr std::array kWaits = {Wait::kMemory,   Wait::kResult,    Wait::kQueue,  Wait::kIssue,
                                      Wait::kFixed,    Wait::kPipe,      Wait::kBranch, Wait::kFetch,
                                      Wait::kConstant, Wait::kWarpgroup, Wait::kBarrier};
constexpr bool IsPerInstruction(Wait wait) { return wait == Wait::kIssue || wait == Wait::kFixed; }
// A state of a resident warp.
struct WarpState {
  std::string_view name;
  std::optional<Wait> wait = {};  // none for states without a unit
  bool on_every_chip = true;
  // A warp passes through this state for every instruction.
  bool per_instruction = false;
};
std::span<const WarpState> WarpStates();

std::optional<Wait> WaitOf(std::string_view state);

// Hardware units, as bits.
namespace units {
inline constexpr unsigned kNone = 0, kIssue = 1, kFma = 2, kAlu = 4, kFp64 = 8, kXu = 16, kTensor = 32;
inline constexpr unsigned kL1 = 64, kL2 = 128, kDram = 256;
inline constexpr unsigned kMemory = kL1 | kL2 | kDram, kEvery = 511;
}  // namespace units

// The sectors that this level serves: `sectors` that reach it, minus those that reach the level `below`.
Range Above(const Range& sectors, const Range& below);

// The arithmetic pipes of a sub-partition. kAll: math_pipe_throttle does not say which pipe warps wait for.
enum class Pipe { kAll, kFma, kAlu, kFp16, kFp64, kXu, kTensor };

enum class LocalMemory { kArray, kSpill, kUnknown };
// What most of the kernel's local memory holds, by the compiler's report.
LocalMemory LocalOf(const KernelView& kernel);

// The demand side of a kernel.
struct Asker {
  const KernelView& kernel;
  const Demand& demand;
  Machine machine;
  LocalMemory local = LocalMemory::kUnknown;  // what its local memory holds, by the compiler's report
  // The fixed cost of a request at the levels that it passes, in sectors at L1.
  Range local_request, global_request;

  // false: one of two kernels. A sector costs its bytes / bandwidth at each level that it passes, relative to L1.
  // Waiting for these levels also occupies the data pipe, at four sectors per cycle.
  // true: a single kernel. All sectors but the host's cost the same, and requests and levels cost nothing. With the
  // costs of pairs, the predictions were 0.60 (bank conflicts) and 0.61 (coalescing) of the real gains on the recorded
  // edges; without them, they are 1.0 and 1.2.
  bool alone = false;
  // What a sector costs at each level alone. For the work of one unit (movement.h) only that level counts.
  double at_l1 = 1, at_l2 = 1, at_dram = 1;
  // The cost of a sector over the link to the host, and of a request that finds its slice of L2 taken by others.
  // 0 if one kernel of a pair was not measured.
  double at_host = 0, at_slice = 0;
  Range OfHost() const { return at_host * demand.host_sectors.value_or(0); }
  Range OfSlice() const { return at_slice * demand.camped_requests.value_or(0); }
  // The arrays' share of the local-memory demand. It replaces `local` if the code was sampled.
  std::optional<double> arrays = {};
  bool of_unit = false;
  Pipe pipe = Pipe::kAll;  // for Wait::kPipe
  bool IsOf(Pipe one) const { return pipe == Pipe::kAll || pipe == one; }
  // The cost at L1 of an excess sector of an uncoalesced access, relative to a useful sector: 1 to 4, depending on how
  // busy L1 is. An excess sector lies in a cache line of its own, and L1 looks up each line.
  Range excess_at_l1 = 1.0;
  double AtL1() const { return at_l1; }
  double AtL2() const { return at_l1 + at_l2; }
  double AtDram() const { return at_l1 + at_l2 + at_dram; }
  // The cost of sectors that caches serve, and of sectors from device memory.
  Range OfCaches(const Range& l1, const Range& l2, const Range& dram) const;
  Range OfDram(const Range& l1, const Range& dram) const;
  double HeldUp() const { return alone ? 0 : 0.25; }
};

// The demand sides of a pair. A request costs the same in both kernels: the average. If the compiler's report says for
// only one kernel what its local memory holds, the other kernel's is assumed to hold the same.
struct Askers {
  Askers(const KernelView& base, const Demand& from, const KernelView& candidate, const Demand& to);
  Asker base, candidate;

  // Sets `arrays` of both kernels: the arrays' share of waiting for local memory, if samples show it. If a kernel
  // spills nothing, or if its stack frame holds only spills, the compiler's report is used, because it is more
  // accurate.
  void TellArrays(std::optional<double> of_base, std::optional<double> of_candidate);
  bool KnowArrays() const { return base.arrays && candidate.arrays; }

  // The excess sectors of both were counted, but nothing tells what one costs at L1. It is taken for the same number in
  // both, as the lines that the same accesses touch are alike.
  bool ShareCostAtL1() const;
};
Asker AskerAlone(const KernelView& kernel, const Demand& demand);

// --- the states of one unit: the queue before a unit fills only when the unit itself is busy ---
inline constexpr std::array<std::string_view, 3> kMemoryStates = {"long_scoreboard", "lg_throttle", "drain"};
inline constexpr std::array<std::string_view, 2> kResultStates = {"short_scoreboard", "mio_throttle"};

// ln of the growth of waiting: in this state or in all states of its unit, whichever is less. If another state of the
// unit was not measured, in this state. Infinite if one of the two kernels never waits.
Range GrowthOf(const StallDifference& stall, const Decomposition& decomposition);

// ln of a ratio. Two amounts within a tenth of each other are called equal.
inline constexpr double kAlikeLog = 0.1;

}  // namespace culprit
