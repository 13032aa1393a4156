// SPDX-License-Identifier: Apache-2.0
#include "bench/program/counters_of_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "bench/program/counters_of_totals.h"
#include "bench/program/executed_code.h"
#include "bench/program/instruction_kinds.h"
#include "bench/program/sampled_readings.h"
#include "db/metric_catalogue.h"
#include "db/sampled_counters.h"

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
constexpr double kRare = 0.05;
constexpr double kWorst = 1, kSmall = 0.1;

// Warps that drain have few others beside them, so they are seen more often than they are counted: 208 launches were
// 0.3 to 11 times (docs/evidence/samples_as_counters.md).
constexpr std::string_view kBiased = "drain";
constexpr double kBias = 0.75, kBiasError = 0.35;

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
  const double waiting = warps_active.value - issues.value;
  const double samples = seen.samples - seen.Of("selected") - (1 - kBias) * seen.Of(kBiased);
  if (waiting <= 0 || samples <= 0) return;
  const double waiting_error = std::hypot(warps_active.error, issues.error);
  for (const CatalogueMetric& metric : MetricCatalogue()) {
    constexpr std::string_view kPrefix = "stall_";
    if (!metric.id.starts_with(kPrefix)) continue;
    const std::string_view state = std::string_view(metric.id).substr(kPrefix.size());
    if (state == "selected") {
      counters.push_back({metric.id, issues.value, std::hypot(issues.error, kKind * issues.value)});
    } else {
      const double bias = state == kBiased ? kBias : 1;
      const double share = bias * seen.Of(state) / samples, spread = share * (1 - share);
      const double off = (kState + kStateByUnevenness * std::min(uneven, 1.0)) *
                         (std::ranges::find(kGather, state) == std::end(kGather) ? 1 : kGatherTimes);
      const double least = kLeastState * std::min(1.0, 0.1 + spread / 0.01);
      const double variance = std::max(spread, 1 / samples) / samples + Squared(spread * off) + Squared(least) +
                              (state == kBiased ? Squared(kBiasError * share) : 0);
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
      if (counted > 0 && counted < 1) uncertain += 2 * (1 - counted);
    }
    occurs |= part > 0;
    parts.push_back(part);
    value += part * group.executions;
    if (!group.known) of_shared += part * group.executions;
    variance += Squared(uncertain * group.executions) / 12;
    unseen += part * group.unseen;
  }
  if (!occurs) return executions.complete ? std::optional(SampledCounter{std::string(kind.id), 0, 0}) : std::nullopt;
  // All groups that are not known share what the others leave, so an error of one changes all.
  for (std::size_t g = 0; g < executions.groups.size(); ++g) {
    const RunTogether& group = executions.groups[g];
    if (group.known || shared <= 0) continue;
    const double instructions = static_cast<double>(group.code.size());
    const double change = group.executions * (parts[g] - instructions * of_shared / shared);
    variance += change * change * group.variance;
  }
  if (shared > 0) variance += Squared(of_shared / shared) * (Squared(total_error) + Squared(executions.at_known_error));
  const double error = std::sqrt(variance + unseen * unseen + Squared((kind.rare ? kRare : kKind) * value));
  if (error > kWorst * value && error > kSmall * executions.inst_executed) return std::nullopt;
  return SampledCounter{std::string(kind.id), value, error};
}

// Counts of threads include a few instructions of other names.
constexpr double kThreads = 0.02, kOtherNames = 0.002;

void OfThreads(SampledCounter& warps, const SampledCounter& lanes, double inst_executed) {
  warps.error = std::hypot(warps.error, kThreads * warps.value + kOtherNames * inst_executed);
  warps.error = std::hypot(warps.error * lanes.value, warps.value * lanes.error);
  warps.value *= lanes.value;
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

std::vector<SampledCounter> CountersOfSamples(const SamplingRecord& sampling, std::span<const Reading> totals,
                                              std::optional<double> warps) {
  std::vector<SampledCounter> counters;
  const SampledCounter warps_active = TotalOf(totals, "warps_active").value_or(SampledCounter{});
  const SampledCounter executed = TotalOf(totals, "inst_executed").value_or(SampledCounter{});
  const Seen seen = See(sampling);
  if (seen.samples < kLeastSamples || !(warps_active.value > 0) || !(executed.value > 0)) return counters;
  const double uneven = Unevenness(sampling, warps_active.value, executed.value);
  AddStates(seen, uneven, warps_active, executed, counters);
  const std::optional<ExecutedCode> executions =
      ExecutedCodeOf(sampling, executed.value, warps, uneven, executed.error);
  if (!executions) return counters;
  const bool hopper = IsHopper(sampling);
  const std::optional<SampledCounter> lanes = ActiveLanes(*executions, totals);
  if (lanes) counters.push_back(*lanes);
  for (const InstructionKind& kind : InstructionKinds()) {
    if (kind.hopper && !hopper) continue;
    std::optional<SampledCounter> counter = Count(kind, *executions, executed.error);
    if (!counter || (kind.threads && !lanes && counter->value > 0)) continue;
    if (kind.threads && lanes) OfThreads(*counter, *lanes, executed.value);
    counters.push_back(*std::move(counter));
  }
  AddCountersOfTotals(*executions, totals, counters);
  return counters;
}

std::vector<Reading> ReadingsOfSamples(const SamplingRecord& sampling, std::span<const Reading> totals,
                                       std::optional<double> warps, std::string_view chip) {
  std::vector<Reading> readings;
  for (const SampledCounter& counter : CountersOfSamples(sampling, totals, warps))
    if (const Reading* total = FindReading(totals, counter.id);
        (total == nullptr || !total->value) && IsSampledOn(counter.id, chip))
      readings.push_back({SampledMetric(counter.id), counter.value, ReadingStatus::kOk, counter.error});
  return readings;
}

}  // namespace culprit
