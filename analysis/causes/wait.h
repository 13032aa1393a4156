// SPDX-License-Identifier: Apache-2.0
// What warps of a stall state wait for. The meanings of the states: Nsight Compute's documentation, "Warp Scheduler
// States".
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "analysis/causes/demand.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/machine/machine.h"
#include "analysis/number/range.h"
#include "analysis/split/decompose.h"

namespace culprit {

// States that wait for the same are one.
enum class Wait {
  kMemory,     // long_scoreboard, lg_throttle, drain, mbarrier_copy. In sectors at L1
  kResult,     // short_scoreboard: of shared memory and what shares its pipe. In cycles of the SM's data pipe
  kQueue,      // mio_throttle: the queue before that pipe. In the same
  kIssue,      // selected, dispatch_stall. In warp instructions
  kFixed,      // wait: for a latency that the compiler knows. In warp instructions with that of FP32
  kPipe,       // math_pipe_throttle. In cycles of a sub-partition's pipe
  kBranch,     // branch_resolving. In branches
  kFetch,      // no_instruction. In misses of the instruction cache
  kConstant,   // imc_miss. In misses of the immediate constant cache
  kWarpgroup,  // gmma, wgmma. In cycles of a sub-partition's tensor pipe
  kBarrier,    // barrier. In barriers
};
inline constexpr std::array kWaits = {Wait::kMemory,   Wait::kResult,    Wait::kQueue,  Wait::kIssue,
                                      Wait::kFixed,    Wait::kPipe,      Wait::kBranch, Wait::kFetch,
                                      Wait::kConstant, Wait::kWarpgroup, Wait::kBarrier};
constexpr bool IsPerInstruction(Wait wait) { return wait == Wait::kIssue || wait == Wait::kFixed; }
// nullopt for states that are no unit's: not_selected, sleeping and others.
std::optional<Wait> WaitOf(std::string_view stall);

// Units of the machine, as bits.
namespace units {
inline constexpr unsigned kNone = 0, kIssue = 1, kFma = 2, kAlu = 4, kFp64 = 8, kXu = 16, kTensor = 32;
inline constexpr unsigned kL1 = 64, kL2 = 128, kDram = 256;
inline constexpr unsigned kMemory = kL1 | kL2 | kDram, kEvery = 511;
}  // namespace units

// Sectors that go no further than this level.
Range Above(const Range& sectors, const Range& below);

// Arithmetic pipes of a sub-partition; kAll where math_pipe_throttle does not tell which is waited for.
enum class Pipe { kAll, kFma, kAlu, kFp16, kFp64, kXu, kTensor };

enum class LocalMemory { kArray, kSpill, kUnknown };
// What most of its local memory holds, by the compiler's report.
LocalMemory LocalOf(const KernelView& kernel);

// A kernel as one that asks for service.
struct Asker {
  const KernelView& kernel;
  const Demand& demand;
  Machine machine;
  LocalMemory local = LocalMemory::kUnknown;  // what its local memory holds, by the compiler's report
  // What a request costs whatever it brings, in sectors at L1, at the levels that it passes.
  Range local_request, global_request;

  // Between two kernels a sector costs its bytes over the bandwidth of each level that it passes, with L1 as the unit;
  // and what waits for these levels holds up the data pipe, in which four sectors take a cycle. Of one kernel alone all
  // sectors count the same, and requests and levels nothing: weighed, removing bank conflicts was predicted to gain
  // 0.60 of what it did, and coalescing 0.61, on the recorded edges; so, 1.0 and 1.2.
  bool alone = false;
  // What a sector costs at each level alone. Of one unit's work (unit.h) only that level counts.
  double at_l1 = 1, at_l2 = 1, at_dram = 1;
  // Where the code was sampled, instead of `local`: the part of what it asks of local memory that is for arrays.
  std::optional<double> arrays = {};
  bool of_unit = false;
  Pipe pipe = Pipe::kAll;  // of Wait::kPipe
  bool IsOf(Pipe one) const { return pipe == Pipe::kAll || pipe == one; }
  // Sectors beyond those of coalesced accesses lie in lines of their own, each of which L1 looks up by itself: what
  // such a sector takes of L1, in sectors that share their line, by how busy L1 is. 1 to 4.
  Range excess_at_l1 = 1.0;
  double AtL1() const { return at_l1; }
  double AtL2() const { return at_l1 + at_l2; }
  double AtDram() const { return at_l1 + at_l2 + at_dram; }
  // Of sectors that go down the levels so far, what those cost that caches serve, and what device memory's.
  Range OfCaches(const Range& l1, const Range& l2, const Range& dram) const;
  Range OfDram(const Range& l1, const Range& dram) const;
  double HeldUp() const { return alone ? 0 : 0.25; }
};

// Two of them. What depends on both is equal in both: the cost of a request is that of the average of the two, and
// where one's local memory is not known, it may be the other's, more or less of it.
struct Askers {
  Askers(const KernelView& base, const Demand& from, const KernelView& candidate, const Demand& to);
  Asker base, candidate;

  // Which part of each one's waiting for local memory was for arrays, where samples tell. Of a kernel that spills
  // nothing, or whose frame holds nothing else, the compiler's report says it better.
  void TellArrays(std::optional<double> of_base, std::optional<double> of_candidate);
  bool KnowArrays() const { return base.arrays && candidate.arrays; }
};
Asker AskerAlone(const KernelView& kernel, const Demand& demand);

// --- states that are one unit's: a queue before it fills only when the unit itself is busy ---
inline constexpr std::array<std::string_view, 3> kMemoryStates = {"long_scoreboard", "lg_throttle", "drain"};
inline constexpr std::array<std::string_view, 2> kResultStates = {"short_scoreboard", "mio_throttle"};

// ln of how many times longer warps wait for the unit of this state: of the state alone or of all states of its unit,
// whichever is less; the state's alone where another was not measured. Infinite where one of the two never waits.
Range GrowthOf(const StallDifference& stall, const Decomposition& decomposition);

// ln of a ratio: nearer than a tenth, two kernels load and coalesce alike.
inline constexpr double kAlike = 0.1;

}  // namespace culprit
