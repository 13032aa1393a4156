// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/as_sampled.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <string_view>

#include "analysis/launch/kernel_view.h"
#include "bench/program/counters_of_samples.h"
#include "bench/program/executed_code.h"
#include "bench/program/sampled_program.h"
#include "db/fnv.h"
#include "db/metric_catalogue.h"
#include "db/sampled_counters.h"

namespace culprit::testing {
namespace {

std::string ChipOf(const KernelRecord& kernel) { return kernel.run.run.device ? kernel.run.run.device->chip : ""; }

// Where threads that predicates switch off were not counted: this part of the lanes of guarded instructions.
constexpr double kSwitchedOff = 0.3;

double GuardedPart(const SamplingRecord& sampling, double inst_executed) {
  const auto code = ExecutedCodeOf(sampling, inst_executed, std::nullopt, 0);
  if (!code) return 0;
  double guarded = 0;
  for (const RunTogether& group : code->groups)
    for (const SassInstruction& instruction : group.code) guarded += instruction.guarded ? group.executions : 0;
  return guarded / inst_executed;
}

LaunchGeometry GeometryOf(const LaunchRecord& launch) {
  LaunchGeometry geometry;
  geometry.grid_x = launch.grid_x, geometry.grid_y = launch.grid_y, geometry.grid_z = launch.grid_z;
  geometry.block_x = launch.block_x, geometry.block_y = launch.block_y, geometry.block_z = launch.block_z;
  return geometry;
}

// What samples of instructions tell beside `readings`.
void AddDerived(const SamplingRecord& sampling, const LaunchGeometry& geometry, const std::string& chip,
                std::vector<Reading>& readings) {
  for (const SampledCounter& c : CountersOfSamples(
           sampling, readings, sampling.code.size() == 1 ? std::optional(WarpsOf(geometry)) : std::nullopt))
    if (!FindReading(readings, c.id) && IsSampledOn(c.id, chip))
      readings.push_back({SampledMetric(c.id), c.value, ReadingStatus::kOk, c.error});
}

}  // namespace

KernelRecord DerivedAnew(const KernelRecord& kernel, const SamplingRecord& sampling) {
  // ReadingsOf computed these from the totals.
  constexpr std::string_view kOfTotals[] = {"inst_issued", "counted_time_ns", "sm_cycles_elapsed_max",
                                            "smsp_cycles_elapsed", "tensor_pipe_pct"};
  KernelRecord anew = kernel;
  std::erase_if(anew.readings, [&](const Reading& r) {
    return r.metric.source == kSampledSource && r.metric.cupti_name.empty() &&
           std::ranges::find(kOfTotals, r.metric.id) == std::end(kOfTotals);
  });
  AddDerived(sampling, GeometryOf(kernel.launch), ChipOf(kernel), anew.readings);
  return anew;
}

KernelRecord AsSampled(const KernelRecord& kernel, const SamplingRecord& sampling) {
  const KernelView counted(kernel);
  const std::string chip = ChipOf(kernel);
  std::mt19937_64 random(Fnv1a(kernel.stage.id + kernel.launch.shape));
  std::normal_distribution<double> normal;

  SampledClass sampled;
  sampled.clock_mhz = counted.Get("clock_mhz").value();
  const auto add = [&](std::string_view id, double value) {
    sampled.readings.push_back(
        {SampledMetric(id), value * (1 + kSampledError * normal(random)), ReadingStatus::kOk, kSampledError * value});
  };
  for (const CounterTurn& turn : CounterTurnsOn(chip))
    for (const TurnCounter& counter : turn.counters)
      if (const Reading* const found = FindReading(kernel.readings, counter.id); found && found->value)
        add(counter.id, *found->value);
      else if (const Measured threads = counted.Get("thread_inst_executed");
               counter.id == "sass_thread_inst_on" && threads)
        add(counter.id,
            *threads * (1 - kSwitchedOff * GuardedPart(sampling, counted.Get("inst_executed").value_or(0))));
  if (const Measured fma = counted.Get("pipe_fma_inst"), half = counted.Get("pipe_fp16_inst"); fma && half)
    add("pipe_fma_halves_inst", *fma + *half);
  if (const Measured tensor = counted.Get("tensor_pipe_pct"), active = counted.Get("smsp_cycles_active");
      tensor && active)
    add("tensor_pipe_cycles", *tensor / 100 * *active);
  const LaunchGeometry geometry = GeometryOf(kernel.launch);

  // ReadingsOf takes the instructions away that CUPTI adds while a kernel is timed. Here it added none.
  for (Reading& r : sampled.readings)
    for (const StampedCounter& stamp : kStamps)
      if (r.metric.id == stamp.id) r.value = *r.value + stamp.by_warp * WarpsOf(geometry);

  KernelRecord one = kernel;
  one.repeats.clear(), one.barriers.reset(), one.accesses.clear(), one.access_bytes.clear();
  std::erase_if(one.readings, [](const Reading& r) { return r.metric.source == "range" || r.metric.source == "sass"; });
  std::erase_if(one.attributes, [](const StaticAttribute& a) { return a.source == "compiler"; });
  std::vector<Reading> readings =
      ReadingsOf(std::move(sampled), geometry, counted.At("time_us"), kernel.run.run.device.value_or(Device{}));
  // Here the time is one of events and longer than the execution.
  for (Reading& r : readings)
    if (r.metric.id == "smsp_cycles_elapsed" || r.metric.id == "sm_cycles_elapsed_max" ||
        r.metric.id == "counted_time_ns")
      r.value = counted.Get(r.metric.id).value();
  AddDerived(sampling, geometry, chip, readings);
  one.readings.insert(one.readings.end(), readings.begin(), readings.end());
  return one;
}

KernelRecord AsBoth(const KernelRecord& kernel, const SamplingRecord& sampling) {
  KernelRecord both = kernel;
  std::erase_if(both.attributes, [](const StaticAttribute& a) { return a.source == "compiler"; });
  const auto is_total = [&](const std::string& id) {
    return std::ranges::any_of(CounterTurnsOn(ChipOf(kernel)), [&](const CounterTurn& turn) {
      return std::ranges::find(turn.counters, id, &TurnCounter::id) != turn.counters.end();
    });
  };
  for (const Reading& r : AsSampled(kernel, sampling).readings)
    if (r.metric.source == kSampledSource && (is_total(r.metric.id) || !FindReading(kernel.readings, r.metric.id)))
      both.readings.push_back(r);
  return both;
}

}  // namespace culprit::testing
