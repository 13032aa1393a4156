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
#include "analysis/kernel/operation.h"
#include "analysis/render/format.h"
#include "analysis/render/joined.h"
#include "db/source_place.h"

namespace culprit {
namespace {

// A part of one sample that many share is no sample.
constexpr double kLeastSamples = 1;
constexpr std::size_t kMostLines = 3, kMostOperations = 2, kMostInstructions = 3;
// Below a hundredth of the difference a line is not where a cause is.
constexpr double kLeastShare = 0.01;

// Whether warps that stood at such an instruction are the cause's, not those that waited for it.
bool IsStoodAt(const SampledAt& scope, Operation operation) {
  return scope.stood_at && std::ranges::find(scope.own, operation) == scope.own.end();
}

// What a line has of a cause, by what its instructions do.
std::map<Operation, double> ShareOf(const DifferentLine& line, const SampledAt& scope) {
  std::map<Operation, double> found;
  for (const auto& [kind, us] : line.waiting_at)
    if (IsStoodAt(scope, kind.first) && scope.Covers(kind.first, kind.second)) found[kind.first] += us;
  for (const auto& [kind, us] : line.blamed_for)
    if (!IsStoodAt(scope, kind.first) && scope.Covers(kind.first, kind.second)) found[kind.first] += us;
  return found;
}

void AddInstructions(const KernelCosts& kernel, const SampledAt& scope, CauseSource& source) {
  const double samples_per_us = kernel.time_us > 0 ? static_cast<double>(kernel.samples) / kernel.time_us : 0;
  for (const FunctionCosts& function : kernel.functions)
    for (std::size_t i = 0; i < function.costs.size(); ++i) {
      const MachineInstruction& instruction = function.code.instructions[i];
      const auto own = FindOwnLine(instruction.frames);
      if (own == instruction.frames.end() || own->file != source.file || own->line != source.line) continue;
      const Operation operation = FindOperation(function.decoded[i].mnemonic).operation;
      // What additional visits to barriers wait is the barriers' own (CompareLines): here what warps wait in them.
      double us = operation == Operation::kBarrier && scope.Covers(operation, "barrier") ? function.costs[i].met_us : 0;
      for (const auto& [reason, of] :
           IsStoodAt(scope, operation) ? function.costs[i].waiting_us : function.costs[i].blamed_us)
        if (scope.Covers(operation, reason) && (operation != Operation::kBarrier || reason != "barrier")) us += of;
      if (us * samples_per_us < kLeastSamples) continue;
      const SassInstruction& decoded = function.decoded[i];
      source.instructions.push_back({function.code.function, decoded.pc_offset,
                                     decoded.opcode + (decoded.operands.empty() ? "" : " " + decoded.operands),
                                     us * samples_per_us});
      source.samples += us * samples_per_us;
    }
  std::ranges::stable_sort(source.instructions, std::ranges::greater{}, &CauseInstruction::samples);
  if (source.instructions.size() > kMostInstructions) source.instructions.resize(kMostInstructions);
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

struct Found {
  CauseSource source;
  double us = 0, error_us = 0;
};

std::optional<Found> FindSource(const DifferentLine& line, const SampledAt& scope, double delta_us, double least) {
  const auto& place = delta_us > 0 ? line.candidate : line.base;
  if (!place || place->frame.line == 0) return std::nullopt;
  const std::map<Operation, double> shares = ShareOf(line, scope);
  double us = 0;
  for (const auto& [operation, share] : shares) us += share;
  if (us * delta_us <= 0 || std::abs(us) < least) return std::nullopt;
  CauseSource source;
  source.file = place->frame.file;
  source.line = place->frame.line;
  source.operations = OperationsText(shares);
  source.what = fmt::format("{}: {} of warps' time {}", source.operations, Format(us, Unit::kTimeDeltaUs),
                            scope.stood_at ? "stood there" : "waited for it");
  source.waited_us = us;
  const double all = line.base_sampled_us + line.candidate_sampled_us;
  const double part = all > 0 ? std::min(1.0, std::abs(us) / all) : 1;
  return Found{std::move(source), us, line.error_us * std::sqrt(part)};
}

// The largest, and however many cannot be told from the first.
std::vector<CauseSource> Leading(std::vector<Found> found) {
  std::ranges::stable_sort(found, std::ranges::greater{}, [](const Found& f) { return std::abs(f.us); });
  std::vector<CauseSource> sources;
  for (Found& f : found) {
    const Found& first = found.front();
    f.source.tied = &f != &first && AreTied(first.us, first.error_us, f.us, f.error_us);
    if (!f.source.tied && sources.size() >= kMostLines) break;
    if (f.source.tied) sources.front().tied = true;
    sources.push_back(f.source);
  }
  return sources;
}

}  // namespace

void AddSampledSources(const LineDifferences& differences, Explanation& explanation) {
  const double least = kLeastShare * std::abs(explanation.DeltaUs());
  for (CausePart& part : explanation.causes) {
    const Cause* cause = FindCause(part.cause);
    if (cause == nullptr || !cause->sampled) continue;
    std::vector<Found> found;
    for (const DifferentLine& line : differences.lines)
      if (auto source = FindSource(line, *cause->sampled, part.delta_us, least)) found.push_back(*std::move(source));
    if (!found.empty()) part.source = Leading(std::move(found));
  }
}

void AddSampledInstructions(const SampledPair& sampled, Explanation& explanation) {
  for (CausePart& part : explanation.causes) {
    const Cause* cause = FindCause(part.cause);
    const auto& kernel = part.delta_us > 0 ? sampled.candidate : sampled.base;
    if (cause == nullptr || !cause->sampled || kernel == nullptr) continue;
    for (CauseSource& source : part.source)
      if (source.waited_us) AddInstructions(kernel->costs, *cause->sampled, source);
  }
}

}  // namespace culprit
