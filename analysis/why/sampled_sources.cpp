// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/sampled_sources.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/causes/cause.h"
#include "analysis/render/format.h"
#include "analysis/render/joined.h"

namespace culprit {
namespace {

constexpr std::size_t kMostLines = 3, kMostOperations = 2;
// Below a hundredth of the difference a line is not where a cause is.
constexpr double kLeastShare = 0.01;

// What a line has of a cause, by what its instructions do.
std::map<Operation, double> ShareOf(const DifferentLine& line, const SampledAt& scope) {
  std::map<Operation, double> found;
  // What is waited for an instruction of its own is blamed on it, also where the cause is otherwise where warps stood.
  const auto is_own = [&](Operation operation) { return std::ranges::find(scope.own, operation) != scope.own.end(); };
  for (const auto& [kind, us] : scope.stood_at ? line.waiting_at : line.blamed_for)
    if (!is_own(kind.first) && scope.Covers(kind.first, kind.second)) found[kind.first] += us;
  for (const auto& [kind, us] : line.blamed_for)
    if (is_own(kind.first)) found[kind.first] += us;
  return found;
}

std::string OperationsText(const std::map<Operation, double>& shares) {
  std::vector<std::pair<double, Operation>> sorted;
  for (const auto& [operation, us] : shares)
    if (us != 0) sorted.emplace_back(-std::abs(us), operation);
  std::ranges::sort(sorted);
  if (sorted.size() > kMostOperations) sorted.resize(kMostOperations);
  return Joined(
      sorted, [](const auto& entry) { return std::string(TitleOf(entry.second)); }, ", ");
}

std::optional<CauseSource> SourceOf(const DifferentLine& line, const SampledAt& scope, double delta_us, double least) {
  const auto& place = delta_us > 0 ? line.candidate : line.base;
  if (!place || place->frame.line == 0) return std::nullopt;
  const std::map<Operation, double> shares = ShareOf(line, scope);
  double us = 0;
  for (const auto& [operation, share] : shares) us += share;
  if (us * delta_us <= 0 || std::abs(us) < least) return std::nullopt;
  return CauseSource{place->frame.file,
                     place->frame.line,
                     fmt::format("{}: {} of warps' time {}", OperationsText(shares), Format(us, Unit::kTimeDeltaUs),
                                 scope.stood_at ? "stood there" : "waited for it"),
                     {},
                     us};
}

}  // namespace

void AddSampledSources(const LineDifferences& differences, Explanation& explanation) {
  const double least = kLeastShare * std::abs(explanation.DeltaUs());
  for (CausePart& part : explanation.causes) {
    const Cause* cause = FindCause(part.cause);
    if (cause == nullptr || !cause->sampled) continue;
    std::vector<CauseSource> sources;
    for (const DifferentLine& line : differences.lines)
      if (auto source = SourceOf(line, *cause->sampled, part.delta_us, least)) sources.push_back(std::move(*source));
    std::ranges::stable_sort(sources, std::ranges::greater{},
                             [](const CauseSource& source) { return std::abs(source.waited_us.value_or(0)); });
    if (sources.size() > kMostLines) sources.resize(kMostLines);
    if (!sources.empty()) part.source = std::move(sources);
  }
}

}  // namespace culprit
