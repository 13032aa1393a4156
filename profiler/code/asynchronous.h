// SPDX-License-Identifier: Apache-2.0
// Asynchronous work and the instructions that wait for it: matrix products of a warpgroup (wgmma), and bulk copies
// (TMA), which end a phase of an mbarrier in shared memory.
//
// Samples name this waiting differently (H200): `barrier` at wgmma.wait_group, `mio_throttle` at an HGMMA if its queue
// is full, `long_scoreboard` at the try_wait of an mbarrier. Warps that only wait for the end of their block or cluster
// are in `barrier`, too.
#pragma once
#include <span>

#include "profiler/code/flow_graph.h"
#include "profiler/code/instruction.h"

namespace culprit {

// HGMMA and its like: a product of a warpgroup's matrices.
bool IsGroupProduct(const SassInstruction& instruction);
// wgmma.wait_group.
bool IsProductWait(const SassInstruction& instruction);
// BAR and UCGABAR_WAIT, where warps of a block or of a cluster wait for each other.
bool IsBarrier(const SassInstruction& instruction);

// test_wait and try_wait of an mbarrier.
bool IsPhaseCheck(const SassInstruction& instruction);
// An arrival at an mbarrier without bytes. Its thread has finished reading a buffer.
bool IsRelease(const SassInstruction& instruction);
// A bulk copy into shared memory, or a thread's asynchronous copy that arrives at an mbarrier.
bool IsBulkLoad(const SassInstruction& instruction);

// What completes the mbarrier phase that a warp waits for. The warp's next action shows it: using copied data (kCopy),
// copying (kRelease), or neither before its next wait (kOther).
enum class Phase { kOther, kCopy, kRelease };
Phase PhaseWaitedFor(std::span<const SassInstruction> code, const FlowGraph& graph, int check);

// Whether warps do nothing but end after the barrier at this instruction.
bool IsLastBarrier(std::span<const SassInstruction> code, const FlowGraph& graph, int instruction);

}  // namespace culprit
