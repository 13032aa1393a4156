// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/sources.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/causes/cause.h"
#include "analysis/render/format.h"
#include "db/source_place.h"

namespace culprit {
namespace {

constexpr std::size_t kMostLines = 3;
// A line with a hundredth of what was counted is not where the cause is.
constexpr double kLeastShare = 0.01;

std::vector<CauseSource> Lines(std::span<const InstructionRecord> instructions, const SourceCount& counted) {
  std::map<std::pair<std::string, int>, double> by_line;
  double all = 0;
  for (const InstructionRecord& i : instructions) {
    const double count = std::max(0.0, counted.of(i));
    all += count;
    if (!i.source_file.empty() && count > 0) by_line[{i.source_file, i.source_line}] += count;
  }
  std::vector<std::pair<std::pair<std::string, int>, double>> sorted(by_line.begin(), by_line.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  // A reader can change what is their own.
  std::stable_partition(sorted.begin(), sorted.end(),
                        [](const auto& line) { return !IsToolkitHeader(line.first.first); });
  std::vector<CauseSource> sources;
  double most = 0;
  for (const auto& [line, count] : sorted) {
    if (count < kLeastShare * all) continue;
    const bool tied = !sources.empty() && count == most;
    if (!tied && sources.size() >= kMostLines) break;
    if (sources.empty()) most = count;
    if (tied) sources.front().tied = true;
    sources.push_back({.file = line.first,
                       .line = line.second,
                       .what = fmt::format("{}: {}", counted.what, Format(count, Unit::kCount)),
                       .tied = tied});
  }
  return sources;
}

}  // namespace

void AddSources(const KernelRecord& base, std::span<const InstructionRecord> base_instructions,
                const KernelRecord& candidate, std::span<const InstructionRecord> candidate_instructions,
                Explanation& explanation) {
  for (CausePart& part : explanation.causes) {
    const bool in_base = part.delta_us < 0;
    const Cause* cause = FindCause(part.cause);
    if (cause != nullptr && cause->source.of != nullptr)
      part.source = Lines(in_base ? base_instructions : candidate_instructions, cause->source);
    const StageRecord& stage = (in_base ? base : candidate).stage;
    if (!stage.source_file.empty() && (part.source.empty() || IsToolkitHeader(part.source.front().file)))
      part.source.insert(part.source.begin(), {stage.source_file, stage.source_line, "", stage.id});
  }
}

}  // namespace culprit
