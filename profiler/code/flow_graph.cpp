// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/flow_graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace culprit {
namespace {

// A branch also asks by operands, and BRA.DIV whether the warp has diverged.
bool IsConditional(const SassInstruction& i) {
  return i.guarded || !i.reads.empty() || i.opcode.find(".DIV") != i.opcode.npos ||
         i.opcode.find(".CONV") != i.opcode.npos;
}

// "B3" of "B3, `(.L_x)"; empty: none.
std::string ConvergenceRegister(const SassInstruction& i) {
  const auto at = i.operands.find('B');
  if (at == std::string::npos) return {};
  auto end = at + 1;
  while (end < i.operands.size() && i.operands[end] >= '0' && i.operands[end] <= '9') ++end;
  return i.operands.substr(at, end - at);
}

// Far above what compilers write. Each indirect branch may lead to each block, and each loop hold all blocks: the
// square of the code's size.
constexpr std::size_t kMostGuesses = std::size_t{1} << 14, kMostLoopBlocks = std::size_t{1} << 22;

class Maker {
 public:
  explicit Maker(std::span<const SassInstruction> code) : code_(code), next_(code.size()) {
    for (int i = 0; i < Size(); ++i) at_.emplace(code_[i].pc_offset, i);
  }

  FlowGraph Make() {
    if (code_.empty()) return {};
    FindSuccessors();
    CutBlocks();
    for (int b = 0; b < Blocks(); ++b)
      for (const int to : next_[graph_.blocks[b].last]) Connect(b, graph_.block_of[to]);
    GuessIndirect();
    FindDominators();
    FindLoops();
    return std::move(graph_);
  }

 private:
  int Size() const { return static_cast<int>(code_.size()); }
  int Blocks() const { return static_cast<int>(graph_.blocks.size()); }

  std::optional<int> At(std::optional<std::int64_t> pc_offset) const {
    if (!pc_offset) return std::nullopt;
    const auto found = at_.find(*pc_offset);
    return found == at_.end() ? std::nullopt : std::optional(found->second);
  }

  // Of each instruction after which control may go elsewhere than to the next one.
  void FindSuccessors() {
    ends_.assign(code_.size(), false);
    std::map<std::string, std::optional<std::int64_t>> converges;  // where the last BSSY of each register leads
    for (int i = 0; i < Size(); ++i) {
      const SassInstruction& instruction = code_[i];
      bool falls_through = true;
      std::optional<int> target;
      switch (instruction.flow) {
        case SassFlow::kNext:
          if (instruction.mnemonic == "BSSY") {
            converges[ConvergenceRegister(instruction)] = instruction.target;
          } else if (instruction.mnemonic == "BSYNC") {
            const auto found = converges.find(ConvergenceRegister(instruction));
            const auto to = found == converges.end() ? std::nullopt : At(found->second);
            if (to && *to > i) target = to;
            falls_through = !target || instruction.guarded;
          }
          break;
        case SassFlow::kBranch:
          target = At(instruction.target);
          falls_through = IsConditional(instruction);
          ends_[i] = true;
          break;
        case SassFlow::kCall:
          target = At(instruction.target);
          ends_[i] = true;
          break;
        case SassFlow::kIndirect:
          ++graph_.indirect_branches;
          [[fallthrough]];
        case SassFlow::kExit:
        case SassFlow::kReturn:
          falls_through = instruction.guarded;
          ends_[i] = true;
          break;
      }
      if (falls_through && i + 1 < Size()) next_[i].push_back(i + 1);
      if (target && (next_[i].empty() || next_[i].back() != *target)) next_[i].push_back(*target);
      if (target) ends_[i] = true;
    }
  }

  void CutBlocks() {
    std::vector<bool> begins(code_.size(), false);
    begins[0] = true;
    for (int i = 0; i < Size(); ++i) {
      if (ends_[i] && i + 1 < Size()) begins[i + 1] = true;
      if (ends_[i])
        for (const int to : next_[i]) begins[to] = true;
    }
    graph_.block_of.resize(code_.size());
    for (int i = 0; i < Size(); ++i) {
      if (begins[i]) graph_.blocks.push_back({.first = i, .last = i});
      graph_.blocks.back().last = i;
      graph_.block_of[i] = Blocks() - 1;
    }
  }

  void Connect(int from, int to) {
    auto& successors = graph_.blocks[from].successors;
    if (std::ranges::find(successors, to) != successors.end()) return;
    successors.push_back(to);
    graph_.blocks[to].predecessors.push_back(from);
  }

