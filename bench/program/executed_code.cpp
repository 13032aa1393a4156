// SPDX-License-Identifier: Apache-2.0
#include "bench/program/executed_code.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "profiler/code/flow_graph.h"

namespace culprit {
namespace {

// Fewer samples of issuing warps say too little.
constexpr double kLeastSelected = 5;
// The sampler takes one warp of an SM a period, so it prefers warps that have few others beside them. Code that runs at
// such times seems to run more often than it does. docs/evidence/samples_as_counters.md measured the error: it is small
// for code that has most instructions, and large for the rest.
constexpr double kMostUneven = 0.3, kMostWithoutWarps = 0.6;
constexpr double kUnevenAtAll = 0.006, kByUnevenness = 4, kMostUnevenness = 0.5;

// At instructions that gather the lanes of a warp, this share of warps had diverged.
constexpr double kDiverged = 0.3;

struct Group {
  std::vector<int> blocks = {};
  double instructions = 0;
  double usable = 0;    // instructions whose samples count
  double selected = 0;  // samples of these
  double rate = 0;      // samples of an instruction
  double variance = 0;  // of ln(rate)
  bool once = false;
};

class Function {
 public:
  Function(const MachineCode& code, const std::map<std::int64_t, double>& selected) {
    const int architecture = ArchitectureOf(code.instructions);
    for (const MachineInstruction& i : code.instructions) {
      code_.push_back(DecodeSass(i.low, i.high, i.pc_offset, architecture));
      const auto found = selected.find(i.pc_offset);
      selected_.push_back(found == selected.end() ? 0 : found->second);
    }
    graph_ = MakeFlowGraph(code_);
  }

  // Whether it jumps nowhere outside of itself.
  bool IsComplete() const {
    return std::ranges::all_of(code_, [&](const SassInstruction& i) {
      if (i.flow == SassFlow::kIndirect) return i.mnemonic.starts_with("BRX");
      if (i.flow != SassFlow::kBranch && i.flow != SassFlow::kCall) return true;
      return i.target && std::ranges::binary_search(code_, *i.target, {}, &SassInstruction::pc_offset);
    });
  }

  std::vector<Group> Groups(bool join_once) const {
    std::vector<int> root(graph_.blocks.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int b) {
      while (root[b] != b) b = root[b];
      return b;
    };
    for (int b = 0; b < Blocks(); ++b)
      if (const int next = OnlyNext(b); next >= 0) root[find(next)] = find(b);
    const std::vector<int> once = join_once ? RunOnce() : std::vector<int>{};
    for (const int b : once) root[find(b)] = find(once.front());
    std::map<int, Group> groups;
    for (int b = 0; b < Blocks(); ++b) Add(b, groups[find(b)]);
    for (const int b : once) groups[find(b)].once = true;
    for (auto& [_, group] : groups) {
      if (group.usable == 0) continue;
      group.rate = group.selected / group.usable;
      group.variance = group.selected > 0 ? 1 / group.selected : 0;
    }
    const auto rate_of = [&](int block) {
      const Group& group = groups.at(find(block));
      return group.usable > 0 ? std::optional(group.rate) : std::nullopt;
    };
    for (auto& [_, group] : groups)
      if (group.usable == 0) Bound(group, rate_of);
    std::vector<Group> all;
    for (auto& [_, group] : groups) all.push_back(std::move(group));
    return all;
  }

  // Instructions that each part of a diverged warp executes for itself.
  double Gathering(const Group& group) const {
    const std::vector<SassInstruction> code = CodeOf(group);
    return static_cast<double>(std::ranges::count_if(code, [](const SassInstruction& i) {
      return i.mnemonic == "BSYNC" || i.mnemonic == "WARPSYNC" || i.mnemonic == "EXIT";
    }));
  }

  std::vector<SassInstruction> CodeOf(const Group& group) const {
    std::vector<SassInstruction> code;
    for (const int b : group.blocks)
      code.insert(code.end(), code_.begin() + graph_.blocks[b].first, code_.begin() + graph_.blocks[b].last + 1);
    return code;
  }

 private:
  int Blocks() const { return static_cast<int>(graph_.blocks.size()); }
  const SassInstruction& LastOf(int block) const { return code_[graph_.blocks[block].last]; }

  // The block that runs after `block` whenever that has run, and never else; -1: none.
  int OnlyNext(int block) const {
    const auto& next = graph_.blocks[block].successors;
    if (next.size() != 1 || next.front() == block || Leaves(block)) return -1;
    return graph_.blocks[next.front()].predecessors.size() == 1 ? next.front() : -1;
  }

  // Whether some warps, or their lanes, may go where the graph does not.
  bool Leaves(int block) const {
    const SassFlow flow = LastOf(block).flow;
    return flow != SassFlow::kNext && flow != SassFlow::kBranch;
  }

  // Blocks on every path from the entry to an exit and in no loop. Each warp runs these once.
  std::vector<int> RunOnce() const {
    int common = -1;
    for (int b = 0; b < Blocks(); ++b) {
      if (!graph_.blocks[b].reached || !IsExit(b)) continue;
      if (common < 0) common = b;
      while (common >= 0 && !graph_.Dominates(common, b)) common = graph_.blocks[common].dominator;
    }
    std::vector<int> once;
    for (int b = common; b >= 0; b = graph_.blocks[b].dominator)
      if (!ComesBackTo(b)) once.push_back(b);
    return once;
  }

  bool IsExit(int block) const {
    const SassFlow flow = LastOf(block).flow;
    return flow == SassFlow::kExit || flow == SassFlow::kReturn || graph_.blocks[block].successors.empty();
  }

