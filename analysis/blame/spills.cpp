// SPDX-License-Identifier: Apache-2.0
#include "analysis/blame/spills.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/blame/local_access.h"
#include "analysis/blame/walk_budget.h"

namespace culprit {
namespace {

// General registers, by number.
using Registers = std::set<int>;

Registers GeneralOf(const std::vector<RegisterRange>& ranges) {
  Registers registers;
  for (const RegisterRange& range : ranges)
    if (range.file == RegisterFile::kGeneral)
      for (int i = 0; i < range.count; ++i) registers.insert(range.first + i);
  return registers;
}

bool Meet(const Registers& a, const Registers& b) {
  return std::ranges::any_of(a, [&](int r) { return b.contains(r); });
}

class Placer {
 public:
  Placer(std::span<const SassInstruction> decoded, const FlowGraph& graph, std::span<const BlockTrips> trips,
         MachineCode& code)
      : decoded_(decoded), graph_(graph), trips_(trips), code_(code) {
    for (const LocalAccess& access : LocalAccesses(decoded))
      if (access.place == LocalPlace::kSpill) (access.store ? stores_ : reloads_).insert(access.instruction);
  }

  void Place() {
    for (const int reload : reloads_) TakeFrom(MostTaken(UsesOf(reload)), reload);
    // After the reloads: what one brings back may be put away again as it is.
    for (const int store : stores_) TakeFrom(MostTaken(MakersOf(store)), store);
  }

 private:
  // The first instructions on each path behind `reload` that use what it brings back.
  std::vector<int> UsesOf(int reload) const {
    struct Open {
      int from;
      Registers held;
    };
    std::vector<int> uses;
    std::vector<Open> open;
    std::set<std::size_t> seen;
    const auto follow = [&](std::size_t block, const Registers& held) {
      for (const int next : graph_.blocks[block].successors)
        if (seen.insert(Index(next)).second) open.push_back({graph_.blocks[Index(next)].first, held});
    };
    // Whether what was brought back is still there, and nobody used it, behind the block.
    const auto passes = [&](int from, Registers& held) {
      for (int i = from; i <= graph_.blocks[Block(from)].last; ++i) {
        if (!budget_.Take(WalkBudget::kWithRegisters)) return false;
        const SassInstruction& instruction = decoded_[Index(i)];
        if (!stores_.contains(i) && Meet(GeneralOf(instruction.reads), held)) {
          uses.push_back(i);
          return false;
        }
        if (instruction.guarded) continue;
        for (const int r : GeneralOf(instruction.writes)) held.erase(r);
        if (held.empty()) return false;
      }
      return true;
    };
    const Registers brought = GeneralOf(decoded_[Index(reload)].writes);
    if (reload < graph_.blocks[Block(reload)].last)
      open.push_back({reload + 1, brought});
    else
      follow(Block(reload), brought);
    while (!open.empty()) {
      Open path = std::move(open.back());
      open.pop_back();
      if (passes(path.from, path.held)) follow(Block(path.from), path.held);
    }
    return uses;
  }

  // The nearest instructions on each path before `store` that wrote what it puts away.
  std::vector<int> MakersOf(int store) const {
    // Its address is made of R1, which nobody writes but the entry; the other registers that it reads are the value.
    Registers value = GeneralOf(decoded_[Index(store)].reads);
    if (decoded_[Index(store)].address) value.erase(decoded_[Index(store)].address->base);
    std::vector<int> makers, open;
    std::set<std::size_t> seen;
    const auto search = [&](int first, int last) {
      for (int i = last; i >= first; --i) {
        if (!budget_.Take(WalkBudget::kWithRegisters)) return;
        if (Meet(GeneralOf(decoded_[Index(i)].writes), value)) {
          makers.push_back(i);
          return;
        }
      }
      for (const int before : graph_.blocks[Block(first)].predecessors)
        if (seen.insert(Index(before)).second) open.push_back(before);
    };
    search(graph_.blocks[Block(store)].first, store - 1);
    while (!open.empty()) {
      const BasicBlock& block = graph_.blocks[Index(open.back())];
      open.pop_back();
      search(block.first, block.last);
    }
    return makers;
  }

  // -1: none. Of several as many times the first in the code.
  int MostTaken(std::vector<int> instructions) const {
    std::ranges::sort(instructions);
    const auto most = std::ranges::max_element(instructions, {}, [&](int i) { return trips_[Block(i)].trips; });
    return most == instructions.end() ? -1 : *most;
  }

  void TakeFrom(int other, int spill) {
    if (other < 0 || code_.instructions[Index(other)].frames.empty()) return;
    code_.instructions[Index(spill)].frames = code_.instructions[Index(other)].frames;
  }

  static std::size_t Index(int i) { return static_cast<std::size_t>(i); }
  std::size_t Block(int instruction) const { return static_cast<std::size_t>(graph_.block_of[Index(instruction)]); }

  std::span<const SassInstruction> decoded_;
  const FlowGraph& graph_;
  std::span<const BlockTrips> trips_;
  MachineCode& code_;
  std::set<int> stores_, reloads_;
  mutable WalkBudget budget_;
};

}  // namespace

void PlaceSpillsAtTheirUses(std::span<const SassInstruction> decoded, const FlowGraph& graph,
                            std::span<const BlockTrips> trips, MachineCode& code) {
  Placer(decoded, graph, trips, code).Place();
}

}  // namespace culprit
