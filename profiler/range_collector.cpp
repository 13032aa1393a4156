// SPDX-License-Identifier: Apache-2.0
#include "profiler/range_collector.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "profiler/cuda_context.h"
#include "profiler/cupti_call.h"
#include "profiler/kernel_sums.h"
#include "profiler/metric_host.h"

namespace culprit {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Which counters this user may read on this GPU; CUPTI plans passes with it.
std::vector<std::uint8_t> Availability(CUcontext context) {
  auto p = Params<CUpti_Profiler_GetCounterAvailability_Params>();
  p.ctx = context;
  Check(cuptiProfilerGetCounterAvailability(&p), "size the list of available counters");
  std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
  p.pCounterAvailabilityImage = image.data();
  Check(cuptiProfilerGetCounterAvailability(&p), "list available counters");
  return image;
}

CUcontext InitializedContext() {
  const CUcontext context = CurrentContext();
  Check(InitializeProfiler(), "initialise CUPTI's profiler");
  return context;
}

class RangeProfiler {
 public:
  explicit RangeProfiler(CUcontext context) {
    auto p = Params<CUpti_RangeProfiler_Enable_Params>();
    p.ctx = context;
    Check(cuptiRangeProfilerEnable(&p), "enable range profiling");
    object_ = p.pRangeProfilerObject;
  }
  ~RangeProfiler() {
    auto p = Params<CUpti_RangeProfiler_Disable_Params>();
    p.pRangeProfilerObject = object_;
    LogFailure(cuptiRangeProfilerDisable(&p), "disable range profiling");
  }
  RangeProfiler(const RangeProfiler&) = delete;
  CUpti_RangeProfiler_Object* object() const { return object_; }

 private:
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

// The metrics of a session and a host that has them all.
struct Schedule {
  std::vector<std::size_t> metrics;  // indices into `wanted`
  std::vector<const char*> names;    // of each; they point into `wanted`
  MetricHost host;

  Schedule(const std::vector<MetricDefinition>& wanted, const std::string& chip,
           std::span<const std::uint8_t> availability)
      : host(chip, availability) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (!wanted[i].cupti_name.empty()) metrics.push_back(i);
    if (Add(wanted)) return;
    // One of them is not to be had: only now pay for asking one by one. A host that refused one refuses all after it.
    std::erase_if(metrics,
                  [&](std::size_t i) { return !MetricExists(chip, wanted[i].cupti_name.c_str(), availability); });
    host = MetricHost(chip, availability);
    if (!Add(wanted)) throw Error("cannot schedule the metrics of " + chip + " together");
  }

 private:
  bool Add(const std::vector<MetricDefinition>& wanted) {
    names.clear();
    for (const std::size_t i : metrics) names.push_back(wanted[i].cupti_name.c_str());
    return host.Add(names);
  }
};

// How many ranges a launch of it makes: where the kernels are not known, one of the host's.
std::size_t RangesOf(const Counted& work) { return std::max<std::size_t>(work.kernels, 1); }

}  // namespace

// Members are acquired top to bottom and released bottom to top, also when a step in the middle throws.
class RangeCollector::Session {
 public:
  // Asking which counters are available takes 0.1 s, and 0.5 s the first time on a machine, and nearly always the
  // answer is "all": `ask` only when it was not.
  Session(const RangeCollector& owner, bool automatic, std::size_t room, bool ask)
      : automatic_(automatic),
        room_(room),
        sequence_{owner.plan_.after_itself, static_cast<std::size_t>(owner.plan_.repetitions)},
        metrics_(owner.metrics_.size()),
        context_(InitializedContext()),
        availability_(ask ? Availability(context_) : std::vector<std::uint8_t>{}),
        schedule_(owner.metrics_, owner.chip_, availability_),
        profiler_(context_) {
    config_ = schedule_.host.ConfigImage();
    passes_ = MetricHost::PassCount(config_);
    auto size = Params<CUpti_RangeProfiler_GetCounterDataSize_Params>();
    size.pRangeProfilerObject = profiler_.object();
    size.pMetricNames = schedule_.names.data();
    size.numMetrics = schedule_.names.size();
    size.maxNumOfRanges = room_;
    size.maxNumRangeTreeNodes = room_;
    Check(cuptiRangeProfilerGetCounterDataSize(&size), "size the counter data");
    data_.resize(size.counterDataSize);
  }

  bool automatic() const { return automatic_; }
  std::size_t room() const { return room_; }
  std::size_t passes() const { return passes_; }

  // Nothing when the ranges cannot be told apart: with automatic ranges, every kernel that a `prepare` launches makes
  // one too.
  std::optional<std::vector<Values>> Replay(std::span<const Counted> work) {
    ClearData();
    Configure();
    for (bool submitted = false; !submitted;) submitted = RunPass(work);
    auto decode = Params<CUpti_RangeProfiler_DecodeData_Params>();
    decode.pRangeProfilerObject = profiler_.object();
    Check(cuptiRangeProfilerDecodeData(&decode), "decode counters");
    if (decode.numOfRangeDropped != 0) return std::nullopt;
    std::vector<Values> values;
    std::size_t range = 0;
    for (const Counted& w : work) values.push_back(ValuesOf(w, range));
    // A range that was never filled has no numbers at all.
    const std::vector<double> beyond = schedule_.host.Evaluate(data_, range, schedule_.names);
    if (std::any_of(beyond.begin(), beyond.end(), [](double v) { return std::isfinite(v); })) return std::nullopt;
    return values;
  }

 private:
  // How the launches of a pass follow each other.
  struct Sequence {
    bool after_itself;  // the same launch comes first, uncounted
    std::size_t counted;
  };

