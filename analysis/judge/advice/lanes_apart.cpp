// SPDX-License-Identifier: Apache-2.0
// Lines with inactive lanes: lanes that took the other side of a branch, or that a predicate switches off. Recordings
// before November 2026 counted lanes only for accesses to memory, and not the effect of predicates: sass_thread_inst
// counts the lanes that reach an instruction, with any predicate. So it counts as many for `@!PT LDS`, which no lane
// executes, as for the copy after it (row_filter_wait_after of the planted kernels).
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/advice/kinds.h"
#include "analysis/number/format.h"

namespace culprit::advice {
namespace {

constexpr std::string_view kIssues[] = {"selected", "not_selected", "branch_resolving"};

// For each instruction, the branch before it at which lanes may have separated and not yet joined again. BSSY names the
// place where they join. The compiler writes BSSY if it cannot prove that all lanes of a warp branch alike. -1: none.
std::vector<int> BranchesApart(const AdviceCode& code) {
  std::vector<int> branches(static_cast<std::size_t>(code.Size()), -1);
  for (int i = 0; i < code.Size(); ++i) {
    if (code.At(i).mnemonic != "BSSY" || !code.At(i).target) continue;
    int branch = -1;
    for (int n = i + 1; n < code.Size() && code.At(n).pc_offset < *code.At(i).target; ++n) {
      // A nested region comes later and sets its own branch.
      if (branch >= 0) branches[static_cast<std::size_t>(n)] = branch;
      // BRA.U depends on a value that is the same for the whole warp.
      if (branch < 0 && code.At(n).flow == SassFlow::kBranch && code.At(n).guarded &&
          !code.At(n).opcode.starts_with("BRA.U"))
        branch = n;
    }
  }
  return branches;
}

// How often branches were executed, and how often they separated a warp's lanes.
struct Apart {
  double times = 0, executions = 0;
};

struct Line {
  std::map<int, Apart> branches;  // by line; without numbers if lanes were not counted
  int instructions = 0, guarded = 0;
  LaneCounts lanes;      // of all instructions
  LaneCounts at_memory;  // of memory accesses, if `on` was not counted; only `there` is known
  double us = 0;
};

void AddAccess(const AdviceCode& code, int i, LaneCounts& lanes) {
  const auto threads = code.Counted(i, "sass_thread_inst"), executed = code.Counted(i, "sass_inst");
  if (threads && executed) lanes += {*executed, *threads, 0};
}

// The text if `on` was not counted.
std::string WithoutPredicates(const Line& line) {
  if (!line.at_memory.Known() || line.at_memory.There() >= LaneCounts::kNearlyAll) return {};
  return fmt::format("{:.1f} of 32 lanes come to its accesses to memory", line.at_memory.There());
}

using Lines = std::map<std::pair<std::string, int>, Line>;

Lines LinesOf(const AdviceCode& code) {
  const std::vector<int> branches = BranchesApart(code);
  const bool counted = code.CountsLanes();
  std::map<int, Apart> apart;  // by line of the branch
  if (counted)
    for (int i = 0; i < code.Size(); ++i)
      if (const auto times = code.Counted(i, "sass_branches_apart"); times && *times > 0) {
        apart[code.LineOf(i).line].times += *times;
        apart[code.LineOf(i).line].executions += code.Counted(i, "sass_inst").value_or(0);
      }
  Lines lines;
  for (int i = 0; i < code.Size(); ++i) {
    Line& line = lines[{code.LineOf(i).file, code.LineOf(i).line}];
    ++line.instructions;
    line.guarded += code.At(i).guarded && code.At(i).flow == SassFlow::kNext;
    line.lanes += code.LaneCountsAt(i);
    AddAccess(code, i, line.at_memory);
    for (const std::string_view reason : kIssues) line.us += code.BlamedUs(i, reason);
    const int branch = branches[static_cast<std::size_t>(i)];
    if (branch < 0) continue;
    const int at = code.LineOf(branch).line;
    if (const auto taken = apart.find(at); !counted || taken != apart.end())
      line.branches[at] = counted ? taken->second : Apart();
  }
  return lines;
}

std::string Joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : "; ") + second;
}

// The text from the code alone.
std::string Uncounted(const Line& line) {
  std::string at;
  for (const auto& [branch, apart] : line.branches)
    if (branch > 0) at += fmt::format("{}{}", at.empty() ? "" : ", ", branch);
  std::string text;
  if (!line.branches.empty())
    text = fmt::format("behind a branch{} at which a warp's lanes may go apart, so that it runs both ways",
                       at.empty() ? "" : fmt::format(" at line {}", at));
  text = Joined(text, WithoutPredicates(line));
  if (line.guarded > 0 && !text.empty())
    text = Joined(text, fmt::format("{} of {} instructions predicated, which switches lanes off besides", line.guarded,
                                    line.instructions));
  return text;
}

// The text from counts of branches.
std::string BehindBranches(const Line& line) {
  std::string text;
  for (const auto& [branch, apart] : line.branches) {
    const std::string of = Format(apart.executions, Unit::kCount);
    text = Joined(text, fmt::format("behind a branch{} that took a warp's lanes apart in {} executions",
                                    branch > 0 ? fmt::format(" at line {}", branch) : "",
                                    apart.times < apart.executions
                                        ? fmt::format("{} of {}", Format(apart.times, Unit::kCount), of)
                                        : fmt::format("all of {}", of)));
  }
  return text;
}

bool HasLanesOff(const LaneCounts& lanes) { return lanes.Known() && lanes.On() < LaneCounts::kNearlyAll; }

}  // namespace

std::vector<ShownCode> LanesApart(const AdviceCode& code) {
  const Lines lines = LinesOf(code);
  std::vector<ShownCode> all;
  for (const auto& [place, line] : lines) {
    const auto show = [&all, at = SourceFrame{place.first, place.second}, us = line.us](std::string_view cause,
                                                                                        std::string text) {
      if (!text.empty()) all.push_back({cause, at, std::move(text), us});
    };
    if (!code.CountsLanes()) {
      show("divergence", Uncounted(line));
      continue;
    }
    const std::string behind = BehindBranches(line), lanes = HasLanesOff(line.lanes) ? LanesText(line.lanes) : "";
    // If all lanes reach the instruction, the warp issues it once, even if predicates switch lanes off.
    const bool apart = !behind.empty() || (line.lanes.Known() && line.lanes.There() < LaneCounts::kNearlyAll);
    show(apart ? "divergence" : "instruction_count", Joined(behind, lanes));
  }
  return all;
}

}  // namespace culprit::advice
