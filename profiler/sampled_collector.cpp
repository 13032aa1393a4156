// SPDX-License-Identifier: Apache-2.0
#include "profiler/sampled_collector.h"

#include <cuda_runtime_api.h>
#include <cupti_activity.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include "profiler/batch_counts.h"
#include "profiler/counter_sampler.h"
#include "profiler/cuda_context.h"
#include "profiler/cupti_call.h"

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

// One core decodes and evaluates a record of the first list in 130 to 280 us (docs/evidence/cupti.md). Batches have few
// records, so these may come somewhat faster. At 127 us, 87 % of the records of one launch were left out on an H200.
constexpr std::int64_t kIntervalNs = 211'000;
constexpr std::int64_t kIdleNs = 4 * kIntervalNs;
// 400 records in all. So many batches that their differences tell the error to a fifth.
constexpr std::int64_t kBatches = 16, kFewestBatches = 5;
constexpr double kBatchS = 25e-9 * kIntervalNs;
// Of all batches of long launches, if kFewestBatches take no longer.
constexpr double kMostS = 1;
constexpr std::int64_t kMostLaunches = 10'000;  // in a batch
// The host's part in a time like this is small enough to choose the number of launches.
constexpr double kClearS = 1e-3;
// Records are fetched so often. The hardware's buffer holds those of a quarter of a second.
constexpr double kFetchS = 0.05;
// Records without a time were up to a quarter of all (docs/evidence/cupti.md), and the error of a count includes them.
constexpr double kNotableLoss = 0.3;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// By the clock of the records.
std::int64_t Stamp() {
  std::uint64_t ns = 0;
  Check(cuptiGetTimestamp(&ns), "read CUPTI's clock");
  return static_cast<std::int64_t>(ns);
}

int CurrentOrdinal() {
  CurrentContext();
  Check(InitializeProfiler(), "initialise CUPTI's profiler");
  int device = 0;
  CheckCuda(cudaGetDevice(&device), "ask for the current device");
  return device;
}

Warning NotRead(const std::exception& e) {
  return {"counters_failed", std::string(e.what()) + ": hardware counters were not read"};
}

Warning NotSampled(const CounterTurn& list, const std::exception& e) {
  return {"counters_not_sampled", fmt::format("this GPU did not sample {}: {}", list.what, e.what())};
}

// `counts`: in the order of the list; empty: not read.
void AddReadings(const CounterTurn& list, std::span<const LaunchCount> counts, ReadingStatus unread,
                 SampledLaunch& launch) {
  for (std::size_t i = 0; i < list.counters.size(); ++i) {
    const TurnCounter& counter = list.counters[i];
    if (counter.id == kClockCounter) continue;  // it goes on while the GPU is idle
    Reading reading{SampledMetric(counter.id, counter.name), std::nullopt, unread};
    if (!counts.empty()) reading = {reading.metric, counts[i].value, ReadingStatus::kOk, counts[i].error};
    launch.readings.push_back(std::move(reading));
  }
}

}  // namespace

// While one list is sampled.
class SampledCollector::Turn {
 public:
  Turn(const std::string& chip, const CounterTurn& list)
      : list_(list), sampler_(CurrentOrdinal(), chip, list, kIntervalNs) {
    sampler_.MakeImage();
    sampler_.Start();
  }

  std::vector<LaunchBatch> Run(const Counted& work) {
    if (work.prepare) work.prepare();
    Launch(work, 1);
    const auto [launches, batches] = Plan(work);
    std::vector<LaunchBatch> ran;
    for (std::int64_t i = 0; i < batches; ++i) {
      Idle();
      const std::int64_t begin_ns = Stamp();
      Launch(work, launches);
      ran.push_back({begin_ns, Stamp(), launches});
    }
    Idle();
    Fetch();
    return ran;
  }

  // All records are there afterwards.
  void End() {
    sampler_.Stop();
    Fetch();
  }

  const std::vector<CountedInterval>& records() const { return records_; }
  void AddLost(Lost& lost) const {
    const CounterSampler::Lost here = sampler_.lost();
    lost.untimed += here.untimed + here.cut, lost.full += here.full, lost.no_counts += no_counts_;
    lost.kept += static_cast<std::int64_t>(records_.size());
  }

 private:
  // How many launches make a batch, and how many batches there are.
  std::pair<std::int64_t, std::int64_t> Plan(const Counted& work) {
    for (std::int64_t launches = 1;; launches = std::min(4 * launches, kMostLaunches)) {
      const auto begin = Clock::now();
      Launch(work, launches);
      const double seconds = SecondsSince(begin);
      if (seconds < kClearS && launches < kMostLaunches) continue;
      const double launch_s = seconds / static_cast<double>(launches);
      launches = std::clamp(static_cast<std::int64_t>(std::ceil(kBatchS / launch_s)), std::int64_t{1}, kMostLaunches);
      const double batches = kMostS / (launch_s * static_cast<double>(launches));
      return {launches, static_cast<std::int64_t>(std::clamp<double>(batches, kFewestBatches, kBatches))};
    }
  }

  // Enqueues them, and fetches records until they have run.
  void Launch(const Counted& work, std::int64_t launches) {
    for (std::int64_t i = 0; i < launches; ++i) work.launch();
    for (auto fetched = Clock::now(); cudaStreamQuery(nullptr) == cudaErrorNotReady;) {
      if (SecondsSince(fetched) < kFetchS) continue;
      Fetch();
      fetched = Clock::now();
    }
    CheckCuda(cudaDeviceSynchronize(), "run the sampled launches");
  }

