// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/known_without_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/judge/blame/costs.h"
#include "analysis/number/format.h"
#include "db/source_place.h"
#include "profiler/code/operation.h"

namespace culprit {
namespace {

struct StatedFact {
  std::string_view id, what;
  bool is_share = false;
};

constexpr StatedFact kStated[] = {
    {"local_bytes", "local memory of a thread"},
    {"theoretical_occupancy", "theoretical occupancy", true},
    {"registers", "registers of a thread"},
    {"static_shared_bytes", "static shared memory of a block"},
    {"dynamic_shared_bytes", "dynamic shared memory of a block"},
    {"block_threads", "threads of a block"},
    {"blocks", "blocks"},
};

// Parts of the time that are below this share of the slower kernel's are left out.
constexpr double kNotable = 0.02;
// So many are named in a sentence; the table has all.
constexpr std::size_t kFirst = 3;

using Counts = std::map<std::string, double>;

bool IsMemory(Operation operation) { return operation <= Operation::kSharedAtomic; }

std::string NameOf(const SassInstruction& instruction) {
  const Operation operation = FindOperation(instruction.mnemonic).operation;
  const std::string title = fmt::format("instructions: {}", TitleOf(operation));
  return IsMemory(operation) && instruction.access_bytes > 0
             ? fmt::format("{} of {} byte{}", title, instruction.access_bytes, instruction.access_bytes == 1 ? "" : "s")
             : title;
}

bool IsInnermost(const FlowGraph& graph, int loop) {
  return std::ranges::none_of(graph.loops, [&](const CodeLoop& other) { return other.parent == loop; });
}

int InstructionsIn(const FlowGraph& graph, const CodeLoop& loop) {
  int count = 0;
  for (const int block : loop.blocks) count += graph.blocks[block].last - graph.blocks[block].first + 1;
  return count;
}

using PerLine = std::map<std::pair<std::string, int>, double>;  // by file and line

// Of the kernel and what it calls.
struct CodeCounts {
  double instructions = 0, loops = 0, longest = 0;  // longest: instructions of the longest loop that has none within
  Counts kinds;
  std::map<std::string, PerLine> lines;  // by kind
};

CodeCounts CountsOf(const KernelCosts& costs) {
  CodeCounts counts;
  for (const FunctionCosts& function : costs.functions) {
    counts.instructions += static_cast<double>(function.decoded.size());
    for (std::size_t i = 0; i < function.decoded.size(); ++i) {
      const SassInstruction& instruction = function.decoded[i];
      if (instruction.mnemonic.empty() || instruction.mnemonic == "NOP") continue;
      const std::string kind = NameOf(instruction);
      ++counts.kinds[kind];
      const std::vector<SourceFrame>& frames = function.code.instructions[i].frames;
      if (const auto own = FindOwnLine(frames); own != frames.end()) ++counts.lines[kind][{own->file, own->line}];
    }
    const FlowGraph& graph = function.graph;
    counts.loops += static_cast<double>(graph.loops.size());
    for (int l = 0; l < static_cast<int>(graph.loops.size()); ++l)
      if (IsInnermost(graph, l))
        counts.longest = std::max<double>(counts.longest, InstructionsIn(graph, graph.loops[l]));
  }
  return counts;
}

Counts WaitingOf(const KernelCosts& costs) {
  Counts waiting;
  for (const FunctionCosts& function : costs.functions)
    for (const InstructionCost& cost : function.costs)
      for (const auto& [reason, us] : cost.waiting_us) waiting[reason] += us;
  return waiting;
}

double At(const Counts& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

std::vector<KnownDifference::Line> MostOf(const PerLine& lines) {
  std::vector<KnownDifference::Line> most;
  for (const auto& [at, instructions] : lines) most.push_back({at.first, at.second, instructions});
  std::ranges::stable_sort(most, std::ranges::greater(), &KnownDifference::Line::instructions);
  most.resize(std::min(most.size(), kFirst));
  return most;
}

class Known {
 public:
  void Add(std::string what, std::string_view unit, const Measured& base, const Measured& candidate) {
    if (base.value() != candidate.value()) found_.push_back({std::move(what), std::string(unit), base, candidate});
  }

  void AddCode(const CodeCounts& base, const CodeCounts& candidate) {
    if (base.instructions == 0 || candidate.instructions == 0) return;
    Add("instructions of the code", "inst", base.instructions, candidate.instructions);
    Add("loops of the code", "count", base.loops, candidate.loops);
    Add("instructions of the longest innermost loop", "inst", base.longest, candidate.longest);
    const std::size_t first = found_.size();
    AddEach(base.kinds, candidate.kinds, "inst", 0);
    for (std::size_t i = first; i < found_.size(); ++i) {
      const auto& lines = *found_[i].base > *found_[i].candidate ? base.lines : candidate.lines;
      if (const auto of = lines.find(found_[i].what); of != lines.end()) found_[i].at = MostOf(of->second);
    }
  }

  void AddWaiting(const KernelCosts& base, const KernelCosts& candidate) {
    AddEach(WaitingOf(base), WaitingOf(candidate), "us", kNotable * std::max(base.time_us, candidate.time_us));
  }

  std::vector<KnownDifference> Take() { return std::move(found_); }

 private:
  // Those that differ by more than `least`, the largest difference first.
  void AddEach(const Counts& base, const Counts& candidate, std::string_view unit, double least) {
    Counts all = base;
    all.insert(candidate.begin(), candidate.end());
    std::vector<std::string> names;
    for (const auto& [name, count] : all)
      if (std::abs(At(candidate, name) - At(base, name)) > least) names.push_back(name);
    std::ranges::stable_sort(names, std::ranges::greater(),
                             [&](const std::string& name) { return std::abs(At(candidate, name) - At(base, name)); });
    for (const std::string& name : names)
      Add(unit == "us" ? fmt::format("time in {}, by samples", name) : name, unit, At(base, name), At(candidate, name));
  }

  std::vector<KnownDifference> found_;
};

}  // namespace

std::vector<KnownDifference> KnownWithoutCounters(const KernelView& base, const KernelView& candidate,
                                                  const KernelCosts* base_code, const KernelCosts* candidate_code) {
  Known known;
  for (const auto& [id, what, is_share] : kStated) {
    const Measured scale = is_share ? 100 : 1, from = scale * base.Get(id), to = scale * candidate.Get(id);
    if (from && to) known.Add(std::string(what), is_share ? "%" : base.UnitOf(id), from, to);
  }
  if (base_code == nullptr || candidate_code == nullptr) return known.Take();
  known.AddCode(CountsOf(*base_code), CountsOf(*candidate_code));
  if (base_code->samples > 0 && candidate_code->samples > 0) known.AddWaiting(*base_code, *candidate_code);
  return known.Take();
}

std::string FirstOf(std::span<const KnownDifference> known) {
  std::vector<std::string> texts;
  for (const KnownDifference& k : known.first(std::min(known.size(), kFirst))) {
    const Unit unit = UnitFromCatalogue(k.unit);
    texts.push_back(fmt::format("{} {} -> {}", k.what, Format(*k.base, unit), Format(*k.candidate, unit)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace culprit
