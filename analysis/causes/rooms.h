// SPDX-License-Identifier: Apache-2.0
// The rooms by family, one function each; table.cpp puts them in order. And what rooms of different families share.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/causes/cause.h"
#include "analysis/causes/sharing.h"

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

// Causes that others take from.
inline constexpr std::string_view kL2Traffic = "l2_traffic";
inline constexpr std::string_view kDramTraffic = "dram_traffic";
inline constexpr std::string_view kSharedTraffic = "shared_traffic";
inline constexpr std::string_view kInstructionCount = "instruction_count";

// Of one kernel, whose waiting it is.
inline constexpr std::array<std::string_view, 3> kLocalCauses = {"local_memory_array", "local_memory_spill",
                                                                 "local_memory_unknown"};
inline constexpr std::array<std::string_view, 2> kSharedCauses = {"shared_bank_conflicts", kSharedTraffic};
inline constexpr std::array<std::string_view, 1> kConflictCause = {"shared_bank_conflicts"};
inline constexpr std::array<std::string_view, 1> kTrafficCause = {kSharedTraffic};
inline constexpr std::array<std::string_view, 1> kExcessCause = {"global_uncoalesced"};
inline constexpr std::array<std::string_view, 2> kCoalescedCauses = {kL2Traffic, kDramTraffic};
inline constexpr std::array<std::string_view, 3> kGlobalCauses = {"global_uncoalesced", kL2Traffic, kDramTraffic};

// --- what is asked for ---

// Memory instructions take an issue slot each, and a pipe's of which nothing else is known.
Range AsInstructions(Wait wait, const Asker& asker, const Range& instructions);

// What a conversion asks for: the XU pipe executes it, as special functions.
double ConversionCost(Wait wait, const Asker& asker);

// Global loads and stores in what is waited for: as many requests or instructions, and what each costs.
struct GlobalAccesses {
  Range cost, from, to;
};
GlobalAccesses GlobalAccessesOf(Wait wait, const Askers& pair);

// All in logarithms. Of a growth, at most all of it, and only what has its sign.
double GrowthWithin(double growth, double wanted);
// Of the growth from `a` accesses to `b`, what narrower ones bring; 0 where a width is not known.
double GrowthByWidth(double a, double b, double width_from, double width_to);

// 1: two amounts are the same, within a tenth; 0: they are not.
Range Same(const Range& from, const Range& to);

// --- where in the source ---

// 0 where one of the two was not counted, which says nothing.
double Difference(const InstructionRecord& instruction, const std::string& all, const std::string& ideal);
// Of the widths that one access of a lane can have, the widest, 128 bits, is left out.
bool IsNarrow(const InstructionRecord& instruction);

// --- values of factors, in lower case, in the words of the stages that ship; a user's own can join ---
namespace topic {
bool Has(std::string_view text, std::string_view part);
bool IsNone(std::string_view value);
bool IsSet(std::string_view value);
}  // namespace topic

// --- what goes away ---

double PartOf(double one, double all);  // 0 of nothing
// Of the instructions of a pipe.
double ShareOfPipe(const Sharing& kernel, const Measured& instructions, std::string_view pipe);
// A share of one kind of waiting.
Removal WithoutWaiting(const char* reason, double share = 1);
// All waiting for memory, and in the queue before it, that these causes ask for.
Removal WithoutMemory(const Sharing& kernel, CauseIds causes);
// The same of global memory; nullopt where its sectors were not counted.
std::optional<Removal> WithoutGlobal(const Sharing& kernel, CauseIds causes);

// What narrow accesses of "shared" or "global" memory are of its accesses, and what these would be fewer with as many
// bytes in accesses of 128 bits: three of four that move 32 bits, more of those that move less.
struct Width {
  double narrow = 0, spared = 0;
  double spared_inst = 0;
};
std::optional<Width> WidthOf(const Sharing& kernel, const std::string& memory);

}  // namespace culprit
