// SPDX-License-Identifier: Apache-2.0
#include "bench/program/stored_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/launch/name.h"
#include "bench/program/counters_of_samples.h"
#include "bench/program/sampled_program.h"
#include "db/launch_facts.h"
#include "db/medians.h"
#include "db/metric_catalogue.h"
#include "db/nvtx_range.h"

namespace culprit {
namespace {

// Of the classes with most time so many have profiles, of some 5 kB each.
constexpr std::size_t kMostProfiled = 100;

// A trace may say a thing twice, and a database has it once.
template <class Row, class KeyOf>
std::vector<Row> FirstOfEach(std::vector<Row> rows, KeyOf key_of) {
  std::set<decltype(key_of(rows.front()))> seen;
  std::erase_if(rows, [&](const Row& row) { return !seen.insert(key_of(row)).second; });
  return rows;
}

std::string ShapeOf(const LaunchGeometry& g) {
  return fmt::format("{}x{}x{}x{}x{}x{}", g.grid_x, g.grid_y, g.grid_z, g.block_x, g.block_y, g.block_z);
}

std::string ArchOf(const ProgramKernel& kernel, const std::optional<Device>& device) {
  if (kernel.build && !kernel.build->arch.empty()) return kernel.build->arch;
  return device && device->cc_major > 0 ? fmt::format("sm_{}{}", device->cc_major, device->cc_minor) : "";
}

LaunchRecord LaunchOf(const LaunchClass& of, const TimedProgram& timed) {
  const ProgramKernel& kernel = timed.kernels[of.kernel];
  const LaunchGeometry& g = of.geometry;
  LaunchRecord launch;
  launch.stage = kernel.stage;
  launch.arch = ArchOf(kernel, timed.device);
  launch.shape = ShapeOf(g);
  launch.kernel = kernel.symbol;
  launch.grid_x = g.grid_x, launch.grid_y = g.grid_y, launch.grid_z = g.grid_z;
  launch.block_x = g.block_x, launch.block_y = g.block_y, launch.block_z = g.block_z;
  launch.dynamic_shared_bytes = g.dynamic_shared_bytes;
  return launch;
}

ProgramLaunch ProgramLaunchOf(const LaunchClass& of, const TimedProgram& timed) {
  return {.name = timed.kernels[of.kernel].readable,
          .nvtx = of.nvtx,
          .first = of.first,
          .calls = of.calls,
          .time_us = of.time_us,
          .share_us = of.share_us,
          .graph_calls = of.graph_calls,
          .stack = of.stack};
}

// Empty where it was in none.
std::string NormalRangeOf(const ProcessTrace& trace, const CountedLaunch& launch) {
  return launch.range < 0 ? "" : NormalRange(trace.ranges[static_cast<std::size_t>(launch.range)]);
}

// What was counted, by kernel and geometry.
class CountedLaunches {
 public:
  explicit CountedLaunches(std::span<const ProcessTrace> traces) {
    for (const ProcessTrace& trace : traces)
      for (const CountedLaunch& launch : trace.counted)
        launches_[{SymbolOf(trace, launch), launch.geometry}].emplace_back(&launch, NormalRangeOf(trace, launch));
  }

  // Those that count for a class: with its range where there are any, else all of its kernel and geometry.
  std::vector<const CountedLaunch*> Of(const LaunchClass& of, const TimedProgram& timed) const {
    std::vector<const CountedLaunch*> all, in_range;
    for (const auto& [launch, range] : Like(of, timed)) {
      if (launch->readings.empty()) continue;
      all.push_back(launch);
      if (range == of.nvtx) in_range.push_back(launch);
    }
    return in_range.empty() ? all : in_range;
  }

  // What is said of the first of them that has no counters; empty: nothing.
  std::string WhyNot(const LaunchClass& of, const TimedProgram& timed) const {
    for (const auto& [launch, range] : Like(of, timed))
      if (launch->readings.empty() && !launch->not_counted.empty()) return launch->not_counted;
    return {};
  }

 private:
  using Launches = std::vector<std::pair<const CountedLaunch*, std::string>>;  // with their ranges

  const Launches& Like(const LaunchClass& of, const TimedProgram& timed) const {
    static const Launches kNone;
    const auto found = launches_.find({timed.kernels[of.kernel].symbol, of.geometry});
    return found != launches_.end() ? found->second : kNone;
  }

