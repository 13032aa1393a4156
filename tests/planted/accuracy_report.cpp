// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/accuracy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace culprit::testing {
namespace {

// Smaller parts are left out of the table, not out of the ranking.
constexpr double kShownShare = 0.05;

std::string Causes(const JudgedPair& judged) {
  std::string text;
  for (const std::string& cause : judged.causes) {
    const double share = judged.shares.at(cause);
    if (share < kShownShare) continue;
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", cause, 100 * share);
  }
  return text.empty() ? "none" : text;
}

std::string Line(std::string_view name, std::span<const JudgedPair> judged, bool (*counts)(const JudgedPair&)) {
  int launches = 0, first = 0, second = 0;
  std::set<std::string> pairs;
  for (const JudgedPair& j : judged) {
    if (!counts(j)) continue;
    pairs.insert(j.answer.pair);
    ++launches;
    first += j.Rank() == 1;
    second += j.Rank() == 1 || j.Rank() == 2;
  }
  return fmt::format("| {} | {} | {} | {} | {} |\n", name, pairs.size(), launches, first, second);
}

}  // namespace

std::string AccuracyReport(std::span<const JudgedPair> judged) {
  std::string text =
      "<!-- written by planted_test with CULPRIT_UPDATE_GOLDEN=1 -->\n\n"
      "# Planted causes, and what `culprit why` says\n\n"
      "Each pair of kernels in `kernels/planted/` computes one function in two ways that differ in one factor, which "
      "makes the candidate slower. What was planted stands in `tests/planted/answers.csv`, which no rule reads. The "
      "recording in `db/recorded/` was made by `planted_bench --profile=full` on an H100; CI asks `why` about it "
      "and requires the planted cause in first place.\n\n"
      "A third of the pairs was held out: which, the hash of the pair's name says. The rules were written and tuned on "
      "the other two thirds and then asked about the held-out third.\n\n"
      "| | pairs | pairs x sizes | planted cause first | among the first two |\n|---|---:|---:|---:|---:|\n";
  text += Line("tuned on", judged, [](const JudgedPair& j) { return !j.answer.IsHeldOut(); });
  text += Line("held out", judged, [](const JudgedPair& j) { return j.answer.IsHeldOut(); });
  text += Line("all", judged, [](const JudgedPair&) { return true; });
  text +=
      "\nShares are of the whole change; causes that work against it, which make the others exceed 100 %, are not "
      "shown, nor are those below 5 %.\n\n"
      "| pair | size | base, us | candidate, us | ratio | planted | what `why` says | unexplained | |\n"
      "|---|---:|---:|---:|---:|---|---|---:|---|\n";
  for (const JudgedPair& j : judged)
    fmt::format_to(std::back_inserter(text), "| {} | {} | {:.1f} | {:.1f} | {:.2f} | {} | {} | {:.0f} % | {} |\n",
                   j.answer.pair, j.shape, j.base_us, j.candidate_us, j.candidate_us / j.base_us, j.answer.cause,
                   Causes(j), 100 * j.unexplained + 0.0, j.answer.IsHeldOut() ? "held out" : "");
  return text;
}

}  // namespace culprit::testing
