// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/diluted.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "db/medians.h"

namespace culprit::testing {
namespace {

const Reading* Find(const std::vector<Reading>& readings, std::string_view id) {
  const auto found = std::ranges::find(readings, id, [](const Reading& r) -> std::string_view { return r.metric.id; });
  return found == readings.end() || !found->value ? nullptr : &*found;
}

// The count that a mean or a share is made of. Empty: the metric is a sum.
std::string_view WeightOf(const Reading& reading) {
  const std::string& name = reading.metric.cupti_name;
  if (reading.metric.id == "threads_per_inst") return "inst_executed";
  if (name.find("pct_of_peak_sustained_elapsed") != name.npos) return "smsp_cycles_elapsed";
  if (name.find("pct_of_peak") != name.npos || reading.metric.unit == "%") return "smsp_cycles_active";
  if (name.find(".per_second") != name.npos || name.find(".ratio") != name.npos) return "smsp_cycles_elapsed";
  return {};
}

std::vector<Sample> EachSecond(const std::vector<Sample>& samples, std::size_t first) {
  if (samples.size() < 2) return samples;
  std::vector<Sample> chosen;
  for (std::size_t i = first; i < samples.size(); i += 2) chosen.push_back(samples[i]);
  return chosen;
}

struct Phase {
  const KernelRecord& kernel;
  double part;
};

std::optional<double> Mixed(const Reading& of_base, const Phase& base, const Phase& candidate) {
  const Reading* const other = Find(candidate.kernel.readings, of_base.metric.id);
  if (!of_base.value || other == nullptr) return std::nullopt;
  double from = base.part, to = candidate.part;
  if (const std::string_view weight = WeightOf(of_base); !weight.empty()) {
    const Reading* const a = Find(base.kernel.readings, weight);
    const Reading* const b = Find(candidate.kernel.readings, weight);
    if (a == nullptr || b == nullptr) return std::nullopt;
    from *= *a->value, to *= *b->value;
    const double all = from + to;
    if (!(all > 0)) return std::nullopt;
    from /= all, to /= all;
  }
  return from * *of_base.value + to * *other->value;
}

// Shares and means of one repetition are weighed as those of the medians, which is near enough.
std::map<std::string, std::vector<double>> MixedRepeats(const KernelRecord& mixed, const Phase& base,
                                                        const Phase& candidate) {
  std::map<std::string, std::vector<double>> repeats;
  for (const Reading& reading : mixed.readings) {
    const std::string& id = reading.metric.id;
    const auto a = base.kernel.repeats.find(id), b = candidate.kernel.repeats.find(id);
    if (!reading.value || a == base.kernel.repeats.end() || b == candidate.kernel.repeats.end()) continue;
    for (std::size_t i = 0; i < std::min(a->second.size(), b->second.size()); ++i) {
      Reading one = *Find(base.kernel.readings, id), other = *Find(candidate.kernel.readings, id);
      const double base_median = *one.value, candidate_median = *other.value;
      double value = *reading.value;
      if (WeightOf(reading).empty())
        value = base.part * a->second[i] + candidate.part * b->second[i];
      else if (base_median > 0 && candidate_median > 0)
        value *= base.part * a->second[i] / base_median + candidate.part * b->second[i] / candidate_median;
      repeats[id].push_back(value);
    }
  }
  return repeats;
}

std::vector<Sample> MixedSamples(const Phase& base, const Phase& candidate) {
  std::vector<Sample> samples;
  const std::vector<Sample>&from = base.kernel.samples, &to = candidate.kernel.samples;
  for (std::size_t i = 0; i < std::min(from.size(), to.size()); ++i) {
    Sample sample = from[i];
    sample.time_us = base.part * from[i].time_us + candidate.part * to[i].time_us;
    sample.clock_mhz.reset();
    if (from[i].clock_mhz && to[i].clock_mhz)
      sample.clock_mhz =
          (base.part * from[i].time_us * *from[i].clock_mhz + candidate.part * to[i].time_us * *to[i].clock_mhz) /
          sample.time_us;
    sample.low_clock = from[i].low_clock || to[i].low_clock;
    sample.gate_open = from[i].gate_open || to[i].gate_open;
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

KernelRecord Diluted(const KernelRecord& base, const KernelRecord& candidate, double part) {
  const Phase first{base, 1 - part}, second{candidate, part};
  KernelRecord mixed = candidate;
  mixed.samples = MixedSamples(first, second);
  mixed.readings.clear();
  for (const Reading& reading : base.readings) {
    Reading& one = mixed.readings.emplace_back(reading);
    one.value = Mixed(reading, first, second);
    if (!one.value && reading.value) one.status = ReadingStatus::kFailed;
  }
  mixed.repeats = MixedRepeats(mixed, first, second);
  mixed.barriers.reset();
  if (base.barriers && candidate.barriers)
    mixed.barriers = first.part * *base.barriers + second.part * *candidate.barriers;
  mixed.accesses.clear(), mixed.access_bytes.clear();
  for (const Phase* phase : {&first, &second})
    for (const auto& [space, by_width] : phase->kernel.accesses)
      for (const auto& [bytes, count] : by_width) mixed.accesses[space][bytes] += phase->part * count;
  for (const auto& [space, by_width] : mixed.accesses) {
    double bytes = 0, all = 0;
    for (const auto& [width, count] : by_width) bytes += width * count, all += count;
    if (all > 0) mixed.access_bytes[space] = bytes / all;
  }
  mixed.interventions.clear();
  return mixed;
}

KernelRecord RecordedAgain(const KernelRecord& kernel, double noise, std::size_t first, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  KernelRecord again = kernel;
  again.samples = EachSecond(kernel.samples, first);
  for (auto& [id, values] : again.repeats) {
    const std::vector<double>& recorded = kernel.repeats.at(id);
    double mean = 0, squares = 0;
    for (const double value : recorded) mean += value / static_cast<double>(recorded.size());
    for (const double value : recorded) squares += (value - mean) * (value - mean);
    const double deviation = recorded.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(recorded.size() - 1));
    for (double& value : values) value = std::max(0.0, mean + deviation * normal(random));
  }
  const double slower = std::exp(noise / (2.576 * std::sqrt(2.0)) * normal(random));
  for (Sample& sample : again.samples) sample.time_us *= slower;
  constexpr std::string_view kSlower[] = {"smsp_cycles_active",   "smsp_cycles_elapsed",  "sm_cycles_elapsed_max",
                                          "sm_cycles_active_max", "sm_cycles_active_min", "counted_time_ns"};
  const Reading* const warps = Find(again.readings, "warps_active");
  const Reading* const selected = Find(again.readings, "stall_selected");
  // All waiting grows alike, and warps stay as long as all they do.
  const double waiting = warps == nullptr || selected == nullptr
                             ? slower
                             : 1 + (slower - 1) * *warps->value / (*warps->value - *selected->value);
  const auto factor_of = [&](const std::string& id) {
    if (std::ranges::find(kSlower, id) != std::end(kSlower) || id == "warps_active") return slower;
    return id.starts_with("stall_") && id != "stall_selected" ? waiting : 1.0;
  };
  for (auto& [id, values] : again.repeats)
    for (double& value : values) value *= factor_of(id);
  for (Reading& reading : again.readings) {
    const auto found = again.repeats.find(reading.metric.id);
    if (!reading.value) continue;
    reading.value =
        found != again.repeats.end() ? Median(found->second) : *reading.value * factor_of(reading.metric.id);
  }
  return again;
}

}  // namespace culprit::testing
