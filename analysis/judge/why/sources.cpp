// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/why/why.h"
#include "analysis/number/format.h"
#include "analysis/number/joined.h"
#include "db/source_place.h"
#include "profiler/code/operation.h"

namespace culprit {
namespace {

// Several instructions may share a sample. An instruction with less than one sample in all is left out.
constexpr double kLeastSamples = 1;

constexpr std::size_t kMostLines = 3, kMostOperations = 2, kMostInstructions = 3;

// A line with less than a hundredth of the count, or of the difference, is not named as the place of a cause.
constexpr double kWorthALine = 0.01;

// Whether the cause owns warps that waited at such an instruction, instead of warps that waited for it.
bool IsStoodAt(const SampledAt& scope, Operation operation) {
  return scope.stood_at && std::ranges::find(scope.own, operation) == scope.own.end();
}

// The line's part of a cause, by operation.
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
      // Waiting at additional visits to barriers is blamed on the barriers (CompareLines). Here all waiting in them
      // counts.
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

// The largest lines, and all lines that cannot be distinguished from the first.
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
  // The user's own lines come first, because the user can change them.
  std::stable_partition(sorted.begin(), sorted.end(),
                        [](const auto& line) { return !IsToolkitHeader(line.first.first); });
  std::vector<CauseSource> sources;
  double most = 0;
  for (const auto& [line, count] : sorted) {
    if (count < kWorthALine * all) continue;
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

std::vector<CauseSource> SampledSources(const CausePart& part, const SampledPair& sampled, double delta_us) {
  const Cause* cause = FindCause(part.cause);
  if (cause == nullptr || !cause->sampled) return {};
  const double least = kWorthALine * std::abs(delta_us);
  std::vector<Found> found;
  for (const DifferentLine& line : sampled.lines.lines)
    if (auto source = FindSource(line, *cause->sampled, part.delta_us, least)) found.push_back(*std::move(source));
  std::vector<CauseSource> sources = Leading(std::move(found));
  if (const auto& kernel = part.delta_us > 0 ? sampled.candidate : sampled.base)
    for (CauseSource& source : sources) AddInstructions(kernel->costs, *cause->sampled, source);
  return sources;
}

std::vector<CauseSource> CountedSources(std::string_view cause, const StageRecord& stage,
                                        std::span<const InstructionRecord> instructions) {
  std::vector<CauseSource> sources;
  if (const Cause* known = FindCause(cause); known != nullptr && known->source.of != nullptr)
    sources = Lines(instructions, known->source);
  if (!stage.source_file.empty() && (sources.empty() || IsToolkitHeader(sources.front().file)))
    sources.insert(sources.begin(), {stage.source_file, stage.source_line, "", stage.id});
  return sources;
}

}  // namespace culprit
