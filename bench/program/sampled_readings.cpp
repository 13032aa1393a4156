// SPDX-License-Identifier: Apache-2.0
#include "bench/program/sampled_readings.h"

#include <algorithm>
#include <cmath>

#include "db/sampled_counters.h"

namespace culprit {
namespace {

// Instructions that are issued again, as a share of those executed, are at most so many in most launches.
constexpr double kReplayedShare = 0.003;

const Reading* FindValue(std::span<const Reading> readings, std::string_view id) {
  const Reading* const found = FindReading(readings, id);
  return found != nullptr && found->value ? found : nullptr;
}

}  // namespace

const Reading* FindReading(std::span<const Reading> readings, std::string_view id) {
  const auto found = std::ranges::find(readings, id, [](const Reading& r) { return r.metric.id; });
  return found == readings.end() ? nullptr : &*found;
}

void AddWhatFollows(std::vector<Reading>& readings, std::optional<double> clock_mhz, double time_us,
                    const Device& device) {
  if (std::ranges::none_of(readings, [](const Reading& r) { return r.value.has_value(); })) return;
  const auto add = [&](std::string_view id, double value, double error) {
    readings.push_back({SampledMetric(id), value, ReadingStatus::kOk, error});
  };
  if (const Reading* const executed = FindValue(readings, "inst_executed")) {
    const double value = *executed->value, error = executed->error.value_or(0);
    add("inst_issued", value, std::hypot(error, kReplayedShare * value));
  }
  constexpr double kNsOfUs = 1000, kSubPartitions = 4;
  const Reading* const tensor = FindValue(readings, "tensor_pipe_cycles");
  const Reading* const active = FindValue(readings, "smsp_cycles_active");
  if (tensor != nullptr && active != nullptr && *active->value > 0) {
    const double percent = 100 / *active->value;
    add("tensor_pipe_pct", *tensor->value * percent, tensor->error.value_or(0) * percent);
  }
  if (!(time_us > 0)) return;
  add("counted_time_ns", time_us * kNsOfUs, 0);
  if (clock_mhz && device.sm_count > 0) {
    const double cycles = *clock_mhz * time_us;
    add("sm_cycles_elapsed_max", cycles, 0);
    add("smsp_cycles_elapsed", cycles * kSubPartitions * device.sm_count, 0);
  }
}

}  // namespace culprit