  // `range`: the first range of this work; then the first of the next.
  Values ValuesOf(const Counted& work, std::size_t& range) {
    Values values(metrics_);
    const std::size_t ranges_a_launch = automatic_ ? work.kernels : 1;
    if (automatic_ && sequence_.after_itself) range += ranges_a_launch;
    for (std::size_t r = 0; r < sequence_.counted; ++r) {
      for (const std::size_t metric : schedule_.metrics) values[metric].emplace_back();
      for (std::size_t k = 0; k < ranges_a_launch; ++k, ++range) {
        const std::vector<double> read = schedule_.host.Evaluate(data_, range, schedule_.names);
        for (std::size_t i = 0; i < read.size(); ++i) values[schedule_.metrics[i]].back().push_back(read[i]);
      }
    }
    return values;
  }

  void ClearData() {
    auto clear = Params<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>();
    clear.pRangeProfilerObject = profiler_.object();
    clear.counterDataSize = data_.size();
    clear.pCounterData = data_.data();
    Check(cuptiRangeProfilerCounterDataImageInitialize(&clear), "clear the counter data");
  }

  // The first configuration of a session holds for all of it (CUDA 13.0): other metrics need another session. And
  // automatic ranges stop at the number of the first: 11 asked for after 4 gave 4.
  void Configure() {
    auto p = Params<CUpti_RangeProfiler_SetConfig_Params>();
    p.pRangeProfilerObject = profiler_.object();
    p.configSize = config_.size();
    p.pConfig = config_.data();
    p.counterDataImageSize = data_.size();
    p.pCounterDataImage = data_.data();
    p.range = automatic_ ? CUPTI_AutoRange : CUPTI_UserRange;
    p.replayMode = CUPTI_UserReplay;
    p.maxRangesPerPass = room_;
    p.numNestingLevels = 1;
    p.minNestingLevel = 1;
    p.passIndex = 0;
    p.targetNestingLevel = automatic_ ? 0 : 1;
    Check(cuptiRangeProfilerSetConfig(&p), "configure counters");
  }

  bool RunPass(std::span<const Counted> work) {
    auto start = Params<CUpti_RangeProfiler_Start_Params>();
    start.pRangeProfilerObject = profiler_.object();
    Check(cuptiRangeProfilerStart(&start), "start counting");
    std::size_t range = 0;
    for (const Counted& w : work) {
      if (sequence_.after_itself) {
        if (w.prepare) w.prepare();
        w.launch();
      }
      for (std::size_t r = 0; r < sequence_.counted; ++r) {
        if (w.prepare && !sequence_.after_itself) w.prepare();
        if (!automatic_) PushRange(range++);
        w.launch();
        if (!automatic_) PopRange();
      }
    }
    auto stop = Params<CUpti_RangeProfiler_Stop_Params>();
    stop.pRangeProfilerObject = profiler_.object();
    Check(cuptiRangeProfilerStop(&stop), "stop counting");
    return stop.isAllPassSubmitted != 0;
  }

  void PushRange(std::size_t number) {
    // Ranges are told apart by name, and numbered in the order in which the names first appear.
    const std::string name = std::to_string(number);
    auto p = Params<CUpti_RangeProfiler_PushRange_Params>();
    p.pRangeProfilerObject = profiler_.object();
    p.pRangeName = name.c_str();
    Check(cuptiRangeProfilerPushRange(&p), "open a measured range");
  }

  void PopRange() {
    auto p = Params<CUpti_RangeProfiler_PopRange_Params>();
    p.pRangeProfilerObject = profiler_.object();
    Check(cuptiRangeProfilerPopRange(&p), "close a measured range");
  }

  const bool automatic_;
  const std::size_t room_;
  const Sequence sequence_;
  const std::size_t metrics_;  // how many the collector has
  CUcontext context_;
  std::vector<std::uint8_t> availability_;
  Schedule schedule_;
  std::vector<std::uint8_t> config_;  // CUPTI keeps pointers into these two until Disable, so they outlive profiler_
  std::vector<std::uint8_t> data_;
  RangeProfiler profiler_;
  std::size_t passes_ = 0;
};

RangeCollector::RangeCollector(MetricSet set, std::string chip, RangePlan plan)
    : metrics_(plan.only ? MetricsOf(MetricSource::kRange, set, chip, *plan.only)
                         : MetricsOf(MetricSource::kRange, set, chip)),
      chip_(std::move(chip)),
      plan_(plan) {}

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
      do kernels += RangesOf(work[next++]);
      while (next < work.size() && kernels + RangesOf(work[next]) <= plan_.kernels_together);
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
      // One launch may have thrown: only that one is to go without counters.
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
      // CUPTI answers NaN for a counter that it scheduled but could not read.
      repetitions[r].push_back({metrics_[m], value, value ? ReadingStatus::kOk : ReadingStatus::kFailed});
    }
  }
  return repetitions;
}

std::vector<RangeCollector::Values> RangeCollector::Measure(std::span<const Counted> work) {
  const bool known = std::all_of(work.begin(), work.end(), [](const Counted& w) { return w.kernels > 0; });
  if (known)
    if (auto values = Replay(work, true)) return *std::move(values);
  if (work.size() > 1) {  // one of them starts other kernels than it said: the others keep their automatic ranges
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
  for (const Counted& w : work) kernels += RangesOf(w);
  const auto repetitions = static_cast<std::size_t>(plan_.repetitions);
  // One more than are used, to notice a kernel too many.
  const std::size_t room = std::max(kernels, plan_.kernels_together) * (repetitions + 1) + 1;
  const auto try_once = [&](bool ask) {
    // A session keeps to one kind of range: after automatic ones CUPTI 13.0 has refused to open the host's.
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