  std::map<std::pair<std::string_view, LaunchGeometry>, Launches> launches_;
};

RunRecord WithMachine(RunRecord run, const TimedProgram& timed) {
  run.l2 = "hot";
  run.device = timed.device;
  run.gpu_uuids = timed.gpu_uuids;
  run.toolchain = timed.toolchain;
  return run;
}

// The rows of one kernel from several processes, added up.
class SampleSum {
 public:
  // Of processes without samples, only the code counts, and only if no process has samples.
  void Add(const SamplingRecord& one) {
    if (one.samples == 0 && sum_.samples > 0) return;
    if (one.samples > 0 && sum_.samples == 0) sum_ = {}, digests_.clear();
    sum_.period_cycles = one.period_cycles;
    sum_.launches += one.launches;
    sum_.samples += one.samples;
    sum_.dropped += one.dropped;
    if (sum_.code.empty()) sum_.code = one.code;
    for (const MachineCode& code : one.code) digests_.insert(code.digest);
    for (const PcSample& row : one.rows) {
      PcSample& at = rows_.try_emplace({row.pc_offset, row.reason}, PcSample{row.function, row.pc_offset, row.reason})
                         .first->second;
      at.samples += row.samples;
      at.not_issued += row.not_issued;
    }
  }
  SamplingRecord Take() {
    for (auto& [key, row] : rows_) sum_.rows.push_back(std::move(row));
    // Processes that compiled the kernel differently: a sample's instruction is not known.
    if (digests_.size() > 1) sum_.code.clear();
    return std::move(sum_);
  }

 private:
  SamplingRecord sum_;
  std::set<std::string> digests_;
  std::map<std::pair<std::int64_t, std::string>, PcSample> rows_;
};

}  // namespace

std::vector<ClassCounts> MatchCounts(const TimedProgram& timed, std::span<const ProcessTrace> counted,
                                     const std::string& missing) {
  const CountedLaunches launches(counted);
  std::vector<ClassCounts> counts;
  for (const LaunchClass& of : timed.classes) {
    ClassCounts& its = counts.emplace_back();
    for (const CountedLaunch* launch : launches.Of(of, timed))
      its.repetitions.push_back(
          FirstOfEach(launch->readings, [](const Reading& r) { return std::pair(r.metric.id, r.metric.source); }));
    if (!its.repetitions.empty()) continue;
    its.not_counted = launches.WhyNot(of, timed);
    if (its.not_counted.empty()) its.not_counted = missing;
  }
  return counts;
}

StoredProgram::StoredProgram(Database& database, const RunRecord& run, TimedProgram timed,
                             std::vector<std::string> not_counted)
    : writer_(database, WithMachine(run, timed)), timed_(std::move(timed)), not_counted_(std::move(not_counted)) {
  for (ProgramKernel& kernel : timed_.kernels)
    if (kernel.build)
      kernel.build->attributes = FirstOfEach(std::move(kernel.build->attributes),
                                             [](const StaticAttribute& a) { return std::pair(a.name, a.source); });
  replayed_.resize(timed_.classes.size());
  for (std::size_t i = 0; i < timed_.classes.size(); ++i) {
    const LaunchClass& of = timed_.classes[i];
    const ProgramKernel& kernel = timed_.kernels[of.kernel];
    StoreStage(kernel);
    launches_.push_back(writer_.StoreLaunch(LaunchOf(of, timed_), of.samples));
    ProgramLaunch program = ProgramLaunchOf(of, timed_);
    program.not_counted = not_counted_[i];
    writer_.StoreProgramLaunch(launches_.back(), program);
    if (!of.sampled.empty()) writer_.StoreReadings(launches_.back(), of.sampled);
    if (!of.profiles.empty() && i < kMostProfiled) writer_.StoreProfiles(launches_.back(), of.profiles);
    const std::vector<StaticAttribute> none;
    writer_.StoreReadings(launches_.back(), LaunchFacts(kernel.build ? kernel.build->attributes : none, 1));
  }
  for (const Warning& warning : timed_.warnings) writer_.StoreWarning(warning);
  writer_.StoreProgram(timed_.program);
  if (timed_.timeline.span_ns > 0) writer_.StoreTimeline(std::move(timed_.timeline), launches_);
}

// A stage is described by its first kernel, which is the one with most time.
void StoredProgram::StoreStage(const ProgramKernel& kernel) {
  StageRecord stage;
  stage.id = kernel.stage;
  stage.family = "program";
  stage.idea = ShortName(kernel.readable);
  if (const auto place = timed_.places.find(kernel.symbol); place != timed_.places.end())
    stage.source_file = place->second.file, stage.source_line = place->second.line;
  std::vector<BuildRecord> builds;
  if (kernel.build) builds.push_back(*kernel.build);
  for (BuildRecord& build : builds) build.stage = stage.id, build.arch = ArchOf(kernel, timed_.device);
  writer_.StoreStage(stage, builds);
}

void StoredProgram::AddCounts(std::span<const ProcessTrace> traces, const std::string& missing) {
  const std::vector<ClassCounts> counts = MatchCounts(timed_, traces, missing);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const ClassCounts& of = counts[i];
    if (of.repetitions.empty() && !not_counted_[i].empty()) continue;
    if (of.repetitions.empty() && !timed_.classes[i].sampled.empty()) {
      if (!of.not_counted.empty() && of.not_counted != missing)
        Warn({"not_replayed", fmt::format("{} was not replayed, so its counters are sampled: {}",
                                          timed_.kernels[timed_.classes[i].kernel].stage, of.not_counted)});
      continue;
    }
    writer_.StoreRepetitions(launches_[i], of.repetitions);
    replayed_[i] = Medians(of.repetitions);
    ProgramLaunch program = ProgramLaunchOf(timed_.classes[i], timed_);
    program.counted = static_cast<std::int64_t>(of.repetitions.size());
    program.not_counted = of.not_counted;
    writer_.StoreProgramLaunch(launches_[i], program);
  }
}

