// SPDX-License-Identifier: Apache-2.0
// A function's machine code for advice: the cost, counts, lines and loops of each instruction, and which instructions
// write and read each register.
#pragma once
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/advice/advice.h"
#include "analysis/launch/instruction_counts.h"
#include "profiler/code/operation.h"
#include "profiler/code/walk_budget.h"

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
  SourceFrame LineOf(int i) const;  // the line in the user's own code; line 0: none
  int LineOfLoop(int loop) const;   // the line of the loop's statement; 0: not known

  // Lanes of a warp that have a thread: fewer than 32 if a block has fewer threads.
  int Lanes() const;
  // Groups instructions by file and finding. Each group gets one piece of advice. `finding` returns none for an instruction
  // that is to be skipped.
  using Findings = std::map<std::pair<std::string, std::string>, std::vector<int>>;
  Findings ByFinding(const std::function<std::optional<std::string>(int)>& finding) const;
  int Heaviest(const std::vector<int>& instructions) const;

  double TimeUs() const { return question_.costs.time_us; }
  double BlamedUs(int i) const;
  double BlamedUs(int i, std::string_view reason) const;
  double MetUs(int i) const { return function_.costs[i].met_us; }
  // How often warps executed the instruction; none: not counted.
  std::optional<double> Executions(int i) const { return function_.Executions(i); }
  // Whether the active lanes of instructions were counted.
  bool CountsLanes() const { return std::ranges::any_of(function_.lanes, &LaneCounts::Known); }
  // Not known if the executions are 0.
  LaneCounts LaneCountsAt(int i) const {
    return static_cast<std::size_t>(i) < function_.lanes.size() ? function_.lanes[static_cast<std::size_t>(i)]
                                                                : LaneCounts();
  }
  // The count over all executions.
  std::optional<double> Counted(int i, const std::string& metric) const {
    return culprit::Counted(counted_[i], metric);
  }
  // The count per execution by a warp.
  std::optional<double> Each(int i, const std::string& metric) const { return CountedEach(counted_[i], metric); }

  // The instructions that may have written one of `registers` last before `i`, on any path.
  std::vector<int> Writers(int i, const RegisterRange& registers) const;
  // The instructions that may read the value that `i` writes to `registers`.
  std::vector<int> Readers(int i, const RegisterRange& registers) const;
  // The registers in the address of a memory instruction.
  std::vector<RegisterRange> AddressRegisters(int i) const;
  // All instructions that contribute to `registers` at `i`. The search does not go beyond instructions for which
  // `stop` is true.
  std::vector<int> MadeOf(int i, const std::vector<RegisterRange>& registers,
                          const std::function<bool(int)>& stop) const;

  // Whether the result of `i` depends on its own result in the previous trip of the loop, without a load in between.
  bool FeedsItself(int i) const;

  // See LaneAddresses.
  const LaneValue& AddressAt(int i) const { return addresses_[i]; }

  // "64 LDL a trip of the loop at line 112", for the loop where they cost most. "9 LDL" if there is no loop.
  std::string Describe(const std::vector<int>& instructions) const;
  // With line (the one that they cost most at), time, instructions and what they do.
  Advice About(const std::vector<int>& instructions) const;

 private:
  const AdviceQuestion& question_;
  const int number_;  // the function's index
  const FunctionCosts& function_;
  std::vector<Operation> operations_;
  std::vector<const InstructionRecord*> counted_;
  std::vector<LaneValue> addresses_;
  mutable WalkBudget budget_;
};

// Advice is given from this share of the kernel's time on.
constexpr double kWorthAdvice = 0.05;

}  // namespace culprit
