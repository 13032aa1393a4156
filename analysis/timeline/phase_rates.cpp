// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/phase_rates.h"

#include <algorithm>

#include "db/sampled_counters.h"

namespace culprit {
namespace {

constexpr double kMhzPerPerNs = 1000;

const PhaseProfile* Find(std::span<const PhaseProfile> profiles, std::string_view id) {
  const auto found = std::ranges::find(profiles, id, [](const PhaseProfile& p) { return p.metric.id; });
  return found == profiles.end() ? nullptr : &*found;
}

double Sum(const std::vector<double>& counts) {
  double sum = 0;
  for (const double count : counts) sum += count;
  return sum;
}

// Cycles per ns: of the clock's own profile, else of the samples.
std::optional<double> ClockOf(const KernelRecord& kernel, std::span<const PhaseProfile> profiles) {
  if (const PhaseProfile* const clock = Find(profiles, kClockCounter); clock && Sum(clock->counts) > 0)
    return Sum(clock->counts) / clock->duration_ns;
  for (const Sample& sample : kernel.samples)
    if (sample.clock_mhz) return *sample.clock_mhz / kMhzPerPerNs;
  return std::nullopt;
}

}  // namespace

std::vector<PhaseRates> RatesInside(const KernelRecord& kernel, std::span<const PhaseProfile> profiles) {
  std::vector<PhaseRates> all;
  if (!kernel.run.run.device) return all;
  const Device& device = *kernel.run.run.device;
  const std::optional<double> clock = ClockOf(kernel, profiles);
  for (const UnitRate& rate : UnitRates()) {
    if (rate.metrics[0].empty()) continue;
    std::vector<const PhaseProfile*> parts;
    for (const std::string_view id : rate.metrics)
      if (!id.empty()) parts.push_back(Find(profiles, id));
    // Counters of one list have the same phases.
    if (std::ranges::any_of(parts, [&](const PhaseProfile* p) { return !p || p->edges != parts[0]->edges; })) continue;
    PhaseRates rates{&rate, parts[0]->edges, {}, {}, 0};
    const auto add = [&](double width, auto count_of) {
      UnitCounts counts{{}, parts[0]->duration_ns * width, {}};
      if (clock) counts.cycles = *clock * counts.time_ns;
      for (const PhaseProfile* part : parts) counts.counts[part->metric.id] = count_of(*part);
      return RateOf(rate, counts, device);
    };
    bool is_known = true;
    for (std::size_t q = 0; q + 1 < rates.edges.size() && is_known; ++q) {
      const double width = rates.edges[q + 1] - rates.edges[q];
      const auto value = add(width, [&](const PhaseProfile& p) { return p.counts[q]; });
      const auto error = add(width, [&](const PhaseProfile& p) { return p.errors[q]; });
      is_known = value.has_value() && error.has_value();
      if (is_known) rates.values.push_back(*value), rates.errors.push_back(*error);
    }
    const auto mean = add(1, [](const PhaseProfile& p) { return Sum(p.counts); });
    if (!is_known || !mean) continue;
    rates.mean = *mean;
    all.push_back(std::move(rates));
  }
  return all;
}

double ValueAt(const PhaseRates& rates, double time) {
  const auto next = std::upper_bound(rates.edges.begin() + 1, rates.edges.end() - 1, time);
  return rates.values[static_cast<std::size_t>(next - rates.edges.begin()) - 1];
}

}  // namespace culprit
