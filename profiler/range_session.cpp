// SPDX-License-Identifier: Apache-2.0
#include "profiler/range_session.h"

#include <algorithm>

#include "db/error.h"

namespace culprit {
namespace {

// Which counters this user may read on this GPU; CUPTI needs it to plan passes.
std::vector<std::uint8_t> Availability(CUcontext context) {
  auto p = Params<CUpti_Profiler_GetCounterAvailability_Params>();
  p.ctx = context;
  Check(cuptiProfilerGetCounterAvailability(&p), "size the list of available counters");
  std::vector<std::uint8_t> image(p.counterAvailabilityImageSize);
  p.pCounterAvailabilityImage = image.data();
  Check(cuptiProfilerGetCounterAvailability(&p), "list available counters");
  return image;
}

}  // namespace

Schedule::Schedule(const std::vector<MetricDefinition>& wanted, const std::string& chip,
                   std::span<const std::uint8_t> availability)
    : host(chip, availability) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!wanted[i].cupti_name.empty()) metrics.push_back(i);
  if (Add(wanted)) return;
  // One of them is refused: only now test each. A host object that refused a metric refuses all later ones.
  std::erase_if(metrics,
                [&](std::size_t i) { return !MetricExists(chip, wanted[i].cupti_name.c_str(), availability); });
  host = MetricHost(chip, availability);
  if (!Add(wanted)) throw Error("cannot schedule the metrics of " + chip + " together");
}

bool Schedule::Add(const std::vector<MetricDefinition>& wanted) {
  names.clear();
  for (const std::size_t i : metrics) names.push_back(wanted[i].cupti_name.c_str());
  return host.Add(names);
}

RangeSession::Profiler::Profiler(CUcontext context) {
  auto p = Params<CUpti_RangeProfiler_Enable_Params>();
  p.ctx = context;
  Check(cuptiRangeProfilerEnable(&p), "enable range profiling");
  object_ = p.pRangeProfilerObject;
}

RangeSession::Profiler::~Profiler() {
  auto p = Params<CUpti_RangeProfiler_Disable_Params>();
  p.pRangeProfilerObject = object_;
  LogFailure(cuptiRangeProfilerDisable(&p), "disable range profiling");
}

RangeSession::RangeSession(CUcontext context, const std::vector<MetricDefinition>& metrics, const std::string& chip,
                           RangesOf ranges, Replay replay, std::size_t room, bool ask)
    : ranges_(ranges),
      replay_(replay),
      room_(room),
      availability_(ask ? Availability(context) : std::vector<std::uint8_t>{}),
      schedule_(metrics, chip, availability_),
      profiler_(context) {
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

void RangeSession::Prepare() {
  auto clear = Params<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>();
  clear.pRangeProfilerObject = profiler_.object();
  clear.counterDataSize = data_.size();
  clear.pCounterData = data_.data();
  Check(cuptiRangeProfilerCounterDataImageInitialize(&clear), "clear the counter data");
  // A session keeps its first configuration (CUDA 13.0): other metrics need another session. The number of automatic
  // ranges is also fixed by the first: after 4, a request for 11 gave 4.
  auto p = Params<CUpti_RangeProfiler_SetConfig_Params>();
  p.pRangeProfilerObject = profiler_.object();
  p.configSize = config_.size();
  p.pConfig = config_.data();
  p.counterDataImageSize = data_.size();
  p.pCounterDataImage = data_.data();
  p.range = ranges_ == RangesOf::kKernels ? CUPTI_AutoRange : CUPTI_UserRange;
  p.replayMode = replay_ == Replay::kByCupti ? CUPTI_KernelReplay : CUPTI_UserReplay;
  p.maxRangesPerPass = room_;
  p.numNestingLevels = 1;
  p.minNestingLevel = 1;
  p.passIndex = 0;
  p.targetNestingLevel = ranges_ == RangesOf::kKernels ? 0 : 1;
  Check(cuptiRangeProfilerSetConfig(&p), "configure counters");
}

void RangeSession::Start() {
  auto p = Params<CUpti_RangeProfiler_Start_Params>();
  p.pRangeProfilerObject = profiler_.object();
  Check(cuptiRangeProfilerStart(&p), "start counting");
}

bool RangeSession::Stop() {
  auto p = Params<CUpti_RangeProfiler_Stop_Params>();
  p.pRangeProfilerObject = profiler_.object();
  Check(cuptiRangeProfilerStop(&p), "stop counting");
  return p.isAllPassSubmitted != 0;
}

void RangeSession::Push(std::size_t range) {
  // Ranges are identified by name and numbered in the order in which names first appear.
  const std::string name = std::to_string(range);
  auto p = Params<CUpti_RangeProfiler_PushRange_Params>();
  p.pRangeProfilerObject = profiler_.object();
  p.pRangeName = name.c_str();
  Check(cuptiRangeProfilerPushRange(&p), "open a measured range");
}

void RangeSession::Pop() {
  auto p = Params<CUpti_RangeProfiler_PopRange_Params>();
  p.pRangeProfilerObject = profiler_.object();
  Check(cuptiRangeProfilerPopRange(&p), "close a measured range");
}

std::size_t RangeSession::Decode() {
  auto p = Params<CUpti_RangeProfiler_DecodeData_Params>();
  p.pRangeProfilerObject = profiler_.object();
  Check(cuptiRangeProfilerDecodeData(&p), "decode counters");
  return p.numOfRangeDropped;
}

std::vector<double> RangeSession::Read(std::size_t range) {
  return schedule_.host.Evaluate(data_, range, schedule_.names);
}

}  // namespace culprit
