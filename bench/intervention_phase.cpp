// SPDX-License-Identifier: Apache-2.0
#include "bench/intervention_phase.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <ranges>

#include "bench/intervention_plan.h"
#include "bench/sample_marks.h"
#include "profiler/cuda_context.h"
#include "profiler/intervention.h"

namespace culprit {
namespace {

class Phase {
 public:
  Phase(const BenchOptions& options, const Device& device, RunWriter& writer)
      : writer_(writer), sms_(device.sm_count), as_timed_(options.l2 == CacheState::kFlush ? flushed_ : warm_) {
    try {
      intervention_.emplace();
    } catch (const Error& e) {
      writer.Warn(
          {kInterventionsLeftOut, fmt::format("{}: occupancy and carve-outs were not changed, L2 alone", e.what())});
    }
  }

  // Returns whether anything was timed.
  bool Intervene(const Job& job) {
    const auto launch = [&] { job.workload.launch(nullptr); };
    std::vector<Setting> settings;
    std::optional<KernelResidency> kernel;
    if (intervention_) {
      const auto why_not = AddResidency(launch, kernel, settings);
      if (!why_not.empty()) LeftOut(job, why_not);
    }
    const std::optional<int> blocks = settings.empty() ? std::nullopt : settings.front().resident_blocks;
    const std::optional<int> warps = settings.empty() ? std::nullopt : settings.front().resident_warps;
    const std::vector<Setting> l2 = {{InterventionKind::kL2, 0, blocks, warps},
                                     {InterventionKind::kL2, 1, blocks, warps}};
    // Fewer and fewer blocks come last: they are what time runs out for.
    const auto sweep = std::ranges::find(settings, InterventionKind::kOccupancy, &Setting::kind);
    settings.insert(sweep, l2.begin(), l2.end());
    return Store(job, settings, Run(settings, kernel, launch));
  }

 private:
  using Setting = InterventionRecord;  // without its times

  void LeftOut(const Job& job, const std::string& why) {
    writer_.Warn({kInterventionsLeftOut, "fewer resident warps were not tried: " + why}, job.Name(), job.stored);
  }

  // The settings that the one kernel of the launch takes; returns what it does not, and why.
  std::string AddResidency(const std::function<void()>& launch, std::optional<KernelResidency>& kernel,
                           std::vector<Setting>& settings) {
    const std::vector<SeenLaunch> seen = intervention_->Watch(launch);
    CheckCuda(cudaDeviceSynchronize(), "run the launch");
    if (seen.empty()) return "its kernels are launched from a graph, or by another thread";
    if (seen.size() > 1) return fmt::format("it launches {} kernels", seen.size());
    const SeenLaunch& only = seen.front();
    if (!only.special.empty()) return "it is " + only.special;
    kernel.emplace(only);
    const int fit = kernel->BlocksWith(0);
    const int own = std::min(fit, std::max(1, static_cast<int>(std::ceil(only.Blocks() / sms_))));
    const auto add = [&](InterventionKind kind, double value, int blocks) {
      settings.push_back({kind, value, blocks, blocks * only.BlockWarps()});
    };
    add(InterventionKind::kCarveout, kCarveoutAsItIs, own);
    // With less than it uses, fewer blocks would fit as well.
    if (!kernel->UsesSharedMemory()) add(InterventionKind::kCarveout, kCarveoutMostL1, own);
    add(InterventionKind::kCarveout, kCarveoutMostShared, own);
    kernel->SetCarveout(kCarveoutMostShared);
    add(InterventionKind::kOccupancy, 0, own);
    if (own > 1 && MayBlocksWait(only.Blocks(), fit, sms_))
      return "all of its blocks are resident at once, so they may wait for each other";
    for (const int blocks : SweepPoints(own))
      if (const auto bytes = kernel->BytesFor(blocks); bytes && *bytes > 0)
        add(InterventionKind::kOccupancy, static_cast<double>(*bytes), blocks);
    return {};
  }

  struct Times {
    std::vector<double> us, clocks;
  };

