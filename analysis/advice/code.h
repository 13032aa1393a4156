// SPDX-License-Identifier: Apache-2.0
// A function's machine code as advice looks at it: beside what it cost, who gives a register its value and who needs
// it, what an instruction counted, which lines and loops it belongs to.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice/advice.h"
#include "analysis/blame/walk_budget.h"
#include "analysis/kernel/operation.h"

namespace culprit {

class AdviceCode {
 public:
  // Keeps a reference to the question.
  AdviceCode(const AdviceQuestion& question, int function);

  const AdviceQuestion& question() const { return question_; }
  int Size() const { return static_cast<int>(function_.decoded.size()); }
  const SassInstruction& At(int i) const { return function_.decoded[i]; }
  Operation OperationAt(int i) const { return operations_[i]; }
  const FlowGraph& graph() const { return function_.graph; }
  int BlockOf(int i) const { return function_.graph.block_of[i]; }
  int LoopOf(int i) const { return function_.graph.LoopOf(i); }
  // Whether the instruction lies in that loop or in one within it.
  bool IsIn(int i, int loop) const;
  // The loop's own instructions and those of loops within it, in the order of the code.
  std::vector<int> InstructionsOf(int loop) const;
  SourceFrame LineOf(int i) const;  // the reader's own; line 0: none
  int LineOfLoop(int loop) const;   // of its statement; 0: not known

  // Of a warp, those that the block fills.
  int Lanes() const;
  // Instructions of one kind, on whichever lines, are one piece of advice: those with one finding in one file.
  // `finding`: nothing for an instruction that is beside the point.
  using Findings = std::map<std::pair<std::string, std::string>, std::vector<int>>;
  Findings ByFinding(const std::function<std::optional<std::string>(int)>& finding) const;
  int Heaviest(const std::vector<int>& instructions) const;

  double TimeUs() const { return question_.costs.time_us; }
  double BlamedUs(int i) const;
  double BlamedUs(int i, std::string_view reason) const;
  double WaitingUs(int i, std::string_view reason) const;
  double MetUs(int i) const { return function_.costs[i].met_us; }
  // How often warps executed it; none: not counted.
  std::optional<double> Executions(int i) const { return function_.Executions(i); }
  // Whether it was counted how many lanes of each instruction are on.
  bool CountsLanes() const { return std::ranges::any_of(function_.lanes, &LaneCounts::Known); }
  // Nothing is known of them where their executions are 0.
  LaneCounts LaneCountsAt(int i) const {
    return static_cast<std::size_t>(i) < function_.lanes.size() ? function_.lanes[static_cast<std::size_t>(i)]
                                                                : LaneCounts();
  }
  // Of all its executions.
  std::optional<double> Counted(int i, const std::string& metric) const;
  // Of one execution by a warp.
  std::optional<double> Each(int i, const std::string& metric) const;

  // The instructions that may have written a register of what `i` reads, or of `registers`, on every path before it.
  std::vector<int> Writers(int i, const RegisterRange& registers) const;
  // Those that may read what `i` writes to these registers.
  std::vector<int> Readers(int i, const RegisterRange& registers) const;
  // The registers that make the address of a memory instruction.
  std::vector<RegisterRange> AddressRegisters(int i) const;
  // All instructions that `registers` at `i` are made of; no further than those for which `stop` holds, which are
  // among them.
  std::vector<int> MadeOf(int i, const std::vector<RegisterRange>& registers,
                          const std::function<bool(int)>& stop) const;

  // Whether what `i` writes is made of what it wrote a trip before, without a load in between.
  bool FeedsItself(int i) const;

  // See LaneAddresses.
  const LaneValue& AddressAt(int i) const { return addresses_[i]; }

  // "64 LDL a trip of the loop at line 112", of those of them in the loop where they cost most; without a loop "9 LDL".
  std::string Describe(const std::vector<int>& instructions) const;
  // With line (the one that they cost most at), time, instructions and what they do.
  Advice About(std::string_view id, const std::vector<int>& instructions) const;

 private:
  const AdviceQuestion& question_;
  const int number_;  // of the function
  const FunctionCosts& function_;
  std::vector<Operation> operations_;
  std::vector<const InstructionRecord*> counted_;
  std::vector<LaneValue> addresses_;
  mutable WalkBudget budget_;
};

// Of the kernel's time: what takes less is not worth advice.
constexpr double kWorthAdvice = 0.05;

}  // namespace culprit
