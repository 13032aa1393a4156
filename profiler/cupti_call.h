// SPDX-License-Identifier: Apache-2.0
// Wrappers for CUPTI calls. Only collector implementations include this.
#pragma once
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <source_location>
#include <string_view>

#include "db/error.h"
#include "db/records.h"

namespace culprit {

// A failed CUPTI call. Stays inside profiler/: collectors turn it into a status and a sentence.
class CuptiError : public Error {
 public:
  CuptiError(CUptiResult code, const std::string& text) : Error(text), code_(code) {}
  CUptiResult code() const { return code_; }

 private:
  CUptiResult code_;
};

// Throws CuptiError "cannot <doing>: <CUPTI's words> (<code>) [file:line]" unless `result` is success.
void Check(CUptiResult result, std::string_view doing, std::source_location where = std::source_location::current());

// For destructors, which must not throw: writes the sentence to stderr.
void LogFailure(CUptiResult result, std::string_view doing) noexcept;

// Fails without a context. The first call lasts until the process ends, because several collectors and ChipName() rely on it.
CUptiResult InitializeProfiler();

// The status of the requested readings after a refusal.
ReadingStatus StatusOf(CUptiResult result);

// The warning for the run: a code and one sentence on what the user can do.
Warning Explain(const CuptiError& error);

// CUPTI reads structSize to learn our header version. Only Params<T>() fills it.
template <class T>
T Params() = delete;
#define CULPRIT_CUPTI_PARAMS(T)     \
  template <>                       \
  inline T Params<T>() {            \
    T p{};                          \
    p.structSize = T##_STRUCT_SIZE; \
    return p;                       \
  }
CULPRIT_CUPTI_PARAMS(CUpti_Device_GetChipName_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Host_GetBaseMetrics_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params)
CULPRIT_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params)
CULPRIT_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_Enable_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_Disable_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_SetConfig_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_Start_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_Stop_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_DecodeData_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params)
CULPRIT_CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params)
CULPRIT_CUPTI_PARAMS(CUpti_SassMetrics_GetNumOfMetrics_Params)
CULPRIT_CUPTI_PARAMS(CUpti_SassMetrics_GetMetrics_Params)
CULPRIT_CUPTI_PARAMS(CUpti_SassMetricsSetConfig_Params)
CULPRIT_CUPTI_PARAMS(CUpti_SassMetricsUnsetConfig_Params)
CULPRIT_CUPTI_PARAMS(CUpti_SassMetricsEnable_Params)
CULPRIT_CUPTI_PARAMS(CUpti_SassMetricsDisable_Params)
CULPRIT_CUPTI_PARAMS(CUpti_SassMetricsGetDataProperties_Params)
CULPRIT_CUPTI_PARAMS(CUpti_SassMetricsFlushData_Params)
#undef CULPRIT_CUPTI_PARAMS

}  // namespace culprit
