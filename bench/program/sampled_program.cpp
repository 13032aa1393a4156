// SPDX-License-Identifier: Apache-2.0
#include "bench/program/sampled_program.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "bench/program/counter_turns.h"
#include "db/sampled_counters.h"

namespace culprit {
namespace {

constexpr double kNsPerUs = 1000;

// Values of one class and metric, summed over GPUs.
struct Sum {
  MetricDefinition metric;
  double launches = 0, counted = 0, variance = 0;

  void Add(double of, const ClassCount& count) {
    launches += of;
    counted += of * count.per_launch;
    variance += of * of * count.error * count.error;
  }
  Reading Value() const { return {metric, counted / launches, ReadingStatus::kOk, std::sqrt(variance) / launches}; }
};

class Sampler {
 public:
  Sampler(std::size_t classes, CopyClasses copies)
      : copies_(copies), sums_(classes), profiles_(classes), cycles_(classes), spans_us_(classes) {}

  void Add(GpuWork& work) {
    std::ranges::sort(work.launches, {}, &ClassLaunch::start_ns);
    const std::map<std::string, CounterTurns> lists = TurnsByList(work.counters);
    for (const auto& [names, turns] : lists) {
      const PmSamples samples{turns.start_ns, turns.end_ns, turns.values, turns.metrics.size()};
      const PhaseFit fit = FitPhases(work.launches, sums_.size(), samples);
      AddCounts(fit, turns.metrics);
      AddTotals(work.gpu, fit, turns.metrics);
      AddProfiles(fit, turns.metrics);
      AddClock(work, turns);
    }
  }

  SampledWork Take() const {
    SampledWork work;
    std::vector<SampledClass>& classes = work.classes;
    classes.resize(sums_.size());
    for (std::size_t c = 0; c < classes.size(); ++c) {
      for (const auto& [id, sum] : sums_[c])
        if (sum.launches > 0) classes[c].readings.push_back(sum.Value());
      if (spans_us_[c] > 0) classes[c].clock_mhz = cycles_[c] / spans_us_[c];
      for (const auto& [id, of] : profiles_[c]) classes[c].profiles.push_back(of.profile);
    }
    double instructions = 0, elsewhere = 0;
    for (const auto& [where, total] : totals_) {
      work.totals.push_back(total);
      if (total.metric.id != "inst_executed") continue;
      instructions += total.counted;
      elsewhere += total.counted - total.kernels - total.copies;
    }
    if (instructions > 0) work.elsewhere = elsewhere / instructions;
    return work;
  }

 private:
  // A metric of two lists was counted in the turns of both.
  void AddTotals(int gpu, const PhaseFit& fit, const std::vector<MetricDefinition>& metrics) {
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      if (metrics[m].id == kClockCounter) continue;
      TimelineTotal& total = totals_.try_emplace({gpu, metrics[m].id}, TimelineTotal{gpu, metrics[m]}).first->second;
      total.counted += fit.sums[m].counted;
      for (std::size_t c = 0; c < sums_.size(); ++c) {
        const bool is_copy = c >= copies_.first && c < copies_.first + copies_.count;
        (is_copy ? total.copies : total.kernels) += fit.Count(c, m).given;
      }
    }
  }

  void AddCounts(const PhaseFit& fit, const std::vector<MetricDefinition>& metrics) {
    for (std::size_t c = 0; c < sums_.size(); ++c)
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        const ClassCount& count = fit.Count(c, m);
        if (metrics[m].id == kClockCounter || !count.told_apart) continue;
        sums_[c]
            .try_emplace(metrics[m].id, Sum{metrics[m]})
            .first->second.Add(static_cast<double>(fit.classes[c].launches), count);
      }
  }

  void AddProfiles(const PhaseFit& fit, const std::vector<MetricDefinition>& metrics) {
    for (std::size_t c = 0; c < profiles_.size(); ++c) {
      const ClassPhases& phases = fit.classes[c];
      if (phases.phase_edges.size() <= 2 || phases.mean_duration_ns <= 0) continue;  // one phase says nothing
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        const ClassCount& count = fit.Count(c, m);
        if (!count.told_apart) continue;
        Profile& known = profiles_[c][metrics[m].id];
        if (known.launches >= phases.launches) continue;
        known = {phases.launches,
                 {metrics[m], phases.mean_duration_ns, phases.phase_edges, count.phase_counts, count.phase_errors}};
      }
    }
  }

  // The clock of a class is the mean clock of the records in which its launches ran, weighted by their time there.
  void AddClock(const GpuWork& work, const CounterTurns& turns) {
    const auto& metrics = turns.metrics;
    const auto clock = std::ranges::find(metrics, kClockCounter, &MetricDefinition::id);
    if (clock == metrics.end()) return;
    const auto column = static_cast<std::size_t>(clock - metrics.begin());
    std::size_t first = 0;
    for (const ClassLaunch& launch : work.launches) {
      if (launch.kernel_class >= sums_.size()) continue;
      while (first < turns.end_ns.size() && turns.end_ns[first] <= launch.start_ns) ++first;
      for (std::size_t r = first; r < turns.start_ns.size() && turns.start_ns[r] < launch.end_ns; ++r) {
        const double length_us = static_cast<double>(turns.end_ns[r] - turns.start_ns[r]) / kNsPerUs;
        if (length_us <= 0) continue;
        const double within_us = static_cast<double>(std::min(turns.end_ns[r], launch.end_ns) -
                                                     std::max(turns.start_ns[r], launch.start_ns)) /
                                 kNsPerUs;
        cycles_[launch.kernel_class] += turns.values[r * metrics.size() + column] / length_us * within_us;
        spans_us_[launch.kernel_class] += within_us;
      }
    }
  }

  struct Profile {
    std::size_t launches = 0;
    PhaseProfile profile;
  };

  const CopyClasses copies_;
  std::map<std::pair<int, std::string>, TimelineTotal> totals_;  // by GPU and metric id
  std::vector<std::map<std::string, Sum>> sums_;                 // by class and metric id
  std::vector<std::map<std::string, Profile>> profiles_;         // the same
  std::vector<double> cycles_, spans_us_;                        // by class
};

}  // namespace

std::vector<Reading> ReadingsOf(SampledClass sampled, const LaunchGeometry& geometry, double mean_us,
                                const Device& device) {
  std::vector<Reading> readings = std::move(sampled.readings);
  if (readings.empty()) return readings;
  for (Reading& reading : readings)
    for (const StampedCounter& stamp : kStamps)
      if (reading.metric.id == stamp.id)
        reading.value = std::max(0.0, *reading.value - stamp.by_warp * WarpsOf(geometry));
  AddWhatFollows(readings, sampled.clock_mhz, mean_us, device);
  return readings;
}

SampledWork SampleClasses(std::vector<GpuWork> gpus, std::size_t classes, CopyClasses copies) {
  Sampler sampler(classes, copies);
  for (GpuWork& work : gpus)
    if (!work.counters.empty()) sampler.Add(work);
  return sampler.Take();
}

}  // namespace culprit