  std::vector<Times> Run(const std::vector<Setting>& settings, std::optional<KernelResidency>& kernel,
                         const std::function<void()>& launch) {
    std::vector<Times> all(settings.size());
    std::vector<PlannedSetting> plan;
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const Setting& s = settings[i];
      PlannedSetting planned;
      if (i > 0 && s.kind == InterventionKind::kOccupancy && settings[i - 1].kind == s.kind)
        planned.growth = 1.0 * *settings[i - 1].resident_blocks / *s.resident_blocks;
      planned.time = [&, i] {
        const TimedSample sample = Time(settings[i], kernel, launch);
        if (!sample.gate_open && sample.clock_mhz) all[i].clocks.push_back(*sample.clock_mhz);
        return sample.time_us;
      };
      plan.push_back(std::move(planned));
    }
    const auto times = RunInTurn(plan);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].us = times[i];
    return all;
  }

  TimedSample Time(const Setting& s, std::optional<KernelResidency>& kernel, const std::function<void()>& launch) {
    const bool is_carveout = s.kind == InterventionKind::kCarveout,
               is_occupancy = s.kind == InterventionKind::kOccupancy;
    if (kernel)
      kernel->SetCarveout(is_carveout    ? static_cast<int>(s.setting)
                          : is_occupancy ? kCarveoutMostShared
                                         : kCarveoutAsItIs);
    Timer& timer = s.kind != InterventionKind::kL2 ? as_timed_ : s.setting != 0 ? flushed_ : warm_;
    if (s.kind == InterventionKind::kL2 && s.setting == 0) launch();
    timer.Measure([&] {
      if (is_occupancy)
        intervention_->LaunchWith(static_cast<std::int64_t>(s.setting), launch);
      else
        launch();
    });
    return timer.TakeSamples().front();
  }

  bool Store(const Job& job, const std::vector<Setting>& settings, std::vector<Times> times) {
    std::vector<InterventionRecord> records;
    for (std::size_t i = 0; i < settings.size(); ++i) {
      std::vector<double>& us = times[i].us;
      if (us.empty()) continue;
      InterventionRecord r = settings[i];
      r.least_us = *std::ranges::min_element(us);
      r.most_us = *std::ranges::max_element(us);
      r.samples = static_cast<int>(us.size());
      r.time_us = Median(std::move(us));
      if (!times[i].clocks.empty()) r.clock_mhz = Median(std::move(times[i].clocks));
      records.push_back(std::move(r));
    }
    writer_.StoreInterventions(job.stored, records);
    return !records.empty();
  }

  RunWriter& writer_;
  const int sms_;
  Timer warm_{CacheState::kHot}, flushed_{CacheState::kFlush};
  Timer& as_timed_;
  std::optional<LaunchIntervention> intervention_;
};

}  // namespace

InterventionCost RunInterventionPhase(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                                      RunWriter& writer) {
  InterventionCost cost;
  std::optional<Phase> phase;
  try {
    phase.emplace(options, device, writer);
  } catch (const Error& e) {  // no room for a buffer to flush L2 with, say
    writer.Warn({kInterventionsLeftOut, fmt::format("nothing was changed about any launch: {}", e.what())});
    return cost;
  }
  for (Job& job : std::views::reverse(jobs)) {
    if (!job.IsMeasured()) continue;
    try {
      double begin = SteadySeconds();
      if (job.workload.set_up) job.workload.set_up();
      CheckCuda(cudaDeviceSynchronize(), "set up " + job.Name());
      cost.set_up_s += SteadySeconds() - begin;
      begin = SteadySeconds();
      if (phase->Intervene(job)) ++cost.launches;
      const double s = SteadySeconds() - begin;
      cost.launch_s += s;
      cost.longest_s = std::max(cost.longest_s, s);
    } catch (const std::exception& e) {  // a user's workload may throw what it likes
      writer.Warn({kInterventionsLeftOut, fmt::format("nothing was changed about it: {}", e.what())}, job.Name(),
                  job.stored);
    }
  }
  return cost;
}

}  // namespace culprit
