// SPDX-License-Identifier: Apache-2.0
// Work that goes on by itself while warps do something else, and what they wait for when they wait for it: matrix
// products of a warpgroup (wgmma), and bulk copies (TMA), whose ends mbarriers in shared memory tell.
//
// The hardware counts that waiting in states of other names. As sampled on an H200: `barrier` at wgmma.wait_group,
// `mio_throttle` at an HGMMA whose queue is full, `long_scoreboard` at the try_wait of an mbarrier; warps that have
// nothing left to do but to stay until the others of their cluster or block are done stand in `barrier` too.
#pragma once
#include <span>

#include "analysis/blame/flow_graph.h"
#include "profiler/sass/instruction.h"

namespace culprit {

// HGMMA and its like: a product of a warpgroup's matrices.
bool IsGroupProduct(const SassInstruction& instruction);
// wgmma.wait_group.
bool IsProductWait(const SassInstruction& instruction);
// A barrier of a block or of a cluster, at which warps wait for each other.
bool IsBlockBarrier(const SassInstruction& instruction);

// test_wait and try_wait of an mbarrier.
bool IsPhaseCheck(const SassInstruction& instruction);
// An arrival that tells of no bytes: of those who have read a buffer.
bool IsRelease(const SassInstruction& instruction);
// A bulk copy into shared memory, or an asynchronous one that arrives at an mbarrier.
bool IsBulkLoad(const SassInstruction& instruction);

// What ends the phase of an mbarrier that a warp waits for, by what the warp does next: to use what was copied, or to
// copy. kOther: neither comes before the next wait.
enum class Phase { kOther, kCopy, kRelease };
Phase PhaseWaitedFor(std::span<const SassInstruction> code, const FlowGraph& graph, int check);

// Whether from the barrier at this instruction a warp only goes to its end.
bool IsLastBarrier(std::span<const SassInstruction> code, const FlowGraph& graph, int instruction);

}  // namespace culprit
