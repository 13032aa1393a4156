// SPDX-License-Identifier: Apache-2.0
#include "profiler/metric_host.h"

#include "profiler/cupti_call.h"

namespace culprit {

struct MetricHost::Impl {
  CUpti_Profiler_Host_Object* object = nullptr;

  ~Impl() {
    auto p = Params<CUpti_Profiler_Host_Deinitialize_Params>();
    p.pHostObject = object;
    LogFailure(cuptiProfilerHostDeinitialize(&p), "release the metric host");
  }
};

MetricHost::MetricHost(const std::string& chip, std::span<const std::uint8_t> availability, For how) {
  auto p = Params<CUpti_Profiler_Host_Initialize_Params>();
  p.profilerType = how == For::kSampling ? CUPTI_PROFILER_TYPE_PM_SAMPLING : CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  p.pChipName = chip.c_str();
  p.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  Check(cuptiProfilerHostInitialize(&p), "load the metrics of " + chip);
  impl_ = std::make_unique<Impl>();
  impl_->object = p.pHostObject;
}

MetricHost::~MetricHost() = default;
MetricHost::MetricHost(MetricHost&&) noexcept = default;
MetricHost& MetricHost::operator=(MetricHost&&) noexcept = default;

bool MetricHost::Add(const std::vector<const char*>& names) {
  auto p = Params<CUpti_Profiler_Host_ConfigAddMetrics_Params>();
  p.pHostObject = impl_->object;
  p.ppMetricNames = const_cast<const char**>(names.data());
  p.numMetrics = names.size();
  return cuptiProfilerHostConfigAddMetrics(&p) == CUPTI_SUCCESS;
}

std::vector<std::uint8_t> MetricHost::ConfigImage() {
  auto size = Params<CUpti_Profiler_Host_GetConfigImageSize_Params>();
  size.pHostObject = impl_->object;
  Check(cuptiProfilerHostGetConfigImageSize(&size), "size the counter configuration");
  std::vector<std::uint8_t> image(size.configImageSize);
  auto p = Params<CUpti_Profiler_Host_GetConfigImage_Params>();
  p.pHostObject = impl_->object;
  p.configImageSize = image.size();
  p.pConfigImage = image.data();
  Check(cuptiProfilerHostGetConfigImage(&p), "make the counter configuration");
  return image;
}

std::size_t MetricHost::PassCount(std::vector<std::uint8_t>& config_image) {
  auto p = Params<CUpti_Profiler_Host_GetNumOfPasses_Params>();
  p.configImageSize = config_image.size();
  p.pConfigImage = config_image.data();
  Check(cuptiProfilerHostGetNumOfPasses(&p), "count replay passes");
  return p.numOfPasses;
}

std::vector<double> MetricHost::Evaluate(std::span<const std::uint8_t> counter_data, std::size_t range,
                                         std::span<const char* const> names) {
  std::vector<double> values(names.size());
  auto p = Params<CUpti_Profiler_Host_EvaluateToGpuValues_Params>();
  p.pHostObject = impl_->object;
  p.pCounterDataImage = counter_data.data();
  p.counterDataImageSize = counter_data.size();
  p.rangeIndex = range;
  p.ppMetricNames = const_cast<const char**>(names.data());  // CUPTI does not change them
  p.numMetrics = names.size();
  p.pMetricValues = values.data();
  Check(cuptiProfilerHostEvaluateToGpuValues(&p), "evaluate counters");
  return values;
}

std::vector<std::string> MetricHost::BaseCounters() {
  auto p = Params<CUpti_Profiler_Host_GetBaseMetrics_Params>();
  p.pHostObject = impl_->object;
  p.metricType = CUPTI_METRIC_TYPE_COUNTER;
  Check(cuptiProfilerHostGetBaseMetrics(&p), "list the counters of a chip");
  return {p.ppMetricNames, p.ppMetricNames + p.numMetrics};
}

bool MetricExists(const std::string& chip, const char* name, std::span<const std::uint8_t> availability) {
  // A fresh host each time: after one failing add, later adds on the same object fail too.
  return MetricHost(chip, availability).Add({name});
}

std::vector<SassMetric> SassMetricsOn(const std::string& chip) {
  auto count = Params<CUpti_SassMetrics_GetNumOfMetrics_Params>();
  count.pChipName = chip.c_str();
  CUptiResult counted = cuptiSassMetricsGetNumOfMetrics(&count);
  if (counted == CUPTI_ERROR_NOT_INITIALIZED) {
    // Undocumented: these calls work only after another call of the profiler API. They need no GPU.
    const MetricHost wake(chip);
    counted = cuptiSassMetricsGetNumOfMetrics(&count);
  }
  Check(counted, "count the SASS metrics of " + chip);
  std::vector<CUpti_SassMetrics_MetricDetails> details(count.numOfMetrics);
  auto p = Params<CUpti_SassMetrics_GetMetrics_Params>();
  p.pChipName = chip.c_str();
  p.numOfMetrics = details.size();
  p.pMetricsList = details.data();
  Check(cuptiSassMetricsGetMetrics(&p), "list the SASS metrics of " + chip);
  std::vector<SassMetric> metrics;
  for (const auto& d : details) metrics.push_back({d.pMetricName, d.metricId});
  return metrics;
}

}  // namespace culprit
