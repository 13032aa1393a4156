// SPDX-License-Identifier: Apache-2.0
// Advice about the lines that warps wait for, from the kernel's machine code. Advice is given only if the machine code
// proves it and if the lines cost enough of the kernel's time.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/judge/blame/costs.h"
#include "analysis/judge/blame/lines.h"
#include "db/database.h"
#include "db/shared_access.h"
#include "profiler/code/lane_addresses.h"
#include "profiler/code/operation.h"

namespace culprit {

struct AdviceQuestion {
  const KernelCosts& costs;
  std::span<const InstructionRecord> counted;  // exact counts of the launch's instructions, if any
  BlockShape block = {};
  // Warps resident on an SM, and bytes that they must have in flight to keep device memory busy.
  std::optional<double> warps_per_sm = {}, bytes_under_way = {};
  std::optional<double> registers = {};       // per thread
  std::span<const SharedAccess> stated = {};  // the stage's accesses to shared memory, as its author declares them
};

struct Advice {
  std::string_view id = {};                  // of AdviceKinds(): its giver's
  SourceFrame at = {};                       // the line that it is about; line 0: no line information
  std::vector<int> also_lines = {};          // further lines of that file
  std::string instructions = {};             // "64 LDL a trip of the loop at line 112"
  std::vector<InstructionPlace> about = {};  // these instructions, sorted
  // Microseconds of the kernel's time that warps waited for these instructions, or at the barriers.
  double waited_us = 0;
  // The part of the named lines' cost that is blamed on these instructions. (Waiting at a barrier is blamed on the
  // instructions of late warps.) Advice on other instructions of these lines has another part of the cost.
  double us = 0;
  double line_us = 0;                      // the cost of its line
  std::string finding = {};                // what the code shows
  std::string action = {};                 // what to do, one sentence
  bool certain = true;                     // false: the code is no full proof, so the sentence says "may"
  std::vector<Operation> operations = {};  // what these instructions do

  std::vector<SourceFrame> Lines() const;       // all named lines
  bool IsAboutSame(const Advice& other) const;  // whether both are about a common instruction
};

// A fact about a cause that the code shows, with or without advice.
struct ShownCode {
  std::string_view cause;  // an id of causes (analysis/causes/)
  SourceFrame at = {};     // line 0: no line information
  std::string text = {};   // one sentence without its full stop
  // Microseconds of the kernel's time that warps waited for these instructions, or at the barrier.
  double us = 0;
};

class AdviceCode;

// A kind of advice: its causes, and the function that gives it.
struct AdviceKind {
  std::string_view id;
  std::vector<std::string_view> causes;
  std::vector<std::vector<Advice> (*)(const AdviceCode&)> givers;
};
std::span<const AdviceKind> AdviceKinds();

// Both lists are sorted by the cost of the line, then by microseconds, the largest first.
struct Examined {
  std::vector<Advice> advice;
  std::vector<ShownCode> shown;
};
Examined Examine(const AdviceQuestion& question);
inline std::vector<Advice> AdviceOn(const AdviceQuestion& question) { return Examine(question).advice; }

// The question for a recorded launch: block, warps, registers and memory come from its record.
AdviceQuestion QuestionOf(const KernelRecord& kernel, const KernelCosts& costs,
                          std::span<const InstructionRecord> counted);

}  // namespace culprit
