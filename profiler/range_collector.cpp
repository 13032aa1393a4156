// SPDX-License-Identifier: Apache-2.0
#include "profiler/range_collector.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "profiler/cuda_context.h"
#include "profiler/cupti_call.h"
#include "profiler/kernel_sums.h"
#include "profiler/range_session.h"

namespace culprit {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

CUcontext InitializedContext() {
  const CUcontext context = CurrentContext();
  Check(InitializeProfiler(), "initialise CUPTI's profiler");
  return context;
}

// Ranges of one launch; 1 (the host's) when its kernels are not known.
std::size_t KernelRangesOf(const Counted& work) { return std::max<std::size_t>(work.kernels, 1); }

}  // namespace

class RangeCollector::Session {
 public:
  Session(const RangeCollector& owner, bool automatic, std::size_t room, bool ask)
      : automatic_(automatic),
        room_(room),
        sequence_{owner.plan_.after_itself, static_cast<std::size_t>(owner.plan_.repetitions)},
        metrics_(owner.metrics_.size()),
        ranges_(InitializedContext(), owner.metrics_, owner.chip_, automatic ? RangesOf::kKernels : RangesOf::kHost,
                Replay::kByUs, room, ask) {}

  bool automatic() const { return automatic_; }
  std::size_t room() const { return room_; }
  std::size_t passes() const { return ranges_.passes(); }

  // None when ranges cannot be assigned: with automatic ranges, kernels that `prepare` launches get ranges too.
  std::optional<std::vector<Values>> Replay(std::span<const Counted> work) {
    ranges_.Prepare();
    for (bool submitted = false; !submitted;) submitted = RunPass(work);
    if (ranges_.Decode() != 0) return std::nullopt;
    std::vector<Values> values;
    std::size_t range = 0;
    for (const Counted& w : work) values.push_back(ValuesOf(w, range));
    const std::vector<double> beyond = ranges_.Read(range);
    if (std::any_of(beyond.begin(), beyond.end(), [](double v) { return std::isfinite(v); })) return std::nullopt;
    return values;
  }

 private:
  // The order of launches in a pass.
  struct Sequence {
    bool after_itself;  // the same launch comes first, uncounted
    std::size_t counted;
  };

  // `range`: the first range of this work; set to the first of the next.
  Values ValuesOf(const Counted& work, std::size_t& range) {
    Values values(metrics_);
    const std::size_t ranges_a_launch = automatic_ ? work.kernels : 1;
    if (automatic_ && sequence_.after_itself) range += ranges_a_launch;
    for (std::size_t r = 0; r < sequence_.counted; ++r) {
      for (const std::size_t metric : ranges_.metrics()) values[metric].emplace_back();
      for (std::size_t k = 0; k < ranges_a_launch; ++k, ++range) {
        const std::vector<double> read = ranges_.Read(range);
        for (std::size_t i = 0; i < read.size(); ++i) values[ranges_.metrics()[i]].back().push_back(read[i]);
      }
    }
    return values;
  }

  bool RunPass(std::span<const Counted> work) {
    ranges_.Start();
    std::size_t range = 0;
    for (const Counted& w : work) {
      if (sequence_.after_itself) {
        if (w.prepare) w.prepare();
        w.launch();
      }
      for (std::size_t r = 0; r < sequence_.counted; ++r) {
        if (w.prepare && !sequence_.after_itself) w.prepare();
        if (!automatic_) ranges_.Push(range++);
        w.launch();
        if (!automatic_) ranges_.Pop();
      }
    }
    return ranges_.Stop();
  }

  const bool automatic_;
  const std::size_t room_;
  const Sequence sequence_;
  const std::size_t metrics_;  // number of the collector's metrics
  RangeSession ranges_;
};

RangeCollector::RangeCollector(MetricSet set, std::string chip, RangePlan plan)
    : metrics_(MetricsOf(MetricSource::kRange, set, chip, plan.only)), chip_(std::move(chip)), plan_(plan) {}

RangeCollector::~RangeCollector() = default;

