// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/blame/lines.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "db/source_place.h"

namespace culprit {
namespace {

Cost CostOf(const InstructionCost& instruction) { return {instruction.Waiting(), instruction.Blamed()}; }

void AddReasons(const InstructionCost& instruction, std::map<std::string, Cost>& by_reason) {
  for (const auto& [reason, us] : instruction.waiting_us) by_reason[reason].waiting_us += us;
  for (const auto& [reason, us] : instruction.blamed_us) by_reason[reason].blamed_us += us;
}

const InstructionCost& At(const KernelCosts& costs, const InstructionPlace& place) {
  return costs.functions[place.function].costs[place.instruction];
}

// Calls `visit` with the place of each instruction that has a cost.
template <class Visit>
void ForEach(const KernelCosts& costs, Visit visit) {
  for (int f = 0; f < static_cast<int>(costs.functions.size()); ++f)
    for (int i = 0; i < static_cast<int>(costs.functions[f].costs.size()); ++i)
      if (const InstructionPlace place{f, i}; !CostOf(At(costs, place)).IsNothing()) visit(place);
}

Operation OperationAt(const KernelCosts& costs, const InstructionPlace& place) {
  return FindOperation(costs.functions[place.function].decoded[place.instruction].mnemonic).operation;
}

auto MostFirst(const Cost& cost) { return std::pair(-cost.blamed_us, -cost.waiting_us); }

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  waiting_us += other.waiting_us;
  blamed_us += other.blamed_us;
  return *this;
}

std::vector<CostLine> LinesOf(const KernelCosts& costs) {
  std::map<std::pair<std::string, int>, CostLine> lines;
  ForEach(costs, [&](const InstructionPlace& place) {
    const auto& frames = costs.functions[place.function].code.instructions[place.instruction].frames;
    const auto own = FindOwnLine(frames);
    const SourceFrame at = own == frames.end() ? SourceFrame() : *own;
    CostLine& line = lines[{at.file, at.line}];
    const Cost cost = CostOf(At(costs, place));
    line.at = at;
    line.cost += cost;
    line.by_operation[OperationAt(costs, place)] += cost;
    AddReasons(At(costs, place), line.by_reason);
    line.instructions.push_back(place);
    auto chain = std::ranges::find(line.chains, frames, &CostLine::Chain::frames);
    if (chain == line.chains.end()) chain = line.chains.insert(chain, {frames, {}});
    chain->cost += cost;
  });
  for (const FunctionCosts& function : costs.functions)
    for (std::size_t i = 0; i < function.lanes.size(); ++i) {
      const auto& frames = function.code.instructions[i].frames;
      const auto own = FindOwnLine(frames);
      if (own == frames.end()) continue;
      if (const auto line = lines.find({own->file, own->line}); line != lines.end())
        line->second.lanes += function.lanes[i];
    }
  std::vector<CostLine> sorted;
  for (auto& [key, line] : lines) {
    std::ranges::stable_sort(line.chains, {}, [](const CostLine::Chain& c) { return MostFirst(c.cost); });
    std::ranges::stable_sort(line.instructions, {},
                             [&](const InstructionPlace& p) { return MostFirst(CostOf(At(costs, p))); });
    sorted.push_back(std::move(line));
  }
  std::ranges::stable_sort(sorted, {}, [](const CostLine& l) { return MostFirst(l.cost); });
  return sorted;
}

std::map<Operation, Cost> OperationsOf(const KernelCosts& costs) {
  std::map<Operation, Cost> all;
  ForEach(costs, [&](const InstructionPlace& place) { all[OperationAt(costs, place)] += CostOf(At(costs, place)); });
  return all;
}

std::map<std::string, Cost> ReasonsOf(const KernelCosts& costs) {
  std::map<std::string, Cost> all;
  ForEach(costs, [&](const InstructionPlace& place) { AddReasons(At(costs, place), all); });
  return all;
}

}  // namespace culprit
