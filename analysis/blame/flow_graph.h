// SPDX-License-Identifier: Apache-2.0
// The control flow of a function's machine code: basic blocks, where they lead, and its loops.
//
// A conditional branch leads both ways, a call to its target and behind itself (what a subroutine returns to is not
// followed out of it), BSYNC to where its BSSY says. Where an indirect branch leads the code does not say: here to
// every block behind it that nothing else leads to, which is how jump tables are laid out.
//
// Of code that no compiler writes, some guesses and some of the outer loops are left out, so that it does not take the
// square of its size.
#pragma once
#include <span>
#include <vector>

#include "profiler/sass/instruction.h"

namespace culprit {

// Instructions and blocks are counted from 0, in the order of the code.
struct BasicBlock {
  int first = 0, last = 0;  // instructions, both included
  // Of a block that the entry reaches, predecessors are only those that it reaches too.
  std::vector<int> successors = {}, predecessors = {};
  int dominator = -1;  // the immediate one; -1: the entry, and what it does not reach
  int loop = -1;       // innermost; -1: in none
  bool reached = false;
};

// A natural loop: the blocks from which a jump back to `header` is reached without passing it. Loops with one header
// are one loop. A cycle that can be entered in two places is no natural loop and not among them.
struct CodeLoop {
  int header = 0;
  int parent = -1;               // the loop around it
  int depth = 1;                 // 1: in no other
  std::vector<int> blocks = {};  // ascending, those of inner loops included
};

struct FlowGraph {
  std::vector<BasicBlock> blocks;
  std::vector<int> block_of;    // of each instruction
  std::vector<CodeLoop> loops;  // outer ones before those in them
  int indirect_branches = 0;    // whose targets are a guess

  int LoopOf(int instruction) const { return blocks[block_of[instruction]].loop; }
  // Loops around it: 0 for straight code.
  int DepthOf(int instruction) const { return LoopOf(instruction) < 0 ? 0 : loops[LoopOf(instruction)].depth; }
  // Whether every path from the entry to block `b` passes block `a`. Both must be reached.
  bool Dominates(int a, int b) const;
};

// `code` by pc_offset. The first instruction is the entry.
FlowGraph MakeFlowGraph(std::span<const SassInstruction> code);

}  // namespace culprit
