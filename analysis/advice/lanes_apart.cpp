// SPDX-License-Identifier: Apache-2.0
// Lines on which not all lanes of a warp are at work: on one side of a branch that its lanes take apart. Exact counts
// of lanes exist of accesses to memory alone. How many of them a predicate switches off nobody counted:
// sass_thread_inst has lanes that come by, whatever their predicate. So of `@!PT LDS`, which no lane does, it has as
// many as of the copy behind (row_filter_wait_after in db/recorded/planted).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/advice/kinds.h"

namespace culprit::advice {
namespace {

constexpr std::string_view kIssues[] = {"selected", "not_selected", "branch_resolving"};

// Of each instruction the branch at which lanes may go apart before it, until they are together again: BSSY says where
// that is, and stands where the compiler could not prove that a warp's lanes go one way. -1: none.
std::vector<int> BranchesApart(const AdviceCode& code) {
  std::vector<int> branches(static_cast<std::size_t>(code.Size()), -1);
  for (int i = 0; i < code.Size(); ++i) {
    if (code.At(i).mnemonic != "BSSY" || !code.At(i).target) continue;
    int branch = -1;
    for (int n = i + 1; n < code.Size() && code.At(n).pc_offset < *code.At(i).target; ++n) {
      // Behind a nested one its own branch counts, which comes later.
      if (branch >= 0) branches[static_cast<std::size_t>(n)] = branch;
      // BRA.U goes by what is one for a warp.
      if (branch < 0 && code.At(n).flow == SassFlow::kBranch && code.At(n).guarded &&
          !code.At(n).opcode.starts_with("BRA.U"))
        branch = n;
    }
  }
  return branches;
}

// Lanes that come to accesses that were counted.
struct Lanes {
  double executions = 0, lanes = 0;

  void Add(const AdviceCode& code, int i) {
    const auto threads = code.Counted(i, "sass_thread_inst"), executed = code.Counted(i, "sass_inst");
    if (!threads || !executed) return;
    executions += *executed;
    lanes += *threads;
  }
  bool Known() const { return executions > 0; }
  double Mean() const { return lanes / executions; }
};

struct Line {
  std::set<int> branches;  // lines
  int instructions = 0, guarded = 0;
  Lanes lanes;
  double us = 0;
};

// Below this a few lanes at an array's end are off.
constexpr double kNearlyAll = 31;

}  // namespace

std::vector<ShownCode> LanesApart(const AdviceCode& code) {
  const std::vector<int> branches = BranchesApart(code);
  std::map<std::pair<std::string, int>, Line> lines;
  for (int i = 0; i < code.Size(); ++i) {
    Line& line = lines[{code.LineOf(i).file, code.LineOf(i).line}];
    ++line.instructions;
    line.guarded += code.At(i).guarded && code.At(i).flow == SassFlow::kNext;
    line.lanes.Add(code, i);
    for (const std::string_view reason : kIssues) line.us += code.BlamedUs(i, reason);
    if (const int branch = branches[static_cast<std::size_t>(i)]; branch >= 0)
      line.branches.insert(code.LineOf(branch).line);
  }
  std::vector<ShownCode> all;
  for (const auto& [place, line] : lines) {
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    std::string at;
    for (const int branch : line.branches)
      if (branch > 0) at += fmt::format("{}{}", at.empty() ? "" : ", ", branch);
    if (!line.branches.empty())
      add(fmt::format("behind a branch{} at which a warp's lanes may go apart, so that it runs both ways",
                      at.empty() ? "" : fmt::format(" at line {}", at)));
    if (line.lanes.Known() && line.lanes.Mean() < kNearlyAll)
      add(fmt::format("{:.1f} of 32 lanes come to its accesses to memory", line.lanes.Mean()));
    if (line.guarded > 0 && !text.empty())
      add(fmt::format("{} of {} instructions predicated, which switches lanes off besides", line.guarded,
                      line.instructions));
    if (!text.empty()) all.push_back({"divergence", {place.first, place.second}, std::move(text), line.us});
  }
  return all;
}

}  // namespace culprit::advice
