// SPDX-License-Identifier: Apache-2.0
#include "profiler/range_collector.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "profiler/cuda_context.h"
#include "profiler/cupti_call.h"
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

// The metrics of `wanted` that exist here; position i of the result is an index into `wanted`.
std::vector<std::size_t> Schedulable(const std::vector<MetricDefinition>& wanted, const std::string& chip,
                                     std::span<const std::uint8_t> availability) {
  std::vector<std::size_t> named;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!wanted[i].cupti_name.empty()) named.push_back(i);
  std::vector<const char*> names;
  for (std::size_t i : named) names.push_back(wanted[i].cupti_name.c_str());
  if (MetricHost(chip, availability).Add(names)) return named;
  // One of them is not to be had: only now pay for asking one by one.
  std::erase_if(named, [&](std::size_t i) { return !MetricExists(chip, wanted[i].cupti_name.c_str(), availability); });
  return named;
}

}  // namespace

// Ranges in the counter data: the same for the life of a session, because automatic ranges stop at the number of an
// earlier configuration (CUDA 13.0: 11 asked for after 4 gave 4). One more than are used, to notice a kernel too many.
constexpr std::size_t kRanges = RangeCollector::kMostTogether + 1;

// Members are acquired top to bottom and released bottom to top, also when a step in the middle throws.
class RangeCollector::Session {
 public:
  // Asking which counters are available takes 0.1 s, and 0.5 s the first time on a machine, and nearly always the
  // answer is "all": `ask` only when it was not.
  Session(const std::vector<MetricDefinition>& metrics, const std::string& chip, bool automatic, bool ask)
      : automatic_(automatic),
        context_(InitializedContext()),
        availability_(ask ? Availability(context_) : std::vector<std::uint8_t>{}),
        scheduled_(Schedulable(metrics, chip, availability_)),
        host_(chip, availability_),
        profiler_(context_) {
    for (std::size_t i : scheduled_) names_.push_back(metrics[i].cupti_name.c_str());
    if (!host_.Add(names_)) throw Error("cannot schedule the metrics of " + chip + " together");
    config_ = host_.ConfigImage();
    passes_ = MetricHost::PassCount(config_);
    auto size = Params<CUpti_RangeProfiler_GetCounterDataSize_Params>();
    size.pRangeProfilerObject = profiler_.object();
    size.pMetricNames = names_.data();
    size.numMetrics = names_.size();
    size.maxNumOfRanges = kRanges;
    size.maxNumRangeTreeNodes = kRanges;
    Check(cuptiRangeProfilerGetCounterDataSize(&size), "size the counter data");
    data_.resize(size.counterDataSize);
  }

  bool automatic() const { return automatic_; }
  std::size_t passes() const { return passes_; }
  const std::vector<std::size_t>& scheduled() const { return scheduled_; }

  // Values of each piece of work, in the order of scheduled(). Nothing when the ranges cannot be told apart: with
  // automatic ranges, every kernel that a `prepare` launches makes one too. At most kMostTogether at a time.
  std::optional<std::vector<std::vector<double>>> Replay(std::span<const Counted> work) {
    ClearData();
    Configure();
    for (bool submitted = false; !submitted;) submitted = RunPass(work);
    auto decode = Params<CUpti_RangeProfiler_DecodeData_Params>();
    decode.pRangeProfilerObject = profiler_.object();
    Check(cuptiRangeProfilerDecodeData(&decode), "decode counters");
    if (decode.numOfRangeDropped != 0) return std::nullopt;
    std::vector<std::vector<double>> values;
    for (std::size_t i = 0; i < work.size(); ++i) values.push_back(host_.Evaluate(data_, i, names_));
    // A range that was never filled has no numbers at all.
    const std::vector<double> beyond = host_.Evaluate(data_, work.size(), names_);
    if (std::any_of(beyond.begin(), beyond.end(), [](double v) { return std::isfinite(v); })) return std::nullopt;
    return values;
  }

