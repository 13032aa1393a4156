// SPDX-License-Identifier: Apache-2.0
#include "profiler/counter_sampler.h"

#include <algorithm>
#include <utility>

#include "profiler/cupti_call.h"

namespace culprit {
namespace {

// Holds the records of a quarter of a second and more (docs/evidence/cupti.md).
constexpr std::size_t kHardwareBytes = std::size_t{64} << 20;

// A record is one interval long.
constexpr std::int64_t kMostIntervals = 4;

std::vector<const char*> NamesOf(const CounterTurn& counters) {
  std::vector<const char*> names;
  for (const TurnCounter& counter : counters.counters) names.push_back(counter.name.data());
  return names;
}

}  // namespace

CounterSampler::Enabled::Enabled(int device) {
  auto p = Params<CUpti_PmSampling_Enable_Params>();
  p.deviceIndex = static_cast<std::size_t>(device);
  Check(cuptiPmSamplingEnable(&p), "enable sampling of counters");
  object_ = p.pPmSamplingObject;
}

CounterSampler::Enabled::~Enabled() {
  auto p = Params<CUpti_PmSampling_Disable_Params>();
  p.pPmSamplingObject = object_;
  LogFailure(cuptiPmSamplingDisable(&p), "disable sampling of counters");
}

CounterSampler::CounterSampler(int device, const std::string& chip, const CounterTurn& counters,
                               std::int64_t interval_ns)
    : names_(NamesOf(counters)),
      host_(chip, {}, MetricHost::For::kSampling),
      enabled_(device),
      interval_ns_(interval_ns) {
  if (!host_.Add(names_)) throw Error("cannot schedule the sampled counters of " + chip);
  config_ = host_.ConfigImage();
  Configure();
}

CounterSampler::~CounterSampler() {
  if (is_running_) LogFailure(TryStop(), "stop sampling of counters");
}

void CounterSampler::Configure() {
  auto p = Params<CUpti_PmSampling_SetConfig_Params>();
  p.pPmSamplingObject = enabled_.object();
  p.configSize = config_.size();
  p.pConfig = config_.data();
  p.hardwareBufferSize = kHardwareBytes;
  p.samplingInterval = static_cast<std::uint64_t>(interval_ns_);
  p.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  Check(cuptiPmSamplingSetConfig(&p), "configure sampling of counters");
}

void CounterSampler::MakeImage() {
  auto size = Params<CUpti_PmSampling_GetCounterDataSize_Params>();
  size.pPmSamplingObject = enabled_.object();
  size.pMetricNames = names_.data();
  size.numMetrics = names_.size();
  size.maxSamples = kMostAtOnce;
  const auto ask = [&] { Check(cuptiPmSamplingGetCounterDataSize(&size), "size the sampled counters"); };
  ask();
  while (size.counterDataSize > kMostImageBytes && size.maxSamples > 1) {
    const std::uint64_t fit = size.maxSamples * std::uint64_t{kMostImageBytes} / size.counterDataSize;
    size.maxSamples = std::min(size.maxSamples - 1, std::max(1U, static_cast<std::uint32_t>(fit)));
    ask();
  }
  image_.resize(size.counterDataSize);
  ClearImage();
}

void CounterSampler::ClearImage() {
  if (is_image_clear_) return;
  auto p = Params<CUpti_PmSampling_CounterDataImage_Initialize_Params>();
  p.pPmSamplingObject = enabled_.object();
  p.counterDataSize = image_.size();
  p.pCounterData = image_.data();
  Check(cuptiPmSamplingCounterDataImageInitialize(&p), "clear the sampled counters");
  is_image_clear_ = true;
}

void CounterSampler::Start() {
  auto p = Params<CUpti_PmSampling_Start_Params>();
  p.pPmSamplingObject = enabled_.object();
  Check(cuptiPmSamplingStart(&p), "start sampling of counters");
  is_running_ = true;
}

void CounterSampler::Stop() {
  Check(TryStop(), "stop sampling of counters");
  is_running_ = false;
}

CUptiResult CounterSampler::TryStop() {
  auto p = Params<CUpti_PmSampling_Stop_Params>();
  p.pPmSamplingObject = enabled_.object();
  return cuptiPmSamplingStop(&p);
}

bool CounterSampler::Read(std::vector<CounterRecord>& records) {
  ClearImage();
  is_image_clear_ = false;  // whatever fails below
  auto decode = Params<CUpti_PmSampling_DecodeData_Params>();
  decode.pPmSamplingObject = enabled_.object();
  decode.pCounterDataImage = image_.data();
  decode.counterDataImageSize = image_.size();
  const CUptiResult decoded = cuptiPmSamplingDecodeData(&decode);
  if (decode.overflow != 0) ++lost_.full;
  Check(decoded, "decode sampled counters");
  auto info = Params<CUpti_PmSampling_GetCounterDataInfo_Params>();
  info.pCounterDataImage = image_.data();
  info.counterDataImageSize = image_.size();
  Check(cuptiPmSamplingGetCounterDataInfo(&info), "count sampled counters");
  // The hardware's units write their counts one after another. Clearing the image drops what it has of a record that is not
  // whole yet, and the next image begins with the rest of it.
  const std::size_t first = std::min<std::size_t>(begun_, info.numCompletedSamples);
  lost_.cut += static_cast<std::int64_t>(first);
  for (std::size_t i = first; i < info.numCompletedSamples; ++i) {
    auto sample = Params<CUpti_PmSampling_CounterData_GetSampleInfo_Params>();
    sample.pPmSamplingObject = enabled_.object();
    sample.pCounterDataImage = image_.data();
    sample.counterDataImageSize = image_.size();
    sample.sampleIndex = i;
    Check(cuptiPmSamplingCounterDataGetSampleInfo(&sample), "read the time of sampled counters");
    const auto start_ns = static_cast<std::int64_t>(sample.startTimestamp);
    const auto end_ns = static_cast<std::int64_t>(sample.endTimestamp);
    if (Follows(start_ns, end_ns)) records.push_back({start_ns, end_ns, host_.Evaluate(image_, i, names_)});
  }
  is_image_clear_ = info.numPopulatedSamples == 0;
  if (!is_image_clear_) begun_ = info.numPopulatedSamples - info.numCompletedSamples;
  return decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
}

// The first record of a configuration begins when the process first sampled, and its values mean nothing. The first one
// after Stop and Start may begin at Stop, although it counts one interval.
//
// When CUPTI fills an image, it drops what has arrived of later records: their stamps, and sometimes a whole record. Without
// stamps one cannot tell which (docs/evidence/cupti.md).
bool CounterSampler::Follows(std::int64_t start_ns, std::int64_t end_ns) {
  if (last_end_ns_ == 0) {
    last_end_ns_ = end_ns;
    return false;
  }
  if (end_ns <= start_ns || start_ns < last_end_ns_) {
    ++lost_.untimed;
    return false;
  }
  last_end_ns_ = end_ns;
  if (end_ns - start_ns > kMostIntervals * interval_ns_) {
    ++lost_.untimed;
    return false;
  }
  return true;
}

}  // namespace culprit
