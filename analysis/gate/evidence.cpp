// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/evidence.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "analysis/gate/change_text.h"
#include "analysis/gate/family.h"
#include "analysis/number/format.h"
#include "analysis/number/statistics.h"

namespace culprit {
namespace {

// A noise floor is a 99th percentile, which lies 2.576 standard deviations from 0 if noise is normal.
constexpr double kFloorInSigmas = 2.576;

int FewestProcesses(const ComparedLaunch& launch) {
  return std::min(ProcessesOf(launch.base->samples), ProcessesOf(launch.candidate->samples));
}

// The noise between runs for launches as short as the shorter of the two.
RunNoise NoiseOf(const ComparedLaunch& launch, const MeasuredRunNoise& noise) {
  const auto us = [](const KernelRecord& kernel) {
    const TimeSummary times = Summarize(kernel.samples);
    return times.time_us ? times.time_us->median : 0;
  };
  const auto& device = launch.candidate->run.run.device;
  return noise.At(device ? device->name : "", std::min(us(*launch.base), us(*launch.candidate)));
}

std::map<int, double> MediansOf(const std::vector<Sample>& samples, bool by_cycles) {
  std::map<int, double> medians;
  for (const auto& [process, values] : ValuesByProcess(samples))
    if (const auto all = Describe(by_cycles ? values.cycles : values.times)) medians[process] = all->median;
  return medians;
}

// The floor in turns of a kernel that takes a millisecond serves all kernels, as for `versus` (ab.cpp): shorter ones
// scatter more from process to process, which the statistic contains.
FamilyMember MemberOf(const ComparedLaunch& launch, const MeasuredRunNoise& noise) {
  constexpr double kLongUs = 1000;
  const bool by_cycles = launch.verdict->cycles.has_value();
  const NoiseFloor& floor = launch.verdict->floor;
  const double in_turns = NoiseFloorOf(launch.candidate->run.run, kLongUs).in_turns;
  FamilyMember member{MediansOf(launch.base->samples, by_cycles), MediansOf(launch.candidate->samples, by_cycles)};
  member.least_scatter = in_turns / kFloorInSigmas;
  // Processes that took turns met the same machine, and its clock is in their scatter.
  member.allowance = in_turns;
  if (HowRecorded(launch.base->run, launch.candidate->run) == Recorded::kInTurns) return member;
  member.allowance = by_cycles ? floor.change : floor.OfTime();
  if (const RunNoise between = NoiseOf(launch, noise); between.pairs > 0)
    member.allowance = std::max(member.allowance, between.change);
  return member;
}

// The verdict's interval, as wide as `noise` alone would make it or wider.
std::optional<Shift> WithNoise(const Verdict& verdict, double noise) {
  if (!verdict.time) return std::nullopt;
  const double known = verdict.floor.OfTime();
  return noise > known ? Widened(*verdict.time, std::sqrt(noise * noise - known * known)) : *verdict.time;
}

WeighedLaunch OfOneProcess(const ComparedLaunch& launch, const MeasuredRunNoise& measured) {
  const RunNoise noise = NoiseOf(launch, measured);
  WeighedLaunch weighed{Standing::kOneProcess, WithNoise(*launch.verdict, noise.change), {}};
  const std::string change =
      weighed.time ? ChangeText(weighed.time->change) : std::string("more than single launches of one kernel differ");
  if (weighed.time && weighed.time->low <= 0) {
    weighed.standing = Standing::kRunNoise;
    weighed.why = fmt::format("{} is within the noise between two runs: 9 of 10 pairs differ by up to {} ({}).", change,
                              Format(100 * noise.change, Unit::kPercent), noise.source);
  } else {
    const int processes = FewestProcesses(launch);
    weighed.why =
        fmt::format("{}, but {} per side {} not show whether the code or the process is slower: {}", change,
                    processes == 1 ? "one process" : fmt::format("{} processes", processes),
                    processes == 1 ? "does" : "do", HowToConfirm(launch.candidate->run.run.program.has_value()));
  }
  return weighed;
}

WeighedLaunch OfProcesses(const ComparedLaunch& launch, double level, std::size_t family) {
  WeighedLaunch weighed{Standing::kShown, launch.verdict->time, {}};
  if (level <= kFamilyAlarms) return weighed;
  weighed.standing = Standing::kChance;
  weighed.why =
      fmt::format("{}, but the processes of both sides scatter so much that one of {} may look so by chance: {}",
                  weighed.time ? ChangeText(weighed.time->change) : "Slower",
                  family == 1 ? "1 launch" : fmt::format("{} launches", family),
                  HowToConfirm(launch.candidate->run.run.program.has_value()));
  return weighed;
}

}  // namespace

std::vector<WeighedLaunch> WeighEvidence(std::span<const ComparedLaunch> launches, const MeasuredRunNoise& noise) {
  std::vector<FamilyMember> family;
  std::map<std::size_t, std::size_t> place;  // in the family
  for (std::size_t i = 0; i < launches.size(); ++i)
    if (launches[i].verdict->time && FewestProcesses(launches[i]) >= kFewestProcesses) {
      place[i] = family.size();
      family.push_back(MemberOf(launches[i], noise));
    }
  const std::vector<double> levels = FamilyLevels(family);
  std::vector<WeighedLaunch> weighed;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto found = place.find(i);
    weighed.push_back(found == place.end() ? OfOneProcess(launches[i], noise)
                                           : OfProcesses(launches[i], levels[found->second], family.size()));
  }
  return weighed;
}

std::string HowToConfirm(bool program) {
  return program ? "confirm it with 'culprit versus OLD NEW', or record at least 5 executions of each with one label."
                 : "confirm it with 'culprit versus OLD NEW', or record both with --processes 8.";
}

}  // namespace culprit