 private:
  void ClearData() {
    auto clear = Params<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>();
    clear.pRangeProfilerObject = profiler_.object();
    clear.counterDataSize = data_.size();
    clear.pCounterData = data_.data();
    Check(cuptiRangeProfilerCounterDataImageInitialize(&clear), "clear the counter data");
  }

  void Configure() {
    auto p = Params<CUpti_RangeProfiler_SetConfig_Params>();
    p.pRangeProfilerObject = profiler_.object();
    p.configSize = config_.size();
    p.pConfig = config_.data();
    p.counterDataImageSize = data_.size();
    p.pCounterDataImage = data_.data();
    p.range = automatic_ ? CUPTI_AutoRange : CUPTI_UserRange;
    p.replayMode = CUPTI_UserReplay;
    p.maxRangesPerPass = kRanges;
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
    for (std::size_t i = 0; i < work.size(); ++i) {
      if (work[i].prepare) work[i].prepare();
      if (!automatic_) PushRange(i);
      work[i].launch();
      if (!automatic_) PopRange();
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
  CUcontext context_;
  std::vector<std::uint8_t> availability_;
  std::vector<std::size_t> scheduled_;
  MetricHost host_;
  std::vector<const char*> names_;    // point into the collector's metric definitions
  std::vector<std::uint8_t> config_;  // CUPTI keeps pointers into these two until Disable, so they outlive profiler_
  std::vector<std::uint8_t> data_;
  RangeProfiler profiler_;
  std::size_t passes_ = 0;
};

RangeCollector::RangeCollector(MetricSet set, std::string chip)
    : metrics_(MetricsOf(MetricSource::kRange, set, chip)), chip_(std::move(chip)) {}

RangeCollector::~RangeCollector() = default;

std::vector<std::vector<Reading>> RangeCollector::Collect(std::span<const Counted> work) {
  std::vector<Reading> unread;
  for (const MetricDefinition& m : metrics_) unread.push_back({m, std::nullopt, ReadingStatus::kUnsupported});
  const auto refuse = [&](ReadingStatus status) {
    for (Reading& r : unread)
      if (!r.metric.cupti_name.empty()) r.status = status;
    return std::vector(work.size(), unread);
  };
  if (work.empty() || refused_ != ReadingStatus::kOk) return refuse(refused_);
  trouble_.reset();
  try {
    std::vector<std::vector<Reading>> readings(work.size(), unread);
    std::vector<std::vector<double>> values;
    for (std::size_t first = 0; first < work.size(); first += kMostTogether)
      for (auto& of_one : Measure(work.subspan(first, std::min(kMostTogether, work.size() - first))))
        values.push_back(std::move(of_one));
    for (std::size_t l = 0; l < work.size(); ++l)
      for (std::size_t i = 0; i < values[l].size(); ++i) {
        Reading& r = readings[l][session_->scheduled()[i]];
        // CUPTI answers NaN for a counter that it scheduled but could not read.
        if (std::isfinite(values[l][i]))
          r = {r.metric, values[l][i], ReadingStatus::kOk};
        else
          r.status = ReadingStatus::kFailed;
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
      std::vector<std::vector<Reading>> readings;
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

std::vector<std::vector<double>> RangeCollector::Measure(std::span<const Counted> work) {
  const bool one_kernel_each = std::all_of(work.begin(), work.end(), [](const Counted& w) { return w.one_kernel; });
  if (one_kernel_each)
    if (auto values = Replay(work, true)) return *std::move(values);
  if (auto values = Replay(work, false)) return *std::move(values);
  throw Error("CUPTI dropped measured ranges");
}

std::optional<std::vector<std::vector<double>>> RangeCollector::Replay(std::span<const Counted> work, bool automatic) {
  const auto try_once = [&](bool ask) {
    // A session keeps to one kind of range: after automatic ones CUPTI 13.0 has refused to open the host's.
    if (!session_ || session_->automatic() != automatic) {
      session_.reset();
      const auto begin = std::chrono::steady_clock::now();
      session_ = std::make_unique<Session>(metrics_, chip_, automatic, ask);
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