  void Idle() { std::this_thread::sleep_for(std::chrono::nanoseconds(kIdleNs)); }

  void Fetch() {
    for (bool more = true; more;) {
      std::vector<CounterRecord> records;
      more = sampler_.Read(records);
      for (CounterRecord& record : records) {
        if (!std::ranges::all_of(record.values, [](double value) { return std::isfinite(value) && value >= 0; })) {
          ++no_counts_;
          continue;
        }
        for (std::size_t i = 0; i < record.values.size(); ++i) record.values[i] *= list_.counters[i].scale;
        records_.push_back({record.start_ns, record.end_ns, std::move(record.values)});
      }
    }
  }

  const CounterTurn& list_;
  CounterSampler sampler_;
  std::vector<CountedInterval> records_;
  std::int64_t no_counts_ = 0;  // records with values that are no counts
};

SampledCollector::SampledCollector(std::string chip) : chip_(std::move(chip)), lists_(CounterTurnsOn(chip_)) {}

std::vector<SampledLaunch> SampledCollector::Collect(std::span<const Counted> work) {
  std::vector<SampledLaunch> launches(work.size());
  if (work.empty()) return launches;
  if (refused_ == ReadingStatus::kOk) warnings_.clear();
  if (lists_.empty())
    Refuse({{"counters_not_sampled",
             fmt::format("this GPU ({}) cannot sample its counters, or culprit does not know how: hardware counters "
                         "were not read; --profile=core reads them",
                         chip_)},
            ReadingStatus::kUnsupported});
  Lost lost;
  std::size_t sampled = 0;
  std::optional<std::pair<Warning, ReadingStatus>> refusal;
  for (const CounterTurn& list : lists_) {
    ReadingStatus status = refused_;
    try {
      if (status == ReadingStatus::kOk) {
        Sample(list, work, launches, lost);
        ++sampled;
        continue;
      }
    } catch (const CuptiError& e) {  // CUPTI may refuse a list that fits by its own plan, and sample the others
      status = StatusOf(e.code());
      refusal.emplace(Explain(e), status);
      Warn(NotSampled(list, e));
      if (status == ReadingStatus::kDenied) Refuse(*refusal);
    } catch (const std::exception& e) {
      status = ReadingStatus::kFailed;
      refusal.emplace(NotRead(e), status);
      Warn(NotSampled(list, e));
    }
    for (SampledLaunch& launch : launches) AddReadings(list, {}, status, launch);
  }
  if (sampled == 0 && refusal) Refuse(*refusal);
  if (sampled > 0) {
    WarnOfLost(lost);
    if (!WereSampledCountersCompared(chip_))
      Warn({"sampled_counters_not_compared",
            fmt::format("nobody has compared the sampled counters of such a GPU ({}) with replayed ones: before you "
                        "rely on one, count it by --profile=core",
                        chip_)});
    cost_.launches += static_cast<int>(work.size());
    cost_.passes = std::max(cost_.passes, sampled);
  }
  return launches;
}

void SampledCollector::Sample(const CounterTurn& list, std::span<const Counted> work,
                              std::vector<SampledLaunch>& launches, Lost& lost) {
  const auto begin = Clock::now();
  Turn turn(chip_, list);
  const auto begun = Clock::now();
  std::vector<std::vector<LaunchBatch>> batches(work.size());
  for (std::size_t i = 0; i < work.size(); ++i) {
    try {
      batches[i] = turn.Run(work[i]);
    } catch (const CuptiError&) {
      throw;
    } catch (const std::exception& e) {  // only this one loses its counters
      Warn(NotRead(e));
    }
  }
  turn.End();
  for (std::size_t i = 0; i < work.size(); ++i) {
    const BatchCounts counts = CountsPerLaunch(batches[i], turn.records(), kIdleNs);
    AddReadings(list, counts.counters, ReadingStatus::kFailed, launches[i]);
    if (!launches[i].clock_mhz && list.counters.front().id == kClockCounter)
      launches[i].clock_mhz = CountsPerUs(batches[i], turn.records(), 0);
    if (!batches[i].empty()) lost.most_of_a_launch = std::max(lost.most_of_a_launch, counts.missing);
  }
  turn.AddLost(lost);
  cost_.set_up_s += std::chrono::duration<double>(begun - begin).count();
  cost_.launch_s += SecondsSince(begun);
}

// What was found out before is of no interest then.
void SampledCollector::Refuse(const std::pair<Warning, ReadingStatus>& why) {
  if (refused_ != ReadingStatus::kOk) return;
  warnings_ = {why.first};
  refused_ = why.second;
}

void SampledCollector::Warn(const Warning& warning) {
  if (std::ranges::find(warnings_, warning.text, &Warning::text) == warnings_.end()) warnings_.push_back(warning);
}

void SampledCollector::WarnOfLost(const Lost& lost) {
  if (lost.most_of_a_launch <= kNotableLoss && lost.full == 0) return;
  const std::int64_t left_out = lost.untimed + lost.no_counts;
  Warn({"counter_records_lost",
        fmt::format("{} of {} records of sampled counters were left out: {} have no time, {} have values that are no "
                    "counts. The GPU's buffer for records was full {} times. Of one launch, {:.0f} % are missing. The "
                    "errors of its counters include this; counters without a value had too few.",
                    left_out, lost.kept + left_out, lost.untimed, lost.no_counts, lost.full,
                    100 * lost.most_of_a_launch)});
}

}  // namespace culprit
