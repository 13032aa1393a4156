// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/replicate.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis/statistics.h"

namespace culprit {
namespace {

constexpr int kReplicates = 200;
constexpr double kLow = 0.025, kHigh = 0.975;

// One kernel, measured again and again.
class Resampler {
 public:
  Resampler(const KernelView& kernel, const LaunchCounters& counters)
      : counters_(counters), random_(SeedOf(kernel.record())) {
    for (const Sample& sample : kernel.record().samples)
      if (!sample.low_clock) times_.push_back(sample.time_us);
    for (std::size_t i = 0; i < Repetitions(kernel.record()); ++i) repetitions_.push_back(At(kernel.record(), i));
  }

  // The same wherever the launch is stored: FNV-1a (32 bit) of what names it.
  static std::uint32_t SeedOf(const KernelRecord& record) {
    std::uint32_t hash = 2166136261u;
    for (const std::string* text : {&record.run.run.uuid, &record.launch.stage, &record.launch.shape})
      for (const char c : *text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash;
  }

  LaunchCounters Draw() {
    LaunchCounters drawn = repetitions_.empty() ? counters_ : repetitions_[Below(repetitions_.size())];
    if (times_.size() > 1) {
      std::vector<double> sample(times_.size());
      for (double& time : sample) time = times_[Below(times_.size())];
      std::sort(sample.begin(), sample.end());
      drawn.time_us = Quantile(sample, 0.5);
    }
    return drawn;
  }

 private:
  // The same on every platform, which std::uniform_int_distribution is not.
  std::size_t Below(std::size_t count) { return random_() % count; }

  // Only repetitions that read everything can be decomposed.
  static std::size_t Repetitions(const KernelRecord& record) {
    const auto found = record.repeats.find("warps_active");
    return found == record.repeats.end() ? 0 : found->second.size();
  }

  LaunchCounters At(const KernelRecord& record, std::size_t i) const {
    LaunchCounters c = counters_;
    const auto value = [&](const std::string& id, double otherwise) {
      const auto found = record.repeats.find(id);
      return found != record.repeats.end() && i < found->second.size() ? found->second[i] : otherwise;
    };
    c.instructions = value("inst_issued", c.instructions);
    c.active = value("smsp_cycles_active", c.active);
    c.elapsed = value("smsp_cycles_elapsed", c.elapsed);
    c.warp_cycles.erase(kUnattributed);
    double total = 0;
    for (auto& [reason, cycles] : c.warp_cycles) total += cycles = value("stall_" + reason, cycles);
    if (const double warps = value("warps_active", total); total < warps) c.warp_cycles[kUnattributed] = warps - total;
    return c;
  }

  const LaunchCounters& counters_;
  std::mt19937 random_;
  std::vector<double> times_;
  std::vector<LaunchCounters> repetitions_;
};

template <class Key>
using Series = std::map<Key, std::vector<double>, std::less<>>;

template <class Key>
std::map<Key, Interval, std::less<>> Percentiles(Series<Key> series) {
  std::map<Key, Interval, std::less<>> intervals;
  for (auto& [key, values] : series) {
    values.resize(kReplicates, 0.0);  // a replicate that does not name a cause gives it nothing
    std::sort(values.begin(), values.end());
    intervals[key] = {Quantile(values, kLow), Quantile(values, kHigh)};
  }
  return intervals;
}

// The part itself is of the medians of all repetitions, which no single one has: where few of them scatter to one side
// it can lie beyond them.
template <class Key>
void Hold(const std::map<Key, double, std::less<>>& parts, std::map<Key, Interval, std::less<>>& intervals) {
  for (const auto& [key, us] : parts) {
    const auto found = intervals.find(key);
    if (found == intervals.end()) continue;
    found->second.low = std::min(found->second.low, us);
    found->second.high = std::max(found->second.high, us);
  }
}

}  // namespace

Replicates Replicate(const Attributor& attributor, const KernelView& base, const LaunchCounters& base_counters,
                     const KernelView& candidate, const LaunchCounters& candidate_counters, const Decomposition& whole,
                     const Attribution& attribution) {
  Resampler from(base, base_counters), to(candidate, candidate_counters);
  Series<Factor> factors;
  Series<std::string> stalls, causes;
  for (int i = 0; i < kReplicates; ++i) {
    const Decomposition d = Decompose(from.Draw(), to.Draw());
    for (const auto& [factor, us] : d.factors) factors[factor].push_back(us);
    for (const StallDifference& stall : d.stalls) stalls[stall.reason].push_back(stall.DeltaUs());
    for (const auto& [cause, us] : attributor.Attribute(d).parts) causes[cause].push_back(us);
  }
  Replicates result{Percentiles(std::move(factors)), Percentiles(std::move(stalls)), Percentiles(std::move(causes))};
  std::map<std::string, double, std::less<>> stall_parts;
  for (const StallDifference& stall : whole.stalls) stall_parts[stall.reason] = stall.DeltaUs();
  Hold({whole.factors.begin(), whole.factors.end()}, result.factors);
  Hold(stall_parts, result.stalls);
  Hold(attribution.parts, result.causes);
  return result;
}

}  // namespace culprit
