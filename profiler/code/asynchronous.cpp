// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/asynchronous.h"

#include <deque>
#include <vector>

#include "profiler/code/operation.h"

namespace culprit {
namespace {

// Calls `visit` with each instruction that can come after `from`, the nearest first, once; it returns whether to go on
// behind it.
template <class Visit>
void WalkOn(const FlowGraph& graph, int from, Visit visit) {
  std::vector<bool> seen(graph.blocks.size(), false);
  struct Place {
    int instruction, block;
  };
  std::deque<Place> open = {{from, graph.block_of[from]}};
  while (!open.empty()) {
    const auto [at, block] = open.front();
    open.pop_front();
    if (at != from && !visit(at)) continue;
    if (at < graph.blocks[block].last) {
      open.push_back({at + 1, block});
      continue;
    }
    for (const int next : graph.blocks[block].successors)
      if (!seen[next]) {
        seen[next] = true;
        open.push_back({graph.blocks[next].first, next});
      }
  }
}

bool UsesWhatWasCopied(const SassInstruction& i) {
  switch (FindOperation(i.mnemonic).operation) {
    case Operation::kSharedLoad:
    case Operation::kGenericLoad:
      return true;
    case Operation::kTensor:
      return i.mnemonic != "WARPGROUP" && i.mnemonic != "WARPGROUPSET";
    default:
      return false;
  }
}

}  // namespace

bool IsGroupProduct(const SassInstruction& i) { return i.mnemonic.size() == 5 && i.mnemonic.ends_with("GMMA"); }
bool IsProductWait(const SassInstruction& i) { return i.opcode == "WARPGROUP.DEPBAR"; }
bool IsBarrier(const SassInstruction& i) { return i.mnemonic == "BAR" || i.mnemonic == "UCGABAR_WAIT"; }
bool IsPhaseCheck(const SassInstruction& i) { return i.opcode.starts_with("SYNCS.PHASECHK"); }
bool IsRelease(const SassInstruction& i) { return i.opcode == "SYNCS.ARRIVE.A1T0"; }

bool IsBulkLoad(const SassInstruction& i) {
  // UBLKCP copies the other way too; the operands do not say, and a kernel of bulk stores alone checks no phase.
  return i.mnemonic == "UTMALDG" || i.mnemonic == "UBLKCP" || i.mnemonic == "ARRIVES";
}

Phase PhaseWaitedFor(std::span<const SassInstruction> code, const FlowGraph& graph, int check) {
  Phase phase = Phase::kOther;
  WalkOn(graph, check, [&](int i) {
    if (phase != Phase::kOther) return false;
    if (IsBulkLoad(code[i])) phase = Phase::kRelease;
    if (UsesWhatWasCopied(code[i])) phase = Phase::kCopy;
    return phase == Phase::kOther && !IsBarrier(code[i]);
  });
  return phase;
}

bool IsLastBarrier(std::span<const SassInstruction> code, const FlowGraph& graph, int instruction) {
  if (!IsBarrier(code[instruction])) return false;
  bool ends = false, works = false;
  WalkOn(graph, instruction, [&](int i) {
    if (code[i].flow == SassFlow::kExit) {
      ends = true;
      return code[i].guarded;
    }
    // What comes with a barrier of a cluster: errors of others, lines that were read before.
    const bool idle = code[i].mnemonic == "CCTL" || code[i].mnemonic == "NOP" || code[i].mnemonic == "ERRBAR" ||
                      code[i].mnemonic == "CGAERRBAR";
    works = works || !idle;
    return !works;
  });
  return ends && !works;
}

}  // namespace culprit
