// SPDX-License-Identifier: Apache-2.0
#include "bench/program/counters_of_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "bench/program/executed_code.h"
#include "bench/program/instruction_kinds.h"
#include "db/metric_catalogue.h"

namespace culprit {
namespace {

constexpr double kLeastSamples = 500;
// Errors beside those of counting, from docs/evidence/samples_as_counters.md. A state with the share s is off by
// s (1 - s) times these. Warps enter some states together, and the errors of these states are larger.
constexpr double kState = 0.035, kStateByUnevenness = 1.3, kGatherTimes = 2.5;
constexpr double kLeastState = 0.001;  // of all warp-cycles
constexpr std::string_view kGather[] = {
    "long_scoreboard", "short_scoreboard", "mio_throttle", "lg_throttle", "tex_throttle",  "math_pipe_throttle",
    "barrier",         "membar",           "gmma",         "imc_miss",    "no_instruction"};
// Samples and counters differ a little in the instructions that they count: replays, other launches.
constexpr double kKind = 0.003;
constexpr double kWorst = 0.25, kSmall = 0.001;

// Warps that drain are seen up to twice as often as they are counted: they have few others beside them.
constexpr std::string_view kBiased = "drain";

std::string_view ReasonOf(std::string_view state) { return state == "gmma" ? "warpgroup_arrive" : state; }

struct Seen {
  double samples = 0;
  std::map<std::string, double, std::less<>> of;

  double Of(std::string_view state) const {
    const auto found = of.find(ReasonOf(state));
    return found == of.end() ? 0 : found->second;
  }
};

Seen See(const SamplingRecord& sampling) {
  Seen seen;
  for (const PcSample& row : sampling.rows) {
    seen.samples += static_cast<double>(row.samples);
    seen.of[row.reason] += static_cast<double>(row.samples);
  }
  return seen;
}

double Squared(double x) { return x * x; }

// A warp that issues is counted, so samples only share out the other warp-cycles.
void AddStates(const Seen& seen, double uneven, const SampledCounter& warps_active, const SampledCounter& issues,
               std::vector<SampledCounter>& counters) {
  const double waiting = warps_active.value - issues.value, samples = seen.samples - seen.Of("selected");
  if (waiting <= 0 || samples <= 0) return;
  const double waiting_error = std::hypot(warps_active.error, issues.error);
  for (const CatalogueMetric& metric : MetricCatalogue()) {
    constexpr std::string_view kPrefix = "stall_";
    if (!metric.id.starts_with(kPrefix)) continue;
    const std::string_view state = std::string_view(metric.id).substr(kPrefix.size());
    if (state == "selected") {
      counters.push_back({metric.id, issues.value, std::hypot(issues.error, kKind * issues.value)});
    } else if (state != kBiased) {
      const double share = seen.Of(state) / samples, spread = share * (1 - share);
      const double off = (kState + kStateByUnevenness * std::min(uneven, 1.0)) *
                         (std::ranges::find(kGather, state) == std::end(kGather) ? 1 : kGatherTimes);
      const double least = kLeastState * std::min(1.0, 0.1 + spread / 0.01);
      const double variance = std::max(spread, 1 / samples) / samples + Squared(spread * off) + Squared(least);
      counters.push_back(
          {metric.id, share * waiting, std::hypot(std::sqrt(variance) * waiting, share * waiting_error)});
    }
  }
}

std::optional<SampledCounter> Count(const InstructionKind& kind, const ExecutedCode& executions, double total_error) {
  const double shared = executions.Shared();
  double value = 0, of_shared = 0, variance = 0, unseen = 0;
  bool occurs = false;
  std::vector<double> parts;
  for (const RunTogether& group : executions.groups) {
    double part = 0, uncertain = 0;
    for (const SassInstruction& instruction : group.code) {
      const double counted = PartCounted(kind, instruction);
      part += counted;
      if (counted > 0 && counted < 1) ++uncertain;
    }
    occurs |= part > 0;
    parts.push_back(part);
    value += part * group.executions;
    if (!group.known) of_shared += part * group.executions;
    variance += Squared(uncertain * group.executions) / 12;
    unseen += part * group.unseen;
  }
  if (!occurs) return executions.complete ? std::optional(SampledCounter{std::string(kind.id), 0, 0}) : std::nullopt;
  if (kind.rare) return std::nullopt;
  // All groups that are not known share what the others leave, so an error of one changes all.
  for (std::size_t g = 0; g < executions.groups.size(); ++g) {
    const RunTogether& group = executions.groups[g];
    if (group.known || shared <= 0) continue;
    const double instructions = static_cast<double>(group.code.size());
    const double change = group.executions * (parts[g] - instructions * of_shared / shared);
    variance += change * change * group.variance;
  }
  if (shared > 0) variance += Squared(of_shared / shared) * (Squared(total_error) + Squared(executions.at_known_error));
  const double error = std::sqrt(variance + unseen * unseen + Squared(kKind * value));
  if (error > kWorst * value && error > kSmall * executions.inst_executed) return std::nullopt;
  return SampledCounter{std::string(kind.id), value, error};
}

bool IsHopper(const SamplingRecord& sampling) {
  return std::ranges::all_of(sampling.code,
                             [](const MachineCode& code) { return ArchitectureOf(code.instructions) == 90; });
}

}  // namespace

double Unevenness(const SamplingRecord& sampling, double warps_active, double inst_executed) {
  const Seen seen = See(sampling);
  const double selected = seen.Of("selected");
  if (selected <= 0 || !(warps_active > 0) || !(inst_executed > 0)) return 0;
  return std::abs(std::log(selected / seen.samples * warps_active / inst_executed));
}

std::vector<SampledCounter> CountersOfSamples(const SamplingRecord& sampling, double warps_active,
                                              double warps_active_error, double inst_executed,
                                              double inst_executed_error, std::optional<double> warps) {
  std::vector<SampledCounter> counters;
  const Seen seen = See(sampling);
  if (seen.samples < kLeastSamples || !(warps_active > 0) || !(inst_executed > 0)) return counters;
  const double uneven = Unevenness(sampling, warps_active, inst_executed);
  AddStates(seen, uneven, {"", warps_active, warps_active_error}, {"", inst_executed, inst_executed_error}, counters);
  const std::optional<ExecutedCode> executions = ExecutedCodeOf(sampling, inst_executed, warps, uneven);
  if (!executions) return counters;
  const bool hopper = IsHopper(sampling);
  for (const InstructionKind& kind : InstructionKinds())
    if (hopper || !kind.hopper)
      if (std::optional<SampledCounter> counter = Count(kind, *executions, inst_executed_error))
        counters.push_back(*std::move(counter));
  return counters;
}

}  // namespace culprit
