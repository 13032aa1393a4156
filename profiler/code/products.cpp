// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/products.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "profiler/code/asynchronous.h"
#include "profiler/code/walk_budget.h"

namespace culprit {
namespace {

// The nearest instructions on each path before `product` that wrote what it reads of uniform registers, which hold its
// descriptors and nothing else of it, in the order of the code.
std::set<int> MakersOf(int product, std::span<const SassInstruction> decoded, const FlowGraph& graph,
                       WalkBudget& budget) {
  struct Open {
    int block, last;  // the last instruction of it to look at
    std::set<int> sought;
  };
  std::set<int> makers, seen;
  std::vector<Open> open = {
      {graph.block_of[product], product - 1, NumbersOf(RegisterFile::kUniform, decoded[product].reads)}};
  while (!open.empty()) {
    auto [block, last, sought] = std::move(open.back());
    open.pop_back();
    for (int i = last; i >= graph.blocks[block].first && !sought.empty() && budget.Take(WalkBudget::kWithRegisters);
         --i)
      for (const int written : NumbersOf(RegisterFile::kUniform, decoded[i].writes)) {
        if (!sought.contains(written)) continue;
        makers.insert(i);
        if (!decoded[i].guarded) sought.erase(written);
      }
    if (sought.empty()) continue;
    for (const int before : graph.blocks[block].predecessors)
      if (seen.insert(before).second) open.push_back({before, graph.blocks[before].last, sought});
  }
  return makers;
}

}  // namespace

void PlaceProductsAtTheirFactors(std::span<const SassInstruction> decoded, const FlowGraph& graph, MachineCode& code) {
  WalkBudget budget;
  for (int i = 0; i < std::ssize(decoded); ++i) {
    if (!IsGroupProduct(decoded[i])) continue;
    std::vector<std::pair<const std::vector<SourceFrame>*, int>> places;  // how many makers stand at each
    for (const int maker : MakersOf(i, decoded, graph, budget)) {
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
