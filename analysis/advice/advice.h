// SPDX-License-Identifier: Apache-2.0
// What to do about the lines that a kernel's warps wait for, as its instructions show it. Advice is given only where
// the machine code proves what it says, and where what it is about takes a worthwhile part of the kernel's time.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice/lane_addresses.h"
#include "analysis/blame/costs.h"
#include "analysis/blame/lines.h"
#include "analysis/kernel/operation.h"
#include "db/database.h"
#include "db/shared_access.h"

namespace culprit {

struct AdviceQuestion {
  const KernelCosts& costs;
  std::span<const InstructionRecord> counted;  // exact counts of the launch's instructions, as far as there are any
  BlockShape block = {};
  // Warps that an SM holds at once, and bytes that they must have under way so that device memory is never idle.
  std::optional<double> warps_per_sm = {}, bytes_under_way = {};
  std::optional<double> registers = {};       // of a thread
  std::span<const SharedAccess> stated = {};  // how the stage's author says that it touches shared memory
};

struct Advice {
  std::string_view id;                       // of AdviceKinds()
  SourceFrame at = {};                       // the line that it is about; line 0: no line information
  std::vector<int> also_lines = {};          // further lines of that file
  std::string instructions = {};             // "64 LDL a trip of the loop at line 112"
  std::vector<InstructionPlace> about = {};  // these instructions, sorted
  // Microseconds of the kernel's time that warps waited for these instructions, or at the barriers.
  double waited_us = 0;
  // The part of it that is blamed on these instructions, at the lines that it names: waiting at a barrier is blamed on
  // whoever is late. Advice on other instructions of the same lines has another part of what the lines cost.
  double us = 0;
  double line_us = 0;        // what the line that it is about costs
  std::string finding = {};  // what the code shows
  std::string action = {};   // what to do, one sentence
  bool certain = true;       // false: something that the advice rests on is not in the code; its sentence says "may"
  std::vector<Operation> operations = {};  // what these instructions do

  std::vector<SourceFrame> Lines() const;       // all that it names
  bool IsAboutSame(const Advice& other) const;  // whether they have an instruction in common
};

// What the code shows of a cause, whether or not there is advice.
struct ShownCode {
  std::string_view cause;  // an id of causes (analysis/causes/)
  SourceFrame at = {};     // line 0: no line information
  std::string text = {};   // one sentence without its end
  // Microseconds of the kernel's time that warps waited for these instructions, or at the barrier.
  double us = 0;
};

struct AdviceKind {
  std::string_view id, title;
};
std::span<const AdviceKind> AdviceKinds();
std::string_view AdviceTitle(std::string_view id);

// Advice on the line that costs most first; of one line, the most microseconds first, as what is shown.
struct Examined {
  std::vector<Advice> advice;
  std::vector<ShownCode> shown;
};
Examined Examine(const AdviceQuestion& question);
inline std::vector<Advice> AdviceOn(const AdviceQuestion& question) { return Examine(question).advice; }

// What a launch's record says of block, warps and memory.
AdviceQuestion QuestionOf(const KernelRecord& kernel, const KernelCosts& costs,
                          std::span<const InstructionRecord> counted);

}  // namespace culprit