std::vector<Repetitions> RangeCollector::Collect(std::span<const Counted> work) {
  const auto refuse = [&](ReadingStatus status) {
    std::vector<Reading> unread;
    for (const MetricDefinition& m : metrics_)
      unread.push_back({m, std::nullopt, m.cupti_name.empty() ? ReadingStatus::kUnsupported : status});
    return std::vector(work.size(), Repetitions{unread});
  };
  if (work.empty() || refused_ != ReadingStatus::kOk) return refuse(refused_);
  trouble_.reset();
  try {
    std::vector<Repetitions> readings;
    for (std::size_t next = 0; next < work.size();) {
      const std::size_t first = next;
      std::size_t kernels = 0;
      do kernels += KernelRangesOf(work[next++]);
      while (next < work.size() && kernels + KernelRangesOf(work[next]) <= plan_.kernels_together);
      for (const Values& values : Measure(work.subspan(first, next - first))) readings.push_back(ReadingsOf(values));
    }
    return readings;
  } catch (const CuptiError& e) {
    session_.reset();
    trouble_ = Explain(e);
    refused_ = StatusOf(e.code());
    return refuse(refused_);
  } catch (const std::exception& e) {
    session_.reset();
    if (work.size() > 1) {
      // One launch may have thrown; only that one loses its counters.
      std::vector<Repetitions> readings;
      std::optional<Warning> trouble;
      for (const Counted& w : work) {
        readings.push_back(std::move(Collect({&w, 1}).front()));
        if (trouble_) trouble = trouble_;
      }
      trouble_ = trouble;
      return readings;
    }
    trouble_ = Warning{"counters_failed", std::string(e.what()) + ": hardware counters were not read"};
    return refuse(ReadingStatus::kFailed);
  }
}

Repetitions RangeCollector::ReadingsOf(const Values& values) const {
  const auto weights = [&](std::string_view name, std::size_t repetition) {
    for (std::size_t m = 0; m < metrics_.size(); ++m)
      if (metrics_[m].cupti_name == name && !values[m].empty()) return values[m][repetition];
    return std::vector<double>{};
  };
  Repetitions repetitions(1);
  for (std::size_t m = 0; m < metrics_.size(); ++m) {
    if (values[m].empty()) repetitions[0].push_back({metrics_[m], std::nullopt, ReadingStatus::kUnsupported});
    for (std::size_t r = 0; r < values[m].size(); ++r) {
      const std::string_view weight = WeightOf(metrics_[m].cupti_name);
      const auto value =
          weight.empty() ? SumOverKernels(values[m][r]) : MeanOverKernels(values[m][r], weights(weight, r));
      if (r == repetitions.size()) repetitions.emplace_back();
      // CUPTI returns NaN for a counter that it scheduled but could not read.
      repetitions[r].push_back({metrics_[m], value, value ? ReadingStatus::kOk : ReadingStatus::kFailed});
    }
  }
  return repetitions;
}

std::vector<RangeCollector::Values> RangeCollector::Measure(std::span<const Counted> work) {
  const bool known = std::all_of(work.begin(), work.end(), [](const Counted& w) { return w.kernels > 0; });
  if (known)
    if (auto values = Replay(work, true)) return *std::move(values);
  if (work.size() > 1) {  // one launches other kernels than stated; the others keep automatic ranges
    std::vector<Values> values;
    for (const Counted& w : work) values.push_back(std::move(Measure({&w, 1}).front()));
    return values;
  }
  if (auto values = Replay(work, false)) return *std::move(values);
  throw Error("CUPTI dropped measured ranges");
}

std::optional<std::vector<RangeCollector::Values>> RangeCollector::Replay(std::span<const Counted> work,
                                                                          bool automatic) {
  std::size_t kernels = 0;
  for (const Counted& w : work) kernels += KernelRangesOf(w);
  const auto repetitions = static_cast<std::size_t>(plan_.repetitions);
  // One more than needed, to detect an extra kernel.
  const std::size_t room = std::max(kernels, plan_.kernels_together) * (repetitions + 1) + 1;
  const auto try_once = [&](bool ask) {
    // A session uses one kind of range: after automatic ranges CUPTI 13.0 refused to open the host's.
    if (!session_ || session_->automatic() != automatic || session_->room() < room) {
      session_.reset();
      const auto begin = std::chrono::steady_clock::now();
      session_ = std::make_unique<Session>(*this, automatic, room, ask);
      cost_.set_up_s += SecondsSince(begin);
      cost_.passes = session_->passes();
    }
    const auto begin = std::chrono::steady_clock::now();
    auto values = session_->Replay(work);
    cost_.launch_s += SecondsSince(begin);
    if (values) cost_.launches += static_cast<int>(work.size());
    return values;
  };
  try {
    return try_once(false);
  } catch (const CuptiError& e) {
    if (StatusOf(e.code()) == ReadingStatus::kDenied) throw;
    session_.reset();
    return try_once(true);
  }
}

}  // namespace culprit