bool StoredProgram::AddExactCounts(std::span<const ProcessTrace> traces) {
  const CountedLaunches counted(traces);
  bool has_any = false;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const std::vector<const CountedLaunch*> of = counted.Of(timed_.classes[i], timed_);
    if (of.empty()) continue;
    has_any = true;
    writer_.StoreReadings(launches_[i], of.front()->readings);
    writer_.StoreInstructions(launches_[i], of.front()->instructions);
  }
  return has_any;
}

AddedSamples StoredProgram::AddSamples(std::span<const ProcessTrace> traces) {
  std::map<std::string, SampleSum> sums;  // by symbol
  for (const ProcessTrace& trace : traces)
    for (const TracedSampling& sampled : trace.sampled) sums[sampled.about].Add(sampled.sampling);
  struct Launched {
    std::size_t first;       // of its classes
    std::int64_t calls = 0;  // of all of them
  };
  std::map<std::string_view, Launched> launched;  // by symbol
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const LaunchClass& c = timed_.classes[i];
    launched.try_emplace(timed_.kernels[c.kernel].symbol, Launched{i}).first->second.calls += c.calls;
  }
  AddedSamples added;
  for (auto& [symbol, sum] : sums) {
    SamplingRecord sampling = sum.Take();
    if (sampling.samples == 0 && sampling.code.empty()) continue;
    const auto of = launched.find(symbol);
    if (of == launched.end() || sampling.period_cycles < 1) {
      added.of_no_kernel += sampling.samples;
      continue;
    }
    // Launches from graphs are not seen: then there were as many as when the program was timed.
    if (sampling.launches == 0) sampling.launches = of->second.calls;
    writer_.StoreSampling(launches_[of->second.first], sampling);
    StoreCountersOf(sampling, of->second.first, of->second.calls);
    added.stored += sampling.samples;
  }
  return added;
}

// Samples of a kernel are of all its classes, so they stand for one that has most of its launches. Totals that were not
// sampled are those of replayed launches.
void StoredProgram::StoreCountersOf(const SamplingRecord& sampling, std::size_t index, std::int64_t calls) {
  const LaunchClass& of = timed_.classes[index];
  if (2 * of.calls < calls) return;
  std::vector<Reading> totals = of.sampled;
  for (const Reading& reading : replayed_[index])
    if (reading.value && !FindReading(of.sampled, reading.metric.id)) totals.push_back(reading);
  if (totals.empty()) return;
  const std::string chip = timed_.device ? timed_.device->chip : "";
  writer_.StoreReadings(launches_[index], ReadingsOfSamples(sampling, totals, WarpsOf(of.geometry), chip));
}

void StoredProgram::Warn(const Warning& warning) {
  const auto is_same = [&](const Warning& known) { return known.code == warning.code && known.text == warning.text; };
  if (std::ranges::any_of(timed_.warnings, is_same)) return;
  writer_.StoreWarning(warning);
  timed_.warnings.push_back(warning);
}

void StoredProgram::AddTime(double wall_us) {
  timed_.program.counted_wall_us = timed_.program.counted_wall_us.value_or(0) + wall_us;
}

}  // namespace culprit
