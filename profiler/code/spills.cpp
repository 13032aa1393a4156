// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/spills.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "profiler/code/local_access.h"
#include "profiler/code/walk_budget.h"

namespace culprit {
namespace {

using Registers = std::set<int>;

Registers GeneralOf(const std::vector<RegisterRange>& ranges) { return NumbersOf(RegisterFile::kGeneral, ranges); }

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
    std::set<int> seen;
    const auto follow = [&](int block, const Registers& held) {
      for (const int next : graph_.blocks[block].successors)
        if (seen.insert(next).second) open.push_back({graph_.blocks[next].first, held});
    };
    // Whether what was brought back is still there, and nobody used it, behind the block.
    const auto passes = [&](int from, Registers& held) {
      for (int i = from; i <= graph_.blocks[graph_.block_of[from]].last; ++i) {
        if (!budget_.Take(WalkBudget::kWithRegisters)) return false;
        const SassInstruction& instruction = decoded_[i];
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
    const Registers brought = GeneralOf(decoded_[reload].writes);
    if (reload < graph_.blocks[graph_.block_of[reload]].last)
      open.push_back({reload + 1, brought});
    else
      follow(graph_.block_of[reload], brought);
    while (!open.empty()) {
      Open path = std::move(open.back());
      open.pop_back();
      if (passes(path.from, path.held)) follow(graph_.block_of[path.from], path.held);
    }
    return uses;
  }

  // The nearest instructions on each path before `store` that wrote what it puts away.
  std::vector<int> MakersOf(int store) const {
    // Its address is made of R1, which nobody writes but the entry; the other registers that it reads are the value.
    Registers value = GeneralOf(decoded_[store].reads);
    if (decoded_[store].address) value.erase(decoded_[store].address->base);
    std::vector<int> makers;
    const auto makes = [&](int i) {
      const bool found = Meet(GeneralOf(decoded_[i].writes), value);
      if (found) makers.push_back(i);
      return found;
    };
    WalkBack(graph_, budget_, store, makes, WalkBudget::kWithRegisters);
    return makers;
  }

  // -1: none. Of several as many times the first in the code.
  int MostTaken(std::vector<int> instructions) const {
    std::ranges::sort(instructions);
    const auto most =
        std::ranges::max_element(instructions, {}, [&](int i) { return trips_[graph_.block_of[i]].trips; });
    return most == instructions.end() ? -1 : *most;
  }

  void TakeFrom(int other, int spill) {
    if (other < 0 || code_.instructions[other].frames.empty()) return;
    code_.instructions[spill].frames = code_.instructions[other].frames;
  }

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
