// SPDX-License-Identifier: Apache-2.0
// The control flow of a function's machine code: basic blocks, their successors, and loops.
//
// A conditional branch leads to its target and to the next instruction, as a call does. BSYNC leads to the place that
// its BSSY names. The code does not name the targets of an indirect branch. Here they are all later blocks without
// another predecessor, as in jump tables.
//
// In code that no compiler writes, such guesses and outer loops may take quadratic time, so some are left out.
#pragma once
#include <span>
#include <vector>

#include "profiler/code/instruction.h"

namespace culprit {

// Instructions and blocks are counted from 0, in the order of the code.
struct BasicBlock {
  int first = 0, last = 0;  // instructions, both included
  // The predecessors of a reachable block are only its reachable ones.
  std::vector<int> successors = {}, predecessors = {};
  int dominator = -1;  // the immediate dominator; -1 for the entry and for unreachable blocks
  int loop = -1;       // the innermost loop; -1: in none
  bool reached = false;
};

// A natural loop: the blocks from which a jump back to `header` can be reached without passing `header`. Loops with the
// same header are one loop. A cycle with two entries is not a natural loop and is left out.
struct CodeLoop {
  int header = 0;
  int parent = -1;               // the loop around it
  int depth = 1;                 // 1: an outermost loop
  std::vector<int> blocks = {};  // ascending; blocks of inner loops included
};

struct FlowGraph {
  std::vector<BasicBlock> blocks;
  std::vector<int> block_of;    // the block of each instruction
  std::vector<CodeLoop> loops;  // outer loops come before their inner loops
  int indirect_branches = 0;    // the number of branches with guessed targets

  int LoopOf(int instruction) const { return blocks[block_of[instruction]].loop; }
  // The number of loops around the instruction.
  int DepthOf(int instruction) const { return LoopOf(instruction) < 0 ? 0 : loops[LoopOf(instruction)].depth; }
  // Whether every path from the entry to block `b` passes block `a`. Both must be reached.
  bool Dominates(int a, int b) const;
};

// `code` must be sorted by pc_offset. Its first instruction is the entry.
FlowGraph MakeFlowGraph(std::span<const SassInstruction> code);

}  // namespace culprit
