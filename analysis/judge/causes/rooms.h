// SPDX-License-Identifier: Apache-2.0
// The causes by family, one function each (table.cpp has their order), and helpers that several families share.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/sharing.h"

namespace culprit {

// local_memory.cpp
Cause LocalMemoryArray();
Cause LocalMemorySpill();
Cause LocalMemoryUnknown();
// shared_memory.cpp
Cause SharedBankConflicts();
Cause SharedAccessWidth();
Cause SharedTraffic();
Cause ExposedShared();
// copies.cpp
Cause CopiesThroughL1();
Cause BulkCopySize();
// global_memory.cpp
Cause GlobalUncoalesced();
Cause GlobalAccessWidth();
// traffic.cpp
Cause L2Traffic();
Cause DramTraffic();
// outside.cpp
Cause HostMemory();
Cause L2Camping();
// atomics.cpp
Cause Atomics();
// fences.cpp
Cause MemoryFence();
// latency.cpp
Cause ExposedLatency();
Cause ExposedProducts();
Cause OccupancyRegisters();
Cause OccupancyShared();
Cause OccupancyBlock();
// balance.cpp
Cause ImbalanceTail();
Cause Barrier();
Cause Clock();
Cause Launch();
// pipes.cpp
Cause FmaPipe();
Cause Fp16Pipe();
Cause Fp64Pipe();
Cause SfuPipe();
Cause TensorPipe();
// instructions.cpp
Cause InstructionCount();
Cause RegisterBankDispatch();
Cause InstructionCache();
Cause ConstantCache();
Cause Divergence();

// The causes from which others take demand.
inline constexpr std::string_view kL2Traffic = "l2_traffic";
inline constexpr std::string_view kDramTraffic = "dram_traffic";
inline constexpr std::string_view kSharedTraffic = "shared_traffic";
inline constexpr std::string_view kInstructionCount = "instruction_count";

// For one kernel: sets of causes that own waiting.
inline constexpr std::array<std::string_view, 3> kLocalCauses = {"local_memory_array", "local_memory_spill",
                                                                 "local_memory_unknown"};
inline constexpr std::array<std::string_view, 2> kSharedCauses = {"shared_bank_conflicts", kSharedTraffic};
inline constexpr std::array<std::string_view, 1> kConflictCause = {"shared_bank_conflicts"};
inline constexpr std::array<std::string_view, 1> kTrafficCause = {kSharedTraffic};
inline constexpr std::array<std::string_view, 1> kExcessCause = {"global_uncoalesced"};
inline constexpr std::array<std::string_view, 2> kCoalescedCauses = {kL2Traffic, kDramTraffic};
inline constexpr std::array<std::string_view, 3> kGlobalCauses = {"global_uncoalesced", kL2Traffic, kDramTraffic};

// --- what is asked for ---

// Demand for issue slots: of memory instructions, and of pipes without another count.
Range AsInstructions(Wait wait, const Asker& asker, const Range& instructions);

// The demand of one conversion. The XU pipe executes conversions and special functions.
double ConversionCost(Wait wait, const Asker& asker);

// The demand of global loads and stores. It is the number of requests or instructions in the base (`from`) or the
// candidate (`to`), times the cost of each.
struct GlobalAccesses {
  Range cost, from, to;
};
GlobalAccesses GlobalAccessesOf(Wait wait, const Askers& pair);

// `wanted`, but at most `change`; 0 if they have different signs.
double Within(double change, double wanted);
// The part of ln(b / a), the growth from `a` to `b` accesses, that comes from narrower accesses. 0 if a width is not
// known.
double GrowthByWidth(double a, double b, double width_from, double width_to);
// The same part as a number of accesses.
double MoreByWidth(double a, double b, double width_from, double width_to);
// `a` and `b` are products of bytes and a cost per byte. Returns the part of b - a that comes from the cost per byte,
// by LMDI (decompose.h). 0 if a number is not above 0.
double MoreByRate(double a, double b, double bytes_from, double bytes_to);

// 1 if two amounts are equal within a tenth, else 0.
Range Same(const Range& from, const Range& to);

// --- where in the source ---

// `all` - `ideal`; 0 if one of them was not counted.
double Difference(const InstructionRecord& instruction, const std::string& all, const std::string& ideal);
// Whether its lanes access fewer than 128 bits each.
bool IsNarrow(const InstructionRecord& instruction);

// --- values of factors, in lower case and in the words of our stages; users' stages may have others ---
namespace topic {
bool Has(std::string_view text, std::string_view part);
bool IsNone(std::string_view value);
bool IsSet(std::string_view value);
}  // namespace topic

// --- opinions on one kernel ---

// "12.3 us (4.5 %) `text`.", in brief "4.5 % `brief`". None if the share of the whole time is below `least`.
std::optional<Opinion> WaitsFor(double wait_us, double share, double least, std::string_view text,
                                std::string_view brief);
// The same for a state that belongs to this cause alone.
std::optional<Opinion> WaitsIn(std::string_view state, const Sharing& kernel, double least, std::string_view text,
                               std::string_view brief);

// A count per warp instruction of useful work, the ratio that tiling should lower: count / FFMA warp instructions. nullopt if FFMA is less than a tenth of the instructions, or if one of the two was
// not counted.
std::optional<double> PerFfma(const KernelView& kernel, double count);

// ", 2.000 for every FFMA instruction where 0.250 would keep pace with the FFMA lanes"; the pace is left out where the
// ratio keeps it, and the clause is empty where there is no ratio.
// For what an SM does once per cycle: a load or store enters the LSU, a wavefront passes shared memory (sgemm_naive on
// the recorded H100 run: 0.70 global loads per SM and cycle are lsu_pipe_pct 70.9 %). In that cycle the lanes finish
// lanes / 32 FFMA instructions, 4 on an SM with 128 of them.
std::string PerFfmaClause(const KernelView& kernel, double count);

// --- what goes away ---

double PartOf(double one, double all);  // one / all; 0 if `all` is 0
// The share of these instructions in all instructions of the pipe.
double ShareOfPipe(const Sharing& kernel, const Measured& instructions, std::string_view pipe);
// Removes this share of one kind of waiting.
Removal WithoutWaiting(const char* reason, double share = 1);
// Removes these causes' share of all waiting for memory and of the waiting in the queues before it.
Removal WithoutMemory(const Sharing& kernel, CauseIds causes);
// The same for global memory. nullopt if its sectors were not counted.
std::optional<Removal> WithoutGlobal(const Sharing& kernel, CauseIds causes);

// `narrow`: the share of accesses to "shared" or "global" memory below 128 bits. `spared`: the share that 128-bit
// accesses would save for the same bytes, which is three quarters of 32-bit accesses and more of narrower ones.
// `spared_inst`: the same as a number of warp instructions.
struct Width {
  double narrow = 0, spared = 0;
  double spared_inst = 0;
};
std::optional<Width> WidthOf(const Sharing& kernel, const std::string& memory);

}  // namespace culprit
