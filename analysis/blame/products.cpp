// SPDX-License-Identifier: Apache-2.0
#include "analysis/blame/products.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/blame/asynchronous.h"
#include "analysis/blame/walk_budget.h"

namespace culprit {
namespace {

// Uniform registers, by number: descriptors are in them, and nothing else of a product is.
using Registers = std::set<int>;

Registers UniformOf(const std::vector<RegisterRange>& ranges) {
  Registers registers;
  for (const RegisterRange& range : ranges)
    if (range.file == RegisterFile::kUniform)
      for (int i = 0; i < range.count; ++i) registers.insert(range.first + i);
  return registers;
}

// The nearest instructions on each path before `product` that wrote what it reads of uniform registers, in the order of
// the code.
std::set<std::size_t> MakersOf(std::size_t product, std::span<const SassInstruction> decoded, const FlowGraph& graph,
                               WalkBudget& budget) {
  struct Open {
    const BasicBlock& block;
    std::size_t end;  // behind the last instruction of it to look at
    Registers sought;
  };
  const auto block_at = [&](int block) -> const BasicBlock& { return graph.blocks[static_cast<std::size_t>(block)]; };
  std::set<std::size_t> makers;
  std::set<int> seen;
  std::vector<Open> open = {{block_at(graph.block_of[product]), product, UniformOf(decoded[product].reads)}};
  while (!open.empty()) {
    auto [block, end, sought] = std::move(open.back());
    open.pop_back();
    for (std::size_t i = end;
         i-- > static_cast<std::size_t>(block.first) && !sought.empty() && budget.Take(WalkBudget::kWithRegisters);)
      for (const int written : UniformOf(decoded[i].writes)) {
        if (!sought.contains(written)) continue;
        makers.insert(i);
        if (!decoded[i].guarded) sought.erase(written);
      }
    if (sought.empty()) continue;
    for (const int before : block.predecessors)
      if (seen.insert(before).second)
        open.push_back({block_at(before), static_cast<std::size_t>(block_at(before).last) + 1, sought});
  }
  return makers;
}

}  // namespace

void PlaceProductsAtTheirFactors(std::span<const SassInstruction> decoded, const FlowGraph& graph, MachineCode& code) {
  WalkBudget budget;
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    if (!IsGroupProduct(decoded[i])) continue;
    std::vector<std::pair<const std::vector<SourceFrame>*, int>> places;  // how many makers stand at each
    for (const std::size_t maker : MakersOf(i, decoded, graph, budget)) {
      const std::vector<SourceFrame>& frames = code.instructions[maker].frames;
      if (frames.empty()) continue;
      const auto known = std::ranges::find_if(places, [&](const auto& place) { return *place.first == frames; });
      const int makers = known == places.end() ? 1 : known->second + 1;
      // The latest last: of as many, those that were put into place just before the product.
      if (known != places.end()) places.erase(known);
      places.emplace_back(&frames, makers);
    }
    if (places.empty()) continue;
    std::ranges::reverse(places);
    const std::vector<SourceFrame> frames =
        *std::ranges::max_element(places, {}, [](const auto& p) { return p.second; })->first;
    code.instructions[i].frames = frames;
  }
}

}  // namespace culprit