  void GuessIndirect() {
    std::vector<int> open;
    for (int b = 1; b < Blocks(); ++b)
      if (graph_.blocks[b].predecessors.empty()) open.push_back(b);
    std::size_t guesses = 0;
    for (int b = 0; b < Blocks(); ++b)
      if (code_[graph_.blocks[b].last].flow == SassFlow::kIndirect)
        for (auto to = std::ranges::upper_bound(open, b); to != open.end() && guesses < kMostGuesses; ++to, ++guesses)
          Connect(b, *to);
  }

  // Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
  void FindDominators() {
    auto& blocks = graph_.blocks;
    std::vector<int> order;  // postorder
    std::vector<std::size_t> visited(blocks.size(), 0);
    std::vector<int> stack = {0};
    blocks[0].reached = true;
    while (!stack.empty()) {
      const int b = stack.back();
      if (visited[b] < blocks[b].successors.size()) {
        const int to = blocks[b].successors[visited[b]++];
        if (blocks[to].reached) continue;
        blocks[to].reached = true;
        stack.push_back(to);
      } else {
        order.push_back(b);
        stack.pop_back();
      }
    }
    std::vector<int> number(blocks.size(), -1);
    for (std::size_t n = 0; n < order.size(); ++n) number[order[n]] = static_cast<int>(n);
    std::vector<int> dominator(blocks.size(), -1);
    dominator[0] = 0;
    const auto common = [&](int a, int b) {
      while (a != b) {
        while (number[a] < number[b]) a = dominator[a];
        while (number[b] < number[a]) b = dominator[b];
      }
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (auto b = order.rbegin(); b != order.rend(); ++b) {
        if (*b == 0) continue;
        int best = -1;
        for (const int from : blocks[*b].predecessors)
          if (dominator[from] >= 0) best = best < 0 ? from : common(from, best);
        if (best == dominator[*b]) continue;
        dominator[*b] = best;
        changed = true;
      }
    }
    for (int b = 1; b < Blocks(); ++b) blocks[b].dominator = dominator[b];
    for (BasicBlock& block : blocks)
      if (block.reached) std::erase_if(block.predecessors, [&](int from) { return !blocks[from].reached; });
  }

  void FindLoops() {
    auto& blocks = graph_.blocks;
    std::map<int, std::vector<int>> tails;  // of each header
    for (int b = 0; b < Blocks(); ++b)
      if (blocks[b].reached)
        for (const int to : blocks[b].successors)
          if (graph_.Dominates(to, b)) tails[to].push_back(b);
    std::size_t held = 0;
    // From the last header on: loops within others come first, and are left where there are too many.
    for (auto of = tails.rbegin(); of != tails.rend() && held <= kMostLoopBlocks; ++of) {
      auto& [header, open] = *of;
      CodeLoop loop{.header = header, .blocks = {header}};
      std::vector<bool> in(blocks.size(), false);
      in[header] = true;
      while (!open.empty()) {
        const int b = open.back();
        open.pop_back();
        if (in[b]) continue;
        in[b] = true;
        loop.blocks.push_back(b);
        open.insert(open.end(), blocks[b].predecessors.begin(), blocks[b].predecessors.end());
      }
      std::ranges::sort(loop.blocks);
      held += loop.blocks.size();
      graph_.loops.push_back(std::move(loop));
    }
    std::ranges::reverse(graph_.loops);
    // Of two natural loops with different headers that share a block, one holds the other.
    std::ranges::stable_sort(graph_.loops, std::ranges::greater(), [](const CodeLoop& l) { return l.blocks.size(); });
    for (int l = 0; l < static_cast<int>(graph_.loops.size()); ++l) {
      CodeLoop& loop = graph_.loops[l];
      loop.parent = blocks[loop.header].loop;
      loop.depth = loop.parent < 0 ? 1 : graph_.loops[loop.parent].depth + 1;
      for (const int b : loop.blocks) blocks[b].loop = l;  // the inner ones come later
    }
  }

  std::span<const SassInstruction> code_;
  std::unordered_map<std::int64_t, int> at_;
  std::vector<std::vector<int>> next_;
  std::vector<bool> ends_;
  FlowGraph graph_;
};

}  // namespace

bool FlowGraph::Dominates(int a, int b) const {
  while (b >= 0 && b != a) b = blocks[b].dominator;
  return b == a;
}

FlowGraph MakeFlowGraph(std::span<const SassInstruction> code) { return Maker(code).Make(); }

}  // namespace culprit