  bool ComesBackTo(int block) const {
    std::vector<bool> seen(graph_.blocks.size(), false);
    std::vector<int> open = {block};
    while (!open.empty()) {
      const int b = open.back();
      open.pop_back();
      for (const int to : graph_.blocks[b].successors) {
        if (to == block) return true;
        if (!seen[to]) open.push_back(to);
        seen[to] = true;
      }
    }
    return false;
  }

  // A block's first instruction says nothing: of a warp that jumps, the sampler sees the next issue at the instruction
  // behind the jump, not at its target.
  void Add(int block, Group& group) const {
    const BasicBlock& of = graph_.blocks[block];
    group.blocks.push_back(block);
    group.instructions += of.last - of.first + 1;
    group.usable += of.last - of.first;
    for (int i = of.first + 1; i <= of.last; ++i) group.selected += selected_[i];
  }

  // A lone instruction. Warps come to it from the blocks before it, unless they go elsewhere, and go on to those behind.
  template <class RateOf>
  void Bound(Group& group, const RateOf& rate_of) const {
    const int block = group.blocks.front();
    const BasicBlock& of = graph_.blocks[block];
    constexpr double kAny = std::numeric_limits<double>::infinity();
    // Of all `blocks` but `without`.
    const auto sum = [&](const std::vector<int>& blocks, int without, double if_not_known) {
      double all = 0;
      for (const int b : blocks)
        if (b != without) all += rate_of(b).value_or(if_not_known);
      return all;
    };
    double least = 0, most = sum(of.predecessors, block, kAny);
    if (!Leaves(block)) most = std::min(most, sum(of.successors, block, kAny));
    for (const int to : of.successors)
      if (to != block)
        least = std::max(least, rate_of(to).value_or(0) - sum(graph_.blocks[to].predecessors, block, kAny));
    for (const int from : of.predecessors)
      if (from != block && !Leaves(from))
        least = std::max(least, rate_of(from).value_or(0) - sum(graph_.blocks[from].successors, block, kAny));
    if (most == kAny) most = std::max(least, selected_[of.first]);
    least = std::min(least, most);
    group.rate = (least + most) / 2;
    if (group.rate > 0)
      group.variance = ((most - least) * (most - least) / 12 + group.rate) / (group.rate * group.rate);
  }

  std::vector<SassInstruction> code_;
  std::vector<double> selected_;  // samples of each instruction
  FlowGraph graph_;
};

}  // namespace

std::optional<ExecutedCode> ExecutedCodeOf(const SamplingRecord& sampling, double inst_executed,
                                           std::optional<double> warps, double uneven, double inst_executed_error) {
  std::map<std::string, std::map<std::int64_t, double>> selected;  // by function and pc offset
  double all_selected = 0;
  for (const PcSample& row : sampling.rows) {
    auto& of = selected[row.function];
    if (row.reason != "selected") continue;
    of[row.pc_offset] += static_cast<double>(row.samples);
    all_selected += static_cast<double>(row.samples);
  }
  if (!(inst_executed > 0)) return std::nullopt;
  std::vector<Function> functions;
  ExecutedCode executions{.groups = {}, .inst_executed = inst_executed, .complete = true};
  for (const auto& [name, of] : selected) {
    const auto code = std::ranges::find(sampling.code, name, &MachineCode::function);
    if (code == sampling.code.end() || code->instructions.empty()) return std::nullopt;
    functions.emplace_back(*code, of);
    executions.complete &= functions.back().IsComplete();
  }
  const bool join_once = warps && functions.size() == 1;

  double rates = 0;
  for (const Function& function : functions) {
    for (const Group& group : function.Groups(join_once)) {
      RunTogether together{.code = function.CodeOf(group), .known = group.once, .variance = group.variance};
      if (group.once) {
        together.executions = *warps;
        executions.at_known += *warps * group.instructions;
        executions.at_known_error += kDiverged * *warps * function.Gathering(group);
      } else {
        together.executions = group.rate;
        rates += group.rate * group.instructions;
        together.unseen = group.rate > 0 ? 0 : 1 / std::max(1.0, group.usable);
      }
      executions.groups.push_back(std::move(together));
    }
  }
  constexpr double kRounding = 1e-6, kStandardErrors = 3;
  const double off = std::max(kRounding * inst_executed, kStandardErrors * inst_executed_error);
  const double shared = executions.Shared();
  const bool all_known = rates == 0 && std::abs(shared) <= off && executions.at_known > 0;
  if (all_known) executions.inst_executed = executions.at_known;
  if (!all_known && (rates == 0 || shared < -off || all_selected < kLeastSelected))
    return join_once ? ExecutedCodeOf(sampling, inst_executed, std::nullopt, uneven, inst_executed_error)
                     : std::nullopt;
  const double per_sample = rates > 0 ? std::max(0.0, shared) / rates : 0;
  const double most = join_once ? kMostUneven : kMostWithoutWarps;
  for (RunTogether& group : executions.groups) {
    if (group.known) {
      group.variance = 0;
      continue;
    }
    group.executions *= per_sample;
    group.unseen *= per_sample;
    const double share = group.executions * static_cast<double>(group.code.size()) / inst_executed;
    const double sigma = std::min(most, share > 0 ? kUnevenAtAll / share : most) *
                         (1 + kByUnevenness * std::min(uneven, kMostUnevenness));
    group.variance += sigma * sigma;
  }
  return executions;
}

}  // namespace culprit
